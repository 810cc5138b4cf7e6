//! Writes the decision tree for Graphviz.

use std::fmt::Write as _;

use super::{
    labels::{Labels, shorten},
    repeated::{REPEATED, REPEATED_NOTE},
    verdicts::{LeafKind, Verdicts},
};
use crate::{subject::RevisionSet, tree::Tree};

/// Writes the decision tree in the DOT language.
pub fn dot(tree: &Tree, labels: &Labels, verdicts: &Verdicts) -> String {
    let mut out = String::from(
        "digraph tree {\n  rankdir=LR;\n  node [fontname=\"Helvetica\", fontsize=11, \
         shape=box];\n  edge [fontname=\"Courier\", fontsize=10];\n",
    );
    let repeated = tree.repeated();
    if !repeated.is_empty() {
        let _ = writeln!(out, "  label=\"{REPEATED_NOTE}\";");
    }
    let mut writer = Writer { labels, verdicts, repeated, out, next: 0 };
    writer.node(tree);
    writer.out + "}\n"
}

struct Writer<'a> {
    labels: &'a Labels,
    verdicts: &'a Verdicts,
    repeated: RevisionSet,
    out: String,
    /// The number of the next node.
    next: u32,
}

impl Writer<'_> {
    /// Writes the node and everything below it. Returns its number.
    fn node(&mut self, tree: &Tree) -> u32 {
        let id = self.next;
        self.next += 1;
        match tree {
            Tree::Leaf(revisions) => {
                let leaf = self.verdicts.leaf(revisions);
                let name = |revision| {
                    let also = if self.repeated.contains(revision) { REPEATED } else { "" };
                    self.labels.revision(revision) + also
                };
                let mut lines: Vec<String> = revisions.iter().map(name).collect();
                lines.extend(leaf.kind.text().map(|text| format!("({text})")));
                let style = match leaf.kind {
                    LeafKind::Single => "solid",
                    LeafKind::Equivalent => "bold",
                    LeafKind::UnlessFailing
                    | LeafKind::Internal
                    | LeafKind::Open
                    | LeafKind::CutOff => "dashed",
                };
                let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
                let _ =
                    writeln!(self.out, "  n{id} [label=\"{}\", style={style}];", lines.join("\\n"));
            }
            Tree::Node { test, outcomes } => {
                let input = quoted(&shorten(&self.labels.input(*test), 60));
                let _ = writeln!(
                    self.out,
                    "  n{id} [label=\"test {test}\\n{input}\", style=filled, fillcolor=\"#eef2f7\"];"
                );
                let clusters: Vec<_> = outcomes.iter().map(|branch| branch.cluster).collect();
                let texts = self.labels.outcomes(*test, &clusters, 60);
                for (branch, outcome) in outcomes.iter().zip(texts) {
                    let child = self.node(&branch.child);
                    let outcome = quoted(&outcome);
                    let _ = writeln!(self.out, "  n{id} -> n{child} [label=\"{outcome}\"];");
                }
            }
        }
        id
    }
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn a_revision_at_several_leaves_is_marked_at_each() {
        let sample = sample::silent();
        let text = dot(&sample.solution.tree, &sample.labels(), &sample.verdicts());
        assert!(text.contains(REPEATED_NOTE));
        let places: usize = sample.solution.tree.leaves().iter().map(|leaf| leaf.len()).sum();
        let repeated = sample.solution.tree.repeated().len();
        let once = sample.solution.tree.revisions().len() - repeated;
        assert_eq!(text.matches(REPEATED).count(), places - once);
    }

    #[test]
    fn every_node_and_edge_is_there() {
        let sample = sample::forty();
        let text = dot(&sample.solution.tree, &sample.labels(), &sample.verdicts());
        let edges = text.matches(" -> ").count();
        assert_eq!(text.matches(" [label=").count(), 2 * edges + 1);
        assert!(text.contains(r#"\"6\""#), "{text}");
    }
}
