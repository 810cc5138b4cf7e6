//! Places of a patched program as lines of its sources, and as changes.

use std::{fs, path::Path};

use super::graph::Node;
use crate::{exec::Program, ir::SourceLine, merge::Piece};

/// The changes at the lines of a patched program.
pub(super) struct Lines<'a> {
    pub(super) program: &'a Program,
    /// Where the sources of the patched program are.
    pub(super) sources: &'a Path,
    pub(super) pieces: &'a [Piece],
}

impl Lines<'_> {
    /// The file of a line, relative to the source root.
    fn file(&self, line: SourceLine) -> Option<&Path> {
        let name = Path::new(self.program.module.files.get(line.file.0 as usize)?);
        let name = name.strip_prefix(self.sources).unwrap_or(name);
        Some(name.strip_prefix("./").unwrap_or(name))
    }

    /// The change that has a line.
    pub(super) fn change(&self, line: SourceLine) -> Option<usize> {
        let number = (line.line as usize).checked_sub(1)?;
        let file = self.file(line)?;
        self.pieces.iter().position(|piece| piece.file == file && piece.new.contains(&number))
    }

    /// The name of a node.
    pub(super) fn node(&self, node: Node, names: &[String]) -> String {
        match node {
            Node::Root => "root".to_owned(),
            Node::Change(index) => names[index].clone(),
            Node::Interaction(line) | Node::Output(line) => {
                let file = self.file(line).map(|file| file.display().to_string());
                format!("{}:{}", file.unwrap_or_default(), line.line)
            }
        }
    }

    /// The line of source that a node is, or begins with.
    pub(super) fn text(&self, node: Node) -> Option<String> {
        let (file, line) = match node {
            Node::Root => return None,
            Node::Change(index) => {
                let piece = &self.pieces[index];
                (piece.file.as_path(), piece.new.start)
            }
            Node::Interaction(line) | Node::Output(line) => {
                (self.file(line)?, line.line as usize - 1)
            }
        };
        let text = fs::read(self.sources.join(file)).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Some(text.lines().nth(line)?.trim().to_owned())
    }
}
