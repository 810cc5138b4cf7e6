//! What C allows in an arm of a meta branch.

use tree_sitter::Node;

use super::{
    change::Edit,
    source::{Source, Tokens, descendants},
};

/// What a run of statements contains that matters outside it.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Nature {
    /// Names or objects that outlive the run, or may do so: the arm has to reach the end of their
    /// scope.
    pub(super) declares: bool,
    /// A `case` or `default` of a `switch` around the run.
    pub(super) has_case: bool,
    /// A directive that changes the meaning of what follows.
    pub(super) defines: bool,
}

impl Nature {
    pub(super) fn of(nodes: &[Node], source: &Source) -> Self {
        let mut nature = Self::default();
        for node in nodes {
            nature.declares |= declares(*node, source);
            for inner in descendants(*node, &|n| n.kind() != "switch_statement") {
                nature.has_case |= inner.kind() == "case_statement";
            }
            for inner in descendants(*node, &|_| true) {
                nature.defines |= matches!(
                    inner.kind(),
                    "preproc_def" | "preproc_function_def" | "preproc_call" | "preproc_include"
                );
            }
        }
        nature
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            declares: self.declares | other.declares,
            has_case: self.has_case | other.has_case,
            defines: self.defines | other.defines,
        }
    }
}

/// Why the texts of an edit cannot be arms; `None` if they can.
pub(super) fn reason_against(
    original: &Source,
    patched: &Source,
    edit: &Edit,
    nature: Nature,
) -> Option<&'static str> {
    if nature.has_case {
        return Some("a `case` of an enclosing switch is in what changes");
    }
    if nature.defines {
        return Some("a directive inside a function changes, or is in what changes");
    }
    if !original.is_balanced(&edit.from) || !patched.is_balanced(&edit.to) {
        return Some("brackets are not balanced, perhaps because of #if");
    }
    let closed = labels_are_closed(original, &edit.from, &edit.body)
        && labels_are_closed(patched, &edit.to, &edit.patched_body);
    (!closed).then_some("a label is used from outside")
}

/// Whether no `goto` in the function outside `range` can lead into it. Any token with the name of a
/// label counts as a use, which errs on the safe side.
pub(super) fn labels_are_closed(source: &Source, range: &Tokens, body: &Tokens) -> bool {
    let labels = labels(source, range);
    let outside = (body.start..range.start.max(body.start)).chain(range.end..body.end);
    labels.is_empty() || outside.into_iter().all(|i| !labels.contains(&source.token(i)))
}

/// The labels that are defined in a range of tokens, without duplicates.
pub(super) fn labels<'s>(source: &'s Source, range: &Tokens) -> Vec<&'s str> {
    if range.is_empty() {
        return Vec::new();
    }
    let bytes = source.bytes(range);
    let overlaps = |n: Node| n.start_byte() < bytes.end && bytes.start < n.end_byte();
    let mut names = Vec::new();
    for node in descendants(source.tree.root_node(), &overlaps) {
        if node.kind() == "labeled_statement"
            && overlaps(node)
            && let Some(label) = node.child_by_field_name("label")
            && bytes.contains(&label.start_byte())
        {
            let name = &source.text[label.byte_range()];
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Whether a node of tree-sitter's grammar is a statement (C17 6.8) by itself.
pub(super) fn is_statement(node: Node) -> bool {
    matches!(
        node.kind(),
        "break_statement"
            | "compound_statement"
            | "continue_statement"
            | "do_statement"
            | "expression_statement"
            | "for_statement"
            | "goto_statement"
            | "if_statement"
            | "labeled_statement"
            | "return_statement"
            | "switch_statement"
            | "while_statement"
    )
}

fn declares(node: Node, source: &Source) -> bool {
    match node.kind() {
        "compound_statement" => false,
        "labeled_statement" | "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif"
        | "preproc_elifdef" => (0..node.child_count()).any(|index| {
            let part = node.field_name_for_child(index as u32);
            node.child(index).is_some_and(|child| {
                child.is_named()
                    && child.kind() != "comment"
                    && matches!(part, None | Some("alternative"))
                    && declares(child, source)
            })
        }),
        _ if !is_statement(node) => true,
        // The object of a compound literal lives as long as the enclosing block.
        _ => {
            is_unknown_macro(node, source)
                || descendants(node, &|n| n.kind() != "compound_statement")
                    .iter()
                    .any(|n| n.kind() == "compound_literal_expression")
        }
    }
}

/// Whether a statement is only the use of a macro, and so may be a declaration.
fn is_unknown_macro(node: Node, source: &Source) -> bool {
    let Some(expression) = node.named_child(0).filter(|_| node.kind() == "expression_statement")
    else {
        return false;
    };
    let name = match expression.kind() {
        "call_expression" => expression.child_by_field_name("function"),
        _ => Some(expression),
    };
    name.filter(|n| n.kind() == "identifier").is_some_and(|n| {
        let name = &source.text[n.byte_range()];
        source.macros.contains(name) || !name.bytes().any(|b| b.is_ascii_lowercase())
    })
}
