//! The decision tree as text, for a terminal.

use std::fmt::Write as _;

use super::{
    labels::{Labels, columns, ranges, shorten},
    repeated::{REPEATED, REPEATED_NOTE},
    verdicts::{Leaf, LeafKind, Verdicts},
};
use crate::{
    subject::RevisionSet,
    tree::{Branch, Tree},
};

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct TextStyle {
    /// The greatest width of a line, in columns.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub colour: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { width: 100, colour: false }
    }
}

pub(super) const BOLD: &str = "1";
pub(super) const FAINT: &str = "2";
const GREEN: &str = "32";
pub(super) const YELLOW: &str = "33";
pub(super) const CYAN: &str = "36";

impl TextStyle {
    pub(super) fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

/// Draws the tree as text, with a line for each question and each outcome. The text ends with a
/// newline.
///
/// ```text
/// test 3   x = 7
/// │
/// ├─ "0"      ▸ 0 original
/// └─ SIGABRT  ▸ 1 bounds ≡ 2 null-check   proved equivalent
/// ```
pub fn terminal(tree: &Tree, labels: &Labels, verdicts: &Verdicts, style: TextStyle) -> String {
    let repeated = tree.repeated();
    let mut printer = Printer { labels, verdicts, style, repeated, out: String::new() };
    match tree {
        Tree::Leaf(revisions) => {
            let lines = printer.leaf(revisions, style.width.saturating_sub(2));
            printer.hang("▸ ", 2, "", &lines);
        }
        Tree::Node { .. } => printer.node(tree, "", "", &tree.revisions()),
    }
    if !printer.repeated.is_empty() {
        let note = style.paint(FAINT, &shorten(REPEATED_NOTE, style.width));
        let _ = writeln!(printer.out, "{note}");
    }
    printer.out
}

struct Printer<'a> {
    labels: &'a Labels,
    verdicts: &'a Verdicts,
    style: TextStyle,
    repeated: RevisionSet,
    out: String,
}

impl Printer<'_> {
    /// Prints a question and its subtree: the first line after `first`, further lines after
    /// `indent`.
    fn node(&mut self, tree: &Tree, first: &str, indent: &str, revisions: &RevisionSet) {
        let Tree::Node { test, outcomes } = tree else { return };
        let name = format!("test {test}");
        let still = ranges(revisions);
        let used = columns(indent) + name.len() + 3;
        let room = self.style.width.saturating_sub(used);
        let still = shorten(&still, room / 3);
        let input =
            shorten(&self.labels.input(*test), room.saturating_sub(columns(&still) + 2).max(8));
        let gap = room.saturating_sub(columns(&input) + columns(&still));
        let style = self.style;
        let line = format!(
            "{first}{}   {}{}{}",
            style.paint(BOLD, &name),
            style.paint(CYAN, &input),
            " ".repeat(gap),
            style.paint(FAINT, &still)
        );
        let _ = writeln!(self.out, "{}", line.trim_end());
        let _ = writeln!(self.out, "{indent}│");
        let clusters: Vec<_> = outcomes.iter().map(|branch| branch.cluster).collect();
        let room = style.width.saturating_sub(columns(indent) + 6);
        let leaf = |branch: &&Branch| matches!(branch.child, Tree::Leaf(_));
        // Outcomes share the line with the revisions of their leaf, and siblings are cut alike.
        let room = if outcomes.iter().any(|branch| leaf(&branch)) { room / 2 } else { room };
        let texts = self.labels.outcomes(*test, &clusters, room.max(4));
        let to_leaf = outcomes.iter().zip(&texts).filter(|(branch, _)| leaf(branch));
        let column = to_leaf.map(|(_, text)| columns(text)).max().unwrap_or(0);
        for (index, (branch, text)) in outcomes.iter().zip(&texts).enumerate() {
            self.branch(branch, text, index + 1 == outcomes.len(), indent, column);
        }
    }

    fn branch(&mut self, branch: &Branch, text: &str, last: bool, indent: &str, column: usize) {
        let (corner, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let room = self.style.width.saturating_sub(columns(indent) + 3);
        match &branch.child {
            Tree::Leaf(revisions) => {
                let pad = " ".repeat(column.saturating_sub(columns(text)));
                let lines = self.leaf(revisions, room.saturating_sub(column + 4));
                let hanging = column + 4;
                self.hang(
                    &format!("{indent}{corner}{text}{pad}  ▸ "),
                    hanging,
                    &format!("{indent}{below}"),
                    &lines,
                );
            }
            child => {
                let _ = writeln!(self.out, "{indent}{corner}{text}");
                let indent = format!("{indent}{below}");
                self.node(child, &indent, &indent, &branch.revisions);
                if !last {
                    let _ = writeln!(self.out, "{}", indent.trim_end());
                }
            }
        }
    }

    /// Prints lines: the first after `first`, the others below it.
    fn hang(&mut self, first: &str, hanging: usize, indent: &str, lines: &[String]) {
        for (index, line) in lines.iter().enumerate() {
            let _ = match index {
                0 => writeln!(self.out, "{first}{line}"),
                _ => writeln!(self.out, "{indent}{}{line}", " ".repeat(hanging)),
            };
        }
    }

    /// The revisions of a leaf and how they are related, in lines of about `room` columns.
    fn leaf(&self, revisions: &RevisionSet, room: usize) -> Vec<String> {
        let Leaf { groups, kind } = self.verdicts.leaf(revisions);
        let mut lines = Vec::new();
        for group in &groups {
            let mut line = String::new();
            for revision in group.iter() {
                let also = if self.repeated.contains(revision) { REPEATED } else { "" };
                let room_for_name = room.max(8) - also.len();
                let name = shorten(&self.labels.revision(revision), room_for_name) + also;
                if line.is_empty() {
                    line = name;
                } else if columns(&line) + 3 + columns(&name) <= room {
                    line = format!("{line} ≡ {name}");
                } else {
                    lines.push(std::mem::replace(&mut line, format!("≡ {name}")));
                }
            }
            lines.push(line);
        }
        if let Some(text) = kind.text() {
            let colour = if kind == LeafKind::Equivalent { GREEN } else { YELLOW };
            let text_width = columns(text);
            match lines.last_mut() {
                Some(last) if columns(last) + 3 + text_width <= room => {
                    *last = format!("{last}   {}", self.style.paint(colour, text));
                }
                _ => lines.push(self.style.paint(colour, text)),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_tree_is_readable() {
        let sample = sample::seven();
        let text = terminal(
            &sample.solution.tree,
            &sample.labels(),
            &sample.verdicts(),
            TextStyle::default(),
        );
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_revision_at_several_leaves_is_marked_at_each() {
        let sample = sample::silent();
        let tree = &sample.solution.tree;
        let text = terminal(tree, &sample.labels(), &sample.verdicts(), TextStyle::default());
        insta::assert_snapshot!(text);
        let places: usize = tree.leaves().iter().map(|leaf| leaf.len()).sum();
        let once = tree.revisions().len() - tree.repeated().len();
        assert!(places > tree.revisions().len(), "{text}");
        assert_eq!(text.matches(REPEATED).count(), places - once, "{text}");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for width in [60, 80, 100] {
            let sample = sample::forty();
            let style = TextStyle { width, colour: false };
            let text = terminal(&sample.solution.tree, &sample.labels(), &sample.verdicts(), style);
            for line in text.lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
            assert_eq!(text.matches('▸').count(), sample.solution.tree.leaves().len());
        }
    }

    #[test]
    fn one_class_is_a_tree_too() {
        let leaf = Tree::Leaf([0, 1].map(crate::subject::Revision).into_iter().collect());
        let text = terminal(&leaf, &Labels::default(), &Verdicts::default(), TextStyle::default());
        assert_eq!(text, "▸ 0 original\n  1   not told apart\n");
    }
}
