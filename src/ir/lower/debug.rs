//! Source places and source files from the debug information.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;

use crate::ir::{CHOOSER, FileId, SourceLine};
use crate::llvm::{Metadata, Value};

/// The source files seen so far.
pub struct Files<'m> {
    /// For each file, the directory of compilation and the name given to the compiler.
    files: Vec<(String, String)>,
    by_node: FxHashMap<Metadata<'m>, FileId>,
    by_scope: FxHashMap<Metadata<'m>, Option<FileId>>,
    choosers: FxHashMap<Metadata<'m>, bool>,
    by_name: FxHashMap<(String, String), FileId>,
    source: String,
}

impl<'m> Files<'m> {
    /// No files yet. `source` is the source file that the module names.
    pub fn new(source: String) -> Self {
        Self {
            files: Vec::new(),
            by_node: FxHashMap::default(),
            by_scope: FxHashMap::default(),
            choosers: FxHashMap::default(),
            by_name: FxHashMap::default(),
            source,
        }
    }

    /// The source place of an instruction.
    pub fn place(&mut self, inst: Value<'m>) -> Option<SourceLine> {
        let own = inst.locations().find(|(scope, _)| !self.is_chooser(*scope, inst));
        let (scope, line) = own.or_else(|| inst.locations().next())?;
        Some(SourceLine { file: self.scope(scope)?, line })
    }

    /// Whether a scope is in a function that merge has made to ask for the revision. Code inlined
    /// from such a function belongs to the line that asks.
    fn is_chooser(&mut self, scope: Metadata<'m>, near: Value<'m>) -> bool {
        *self.choosers.entry(scope).or_insert_with(|| {
            scope.function_name(near).is_some_and(|name| name.starts_with(CHOOSER))
        })
    }

    /// The source place of a function's definition.
    pub fn function(&mut self, function: Value<'m>) -> Option<SourceLine> {
        let subprogram = function.subprogram()?;
        Some(SourceLine { file: self.scope(subprogram)?, line: subprogram.subprogram_line() })
    }

    /// The place of code that has no debug information.
    pub fn unknown(&mut self) -> SourceLine {
        let source = self.source.clone();
        SourceLine { file: self.named(String::new(), source), line: 0 }
    }

    fn scope(&mut self, scope: Metadata<'m>) -> Option<FileId> {
        if let Some(file) = self.by_scope.get(&scope) {
            return *file;
        }
        let file = scope.scope_file().map(|node| match self.by_node.get(&node) {
            Some(file) => *file,
            None => {
                let (directory, name) = node.file();
                let file = self.named(directory, name);
                self.by_node.insert(node, file);
                file
            }
        });
        self.by_scope.insert(scope, file);
        file
    }

    fn named(&mut self, directory: String, name: String) -> FileId {
        let files = &mut self.files;
        *self.by_name.entry((directory, name)).or_insert_with_key(|key| {
            files.push(key.clone());
            FileId(files.len() as u32 - 1)
        })
    }

    /// The names of the files as they were given to the compiler. If files in several directories
    /// have the same relative name, the directory precedes it.
    pub fn names(self) -> Vec<String> {
        let mut directories: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (directory, name) in &self.files {
            let known = directories.entry(name).or_default();
            if !directory.is_empty() && !known.contains(&directory.as_str()) {
                known.push(directory);
            }
        }
        let qualified = |(directory, name): &(String, String)| {
            if directories[name.as_str()].len() > 1 && !directory.is_empty() {
                Path::new(directory).join(name).to_string_lossy().into_owned()
            } else {
                name.clone()
            }
        };
        self.files.iter().map(qualified).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ambiguous_names_get_their_directory() {
        let mut files = Files::new("main.c".into());
        files.unknown();
        for (directory, name) in
            [("/b", "main.c"), ("/b/lib", "util.c"), ("/b/src", "util.c"), ("/b", "/usr/x.h")]
        {
            files.named(directory.into(), name.into());
        }
        let names = files.names();
        assert_eq!(names, ["main.c", "main.c", "/b/lib/util.c", "/b/src/util.c", "/usr/x.h"]);
    }
}
