//! The decision tree for Graphviz.

use std::fmt::Write as _;

use super::{Labels, LeafKind, Verdicts, labels::shorten};
use crate::tree::Tree;

/// The tree in the DOT language.
pub fn dot(tree: &Tree, labels: &Labels, verdicts: &Verdicts) -> String {
    let mut out = String::from(
        "digraph tree {\n  rankdir=LR;\n  node [fontname=\"Helvetica\", fontsize=11, \
         shape=box];\n  edge [fontname=\"Courier\", fontsize=10];\n",
    );
    node(tree, labels, verdicts, &mut out, &mut 0);
    out.push_str("}\n");
    out
}

/// Writes the node and all below it; its number.
fn node(
    tree: &Tree,
    labels: &Labels,
    verdicts: &Verdicts,
    out: &mut String,
    next: &mut u32,
) -> u32 {
    let id = *next;
    *next += 1;
    match tree {
        Tree::Leaf(revisions) => {
            let leaf = verdicts.leaf(revisions);
            let mut lines: Vec<String> =
                revisions.iter().map(|revision| labels.revision(revision)).collect();
            lines.extend(leaf.kind.text().map(|text| format!("({text})")));
            let style = match leaf.kind {
                LeafKind::Single => "solid",
                LeafKind::Equivalent => "bold",
                LeafKind::UnlessFailing | LeafKind::Internal | LeafKind::Open => "dashed",
            };
            let lines: Vec<String> = lines.iter().map(|line| quoted(line)).collect();
            let _ = writeln!(out, "  n{id} [label=\"{}\", style={style}];", lines.join("\\n"));
        }
        Tree::Node { test, outcomes } => {
            let input = quoted(&shorten(&labels.input(*test), 60));
            let _ = writeln!(
                out,
                "  n{id} [label=\"test {test}\\n{input}\", style=filled, fillcolor=\"#eef2f7\"];"
            );
            let clusters: Vec<_> = outcomes.iter().map(|branch| branch.cluster).collect();
            let texts = labels.outcomes(*test, &clusters, 60);
            for (branch, outcome) in outcomes.iter().zip(texts) {
                let child = node(&branch.child, labels, verdicts, out, next);
                let outcome = quoted(&outcome);
                let _ = writeln!(out, "  n{id} -> n{child} [label=\"{outcome}\"];");
            }
        }
    }
    id
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn every_node_and_edge_is_there() {
        let sample = sample::forty();
        let text = dot(&sample.solution.tree, &sample.labels(), &sample.verdicts());
        let edges = text.matches(" -> ").count();
        assert_eq!(text.matches(" [label=").count(), 2 * edges + 1);
        assert!(text.contains(r#"\"6\""#), "{text}");
    }
}
