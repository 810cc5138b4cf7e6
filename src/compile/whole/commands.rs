//! How a package's build compiles its sources.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    compile::{error::BuildError, stamp::normal},
    merge::{Tree, make_way},
};

/// The files of a tree that each of its sources reads. All paths are relative to the tree.
pub(super) type Reads = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// How the build compiles each source of a tree, by its path in the tree.
pub(super) type Commands = BTreeMap<PathBuf, CompileCommand>;

/// How the build compiles one file, as clang records it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct CompileCommand {
    pub(super) directory: PathBuf,
    pub(super) file: PathBuf,
    pub(super) arguments: Vec<String>,
}

impl CompileCommand {
    /// The object file that is left in the tree. There is none if one command compiles and links,
    /// as it uses a temporary file.
    pub(super) fn object(&self, tree: &Path) -> Option<PathBuf> {
        let object = self.arguments.iter().skip_while(|argument| *argument != "-o").nth(1)?;
        let object = tree.join(&self.directory).join(object);
        object.starts_with(tree).then_some(object)
    }

    /// Makes the directory in which the compiler runs a real directory in a copy of a tree. From a
    /// link, `..` would lead into the original's tree.
    pub(super) fn make_way(&self, tree: &Tree, copy: &Path) -> io::Result<()> {
        make_way(tree, &self.directory.join("-"), copy)
    }

    /// Whether the command makes code.
    pub(super) fn compiles(&self) -> bool {
        let is_other = |argument: &String| {
            ["-E", "-M", "-MM", "-S", "-fsyntax-only"].contains(&argument.as_str())
        };
        !self.arguments.iter().any(is_other)
    }
}

/// Reads clang's records of its calls, by file of the tree. If a file was compiled more than once,
/// the record that comes first by name counts.
pub(super) fn read_commands(fragments: &Path, tree: &Path) -> Result<Commands, BuildError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(fragments).map_err(BuildError::io(fragments))? {
        files.push(entry.map_err(BuildError::io(fragments))?.path());
    }
    files.sort();
    let mut commands = Commands::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(BuildError::io(&file))?;
        let records = text.lines().map(|line| line.trim_end().trim_end_matches(','));
        for mut command in records.flat_map(serde_json::from_str::<CompileCommand>) {
            let path = normal(&command.directory.join(&command.file));
            let inner = path.strip_prefix(tree).map(Path::to_owned);
            let directory = command.directory.strip_prefix(tree).map(Path::to_owned);
            if let (true, Ok(inner), Ok(directory)) = (command.compiles(), inner, directory) {
                command.directory = directory;
                commands.entry(inner).or_insert(command);
            }
        }
    }
    Ok(commands)
}
