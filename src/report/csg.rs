//! The change sequence graph for Graphviz and as text, and the order of its nodes.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{interaction::Interaction, labels::shorten};
use crate::results::NodeKind;

/// The most characters of a line of source.
const LONGEST: usize = 48;

/// A node of the graph.
#[derive(Clone, Debug)]
pub(super) struct CsgNode {
    pub name: String,
    pub kind: NodeKind,
    /// The line of source that it is, or begins with.
    pub text: String,
}

/// The nodes in the order of the program, and the edges between them, by index.
pub(super) fn nodes_and_edges(interaction: &Interaction) -> (Vec<CsgNode>, Vec<[usize; 2]>) {
    let mut nodes: Vec<CsgNode> = Vec::new();
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    // Nodes where edges begin are in the order of the program; those where edges only end come
    // last.
    let from = interaction.graph.iter().map(|row| (row.from.as_str(), row.from_kind));
    let to = interaction.graph.iter().map(|row| (row.to.as_str(), row.to_kind));
    for (name, kind) in from.chain(to) {
        known.entry(name).or_insert_with(|| {
            let text = interaction.texts.get(name).map(|text| shorten(text, LONGEST));
            let text = text.unwrap_or_default();
            nodes.push(CsgNode { name: name.to_owned(), kind, text });
            nodes.len() - 1
        });
    }
    let edges = interaction.graph.iter().map(|row| [known[&*row.from], known[&*row.to]]).collect();
    (nodes, edges)
}

/// Writes the change sequence graph in the DOT language.
pub fn csg_dot(interaction: &Interaction) -> String {
    let (nodes, edges) = nodes_and_edges(interaction);
    let mut out =
        String::from("digraph csg {\n  node [fontname=\"Helvetica\", fontsize=11, shape=box];\n");
    for (index, node) in nodes.iter().enumerate() {
        let style = match node.kind {
            NodeKind::Root => "shape=plaintext",
            NodeKind::Change => "style=filled, fillcolor=\"#dde2e8\"",
            NodeKind::Interaction => "style=dashed",
            NodeKind::Output => "style=rounded",
        };
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut label = escaped(&node.name);
        if !node.text.is_empty() {
            label = format!("{label}\\n{}", escaped(&node.text));
        }
        _ = writeln!(out, "  n{index} [label=\"{label}\", {style}];");
    }
    for [from, to] in edges {
        _ = writeln!(out, "  n{from} -> n{to};");
    }
    out + "}\n"
}
