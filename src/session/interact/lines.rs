//! Places of a patched program as lines of its sources, and as changes.

use super::graph::Node;
use crate::{ir::SourceLine, merge::Piece, session::sources::SourceFiles};

/// The changes at the lines of a patched program.
pub(super) struct Lines<'a> {
    /// The sources of the patched program.
    pub(super) files: &'a SourceFiles,
    pub(super) pieces: &'a [Piece],
}

impl Lines<'_> {
    /// The change that a line belongs to.
    pub(super) fn change(&self, line: SourceLine) -> Option<usize> {
        let number = (line.line as usize).checked_sub(1)?;
        let file = self.files.find(line.file)?;
        self.pieces.iter().position(|piece| piece.file == file && piece.new.contains(&number))
    }

    /// The name of a node.
    pub(super) fn node(&self, node: Node, names: &[String]) -> String {
        match node {
            Node::Root => "root".to_owned(),
            Node::Change(index) => names[index].clone(),
            Node::Interaction(line) | Node::Output(line) => {
                let file = self.files.path(line.file).map(|file| file.display().to_string());
                format!("{}:{}", file.unwrap_or_default(), line.line)
            }
        }
    }

    /// The line of source that a node stands for, or begins with.
    pub(super) fn text(&self, node: Node) -> Option<String> {
        let (file, line) = match node {
            Node::Root => return None,
            Node::Change(index) => {
                let piece = &self.pieces[index];
                (piece.file.as_path(), piece.new.start)
            }
            Node::Interaction(line) | Node::Output(line) => {
                (self.files.find(line.file)?, line.line as usize - 1)
            }
        };
        Some(self.files.text(file)?.lines().nth(line)?.trim().to_owned())
    }
}
