//! The changes of one patch, as edits at the smallest places where a meta branch may stand.
//!
//! The original and a patched text are compared along their syntax trees. Statement lists are
//! aligned so that the edits have the fewest tokens; statements of one kind that are aligned with
//! each other are compared further inside. C's rules forbid an edit at some places (a `case` whose
//! `switch` is outside, a `goto` into it, ...). Such an edit is hoisted to the enclosing statement,
//! and in the end to the whole body of the function, where everything but directives is allowed. A
//! whole body needs no clone of the function: labels are made local to their arm with `__label__`.
//! So `__func__`, the function's address and its parameter list stay as they are.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{
    change::{ChangeKind, Edit},
    legal::{self, Nature},
    source::{Source, Tokens, children, named, same},
};

/// Why an edit has to cover the enclosing node, or cannot be made at all.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Hoist {
    /// Line in the patched text, from 1.
    pub(super) line: usize,
    pub(super) reason: &'static str,
}

/// How fine the edits of a function may be.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum Granularity {
    /// The smallest nodes.
    #[default]
    Node,
    /// The whole body.
    Function,
}

type Edits = Result<Vec<Edit>, Hoist>;

/// The edits inside two definitions of one function, `old` in `original` and `new` in `patched`;
/// everything before the bodies must be the same.
pub(super) fn function(
    original: &Source,
    old: Node,
    patched: &Source,
    new: Node,
    granularity: Granularity,
) -> Edits {
    let bodies = (old.child_by_field_name("body"), new.child_by_field_name("body"));
    let (Some(old), Some(new)) = bodies else {
        let line = new.start_position().row + 1;
        return Err(Hoist { line, reason: "the function has no body that can be found" });
    };
    let body = interior(original.span(old));
    let patched_body = interior(patched.span(new));
    let mut comparison = Comparison { original, patched, body, patched_body, memo: HashMap::new() };
    if granularity == Granularity::Node
        && let Ok(edits) = comparison.statement(old, new)
    {
        return Ok(edits);
    }
    let whole = List::new(original, patched, old, new);
    comparison.whole(&whole).map(|edit| vec![edit])
}

/// The tokens of a block without its braces, which are the first and the last.
fn interior(span: Tokens) -> Tokens {
    span.start + 1..(span.end - 1).max(span.start + 1)
}

struct Comparison<'a> {
    original: &'a Source,
    patched: &'a Source,
    body: Tokens,
    patched_body: Tokens,
    memo: HashMap<(usize, usize), Edits>,
}

impl<'a> Comparison<'a> {
    fn same(&self, old: Node, new: Node) -> bool {
        same(self.original, &self.original.span(old), self.patched, &self.patched.span(new))
    }

    fn hoist<T>(&self, new: Node, reason: &'static str) -> Result<T, Hoist> {
        Err(Hoist { line: new.start_position().row + 1, reason })
    }

    fn edit(&self, kind: ChangeKind, from: Tokens, to: Tokens, to_end: bool) -> Edit {
        let (body, patched_body) = (self.body.clone(), self.patched_body.clone());
        Edit { kind, from, to, to_end, body, patched_body }
    }

    /// Edits strictly inside two statements of one kind.
    fn statement(&mut self, old: Node, new: Node) -> Edits {
        if self.same(old, new) {
            return Ok(Vec::new());
        }
        if old.kind() != new.kind() {
            return self.hoist(new, "statements of different kinds");
        }
        let key = (old.id(), new.id());
        if let Some(known) = self.memo.get(&key) {
            return known.clone();
        }
        let edits = match old.kind() {
            "compound_statement" | "case_statement" | "preproc_if" | "preproc_ifdef"
            | "preproc_else" | "preproc_elif" | "preproc_elifdef" => self.container(old, new),
            "expression_statement" | "return_statement" => self.inside_value(old, new),
            "declaration" => self.declaration(old, new),
            _ => self.parts(old, new),
        };
        self.memo.insert(key, edits.clone());
        edits
    }

    /// Edits inside statements made of conditions and other statements; parts are compared by role.
    fn parts(&mut self, old: Node, new: Node) -> Edits {
        let (olds, news) = (children(old), children(new));
        if olds.len() != news.len() {
            return self.hoist(new, "parts were added or removed");
        }
        let mut edits = Vec::new();
        for (index, (a, b)) in olds.into_iter().zip(news).enumerate() {
            if self.same(a, b) {
                continue;
            }
            let field = field_of(old, a);
            if field != field_of(new, b) {
                return self.hoist(new, "parts changed their roles");
            }
            edits.extend(match (old.kind(), field) {
                ("if_statement" | "while_statement" | "do_statement", Some("condition"))
                | ("for_statement", Some("condition")) => self.truth(a, b)?,
                ("for_statement", Some("update")) => self.discarded(a, b)?,
                ("for_statement", Some("initializer")) if a.kind() != "declaration" => {
                    self.discarded(a, b)?
                }
                ("if_statement", Some("alternative")) => self.parts(a, b)?,
                ("switch_statement", Some("condition")) => self.value(a, b)?,
                ("switch_statement", Some("body")) => self.statement(a, b)?,
                (
                    "if_statement" | "while_statement" | "do_statement" | "for_statement"
                    | "else_clause",
                    _,
                ) if legal::is_statement(a) && legal::is_statement(b) => self.single(a, b)?,
                // Child 0 is the label, child 1 the colon.
                ("labeled_statement", _) if index == 2 && legal::is_statement(a) => {
                    self.single(a, b)?
                }
                _ => return self.hoist(b, "not a place for a meta branch"),
            });
        }
        Ok(edits)
    }

    /// The edits of a statement in a place that holds only one, such as the body of a loop.
    fn single(&mut self, old: Node, new: Node) -> Edits {
        if let Ok(edits) = self.statement(old, new) {
            return Ok(edits);
        }
        let (from, to) = (self.original.span(old), self.patched.span(new));
        let edit = self.edit(ChangeKind::Run, from, to, false);
        let nature = Nature::of(&[old], self.original).and(Nature::of(&[new], self.patched));
        match legal::reason_against(self.original, self.patched, &edit, nature) {
            None => Ok(vec![edit]),
            Some(reason) => self.hoist(new, reason),
        }
    }

    /// The edits of a declaration. They are inside, or of, the initial value of a variable that has
    /// no storage class or qualifier (`static`, `const`).
    fn declaration(&mut self, old: Node, new: Node) -> Edits {
        let is_static = |n: Node| matches!(n.kind(), "storage_class_specifier" | "type_qualifier");
        let differs = self.only_difference(old, new);
        let Some((a, b, _)) = differs.filter(|_| !named(old).into_iter().any(is_static)) else {
            return self.hoist(new, "a declaration changes");
        };
        match (a.kind(), b.kind(), self.only_difference(a, b)) {
            ("init_declarator", "init_declarator", Some((value, other, Some("value")))) => {
                let inner = self.value(value, other);
                // What a call allocates can be shared only where it is used alike.
                let is_plain = |n: Node| n.kind() != "initializer_list" && !has_call(n);
                match is_scalar(old, a) && is_plain(value) && is_plain(other) {
                    true => inner.or_else(|_| self.expression(ChangeKind::Initial, value, other)),
                    false => inner,
                }
            }
            _ => self.hoist(b, "a declaration changes"),
        }
    }

    /// The only pair of children that differ, and their role.
    fn only_difference<'o, 'n>(
        &self,
        old: Node<'o>,
        new: Node<'n>,
    ) -> Option<(Node<'o>, Node<'n>, Option<&'static str>)> {
        let (olds, news) = (children(old), children(new));
        if old.kind() != new.kind() || olds.len() != news.len() {
            return None;
        }
        let mut pairs = olds.into_iter().zip(news).filter(|(a, b)| !self.same(*a, *b));
        let (a, b) = pairs.next()?;
        let field = field_of(old, a);
        (pairs.next().is_none() && field == field_of(new, b)).then_some((a, b, field))
    }

    fn inside_value(&mut self, old: Node, new: Node) -> Edits {
        match self.only_difference(old, new) {
            Some((a, b, _)) => self.value(a, b),
            None => self.hoist(new, "the statement changes"),
        }
    }

    /// Edits inside an expression whose value is used: only truth values in it can be replaced, as
    /// `?:` would convert other operands to a common type.
    fn value(&mut self, old: Node, new: Node) -> Edits {
        let Some((a, b, field)) = self.only_difference(old, new) else {
            return self.hoist(new, "the expression changes");
        };
        match (old.kind(), field) {
            ("binary_expression", Some("left" | "right")) if is_logical(old) => self.truth(a, b),
            ("unary_expression", Some("argument")) if is_negation(old) => self.truth(a, b),
            ("conditional_expression", Some("condition")) => self.truth(a, b),
            ("binary_expression" | "comma_expression", Some("left" | "right"))
            | ("unary_expression", Some("argument"))
            | ("assignment_expression", Some("right"))
            | ("conditional_expression", Some("consequence" | "alternative"))
            | ("cast_expression", Some("value"))
            | ("parenthesized_expression", None) => self.value(a, b),
            _ => self.hoist(b, "the expression changes"),
        }
    }

    /// Edits inside, or of, an expression whose truth value alone is used.
    fn truth(&mut self, old: Node, new: Node) -> Edits {
        if let Some((a, b, field)) = self.only_difference(old, new) {
            let inner = match (old.kind(), field) {
                ("parenthesized_expression", None)
                | ("conditional_expression", Some(_))
                | ("comma_expression", Some("right")) => self.truth(a, b),
                _ => self.value(old, new),
            };
            if inner.is_ok() {
                return inner;
            }
        }
        // The parentheses of a condition belong to the statement.
        let bare = |n: Node| n.kind() != "parenthesized_expression";
        match (bare(old), bare(new), named(old).as_slice(), named(new).as_slice()) {
            (false, false, [a], [b]) => self.expression(ChangeKind::Truth, *a, *b),
            _ => self.expression(ChangeKind::Truth, old, new),
        }
    }

    fn discarded(&mut self, old: Node, new: Node) -> Edits {
        self.value(old, new).or_else(|_| self.expression(ChangeKind::Discarded, old, new))
    }

    fn expression(&mut self, kind: ChangeKind, old: Node, new: Node) -> Edits {
        let (from, to) = (self.original.span(old), self.patched.span(new));
        let fits =
            |s: &Source, r: &Tokens| !r.is_empty() && s.is_balanced(r) && !s.has_directive(r);
        if fits(self.original, &from) && fits(self.patched, &to) {
            Ok(vec![self.edit(kind, from, to, false)])
        } else {
            self.hoist(new, "the expression has directives or unbalanced brackets")
        }
    }

    /// Edits inside a node with a statement list: a block, a `case`, a conditional group of
    /// directives.
    fn container(&mut self, old: Node, new: Node) -> Edits {
        let list = List::new(self.original, self.patched, old, new);
        let head = |span: Tokens, bounds: &Tokens| span.start..bounds.start;
        let (old_head, new_head) = (
            head(self.original.span(old), &list.old_bounds),
            head(self.patched.span(new), &list.new_bounds),
        );
        if !same(self.original, &old_head, self.patched, &new_head) {
            return self.hoist(new, "a `case` value or an #if changes");
        }
        let mut edits = self.list(&list)?;
        let alternative = |n: Node<'_>| n.child_by_field_name("alternative").is_some();
        match (alternative(old), alternative(new)) {
            (false, false) => {}
            (true, true) => {
                let pair = (
                    old.child_by_field_name("alternative"),
                    new.child_by_field_name("alternative"),
                );
                if let (Some(a), Some(b)) = pair {
                    edits.extend(self.statement(a, b)?);
                }
            }
            _ => return self.hoist(new, "an #else is added or removed"),
        }
        Ok(edits)
    }

    fn list(&mut self, list: &List) -> Edits {
        let mut edits = Vec::new();
        for piece in self.align(list) {
            let (old, new) = match piece {
                Piece::Inner(inner) => {
                    edits.extend(inner);
                    continue;
                }
                Piece::Run(old, new) => (old, new),
            };
            let near = old.start.saturating_sub(1)..(old.end + 1).min(list.old.len());
            let mut run = self.run(list, old.clone(), new.clone());
            let mut nature = self.nature(list, &old, &new);
            if nature.declares {
                if !list.is_scope {
                    return self.refuse(list, &new, "a declaration changes");
                }
                let (old, new) = (old.start..list.old.len(), new.start..list.new.len());
                nature = self.nature(list, &old, &new);
                run = self.run(list, old, new);
            }
            let misparsed = list.old[near].iter().any(|n| n.has_error());
            if misparsed
                || legal::reason_against(self.original, self.patched, &run, nature).is_some()
            {
                return Ok(vec![self.whole(list)?]);
            }
            let reaches_end = nature.declares;
            edits.push(run);
            if reaches_end {
                break;
            }
        }
        Ok(edits)
    }

    /// The whole list as one edit.
    fn whole(&self, list: &List) -> Result<Edit, Hoist> {
        let (old, new) = (0..list.old.len(), 0..list.new.len());
        let nature = self.nature(list, &old, &new);
        if nature.declares && !list.is_scope {
            return self.refuse(list, &new, "a declaration changes");
        }
        let edit = self.run(list, old, new.clone());
        match legal::reason_against(self.original, self.patched, &edit, nature) {
            None => Ok(edit),
            Some(reason) => self.refuse(list, &new, reason),
        }
    }

    fn refuse<T>(&self, list: &List, new: &Tokens, reason: &'static str) -> Result<T, Hoist> {
        let token = list.new.get(new.start).map(|n| self.patched.span(*n).start);
        Err(Hoist { line: self.patched.line(token.unwrap_or(list.new_bounds.end)), reason })
    }

    fn nature(&self, list: &List, old: &Tokens, new: &Tokens) -> Nature {
        let original = Nature::of(&list.old[old.clone()], self.original);
        original.and(Nature::of(&list.new[new.clone()], self.patched))
    }

    /// The edit that replaces some statements of a list; `old` and `new` index statements.
    fn run(&self, list: &List, old: Tokens, new: Tokens) -> Edit {
        let tokens = |source: &Source, nodes: &[Node], bounds: &Tokens, range: &Tokens| {
            let start = |i: usize| nodes.get(i).map_or(bounds.end, |n| source.span(*n).start);
            let end = match range.end {
                end if end == nodes.len() => bounds.end,
                0 => start(0),
                end if range.is_empty() => start(end),
                end => source.span(nodes[end - 1]).end,
            };
            // At the start of the list, only ends of directives can precede the first node.
            start(range.start).min(end)..end
        };
        let from = tokens(self.original, &list.old, &list.old_bounds, &old);
        let to = tokens(self.patched, &list.new, &list.new_bounds, &new);
        self.edit(ChangeKind::Run, from, to, old.end == list.old.len())
    }

    /// Aligns the statements of a list so that the edits have the fewest tokens.
    fn align(&mut self, list: &List) -> Vec<Piece> {
        let same = |c: &Self, i: usize, j: usize| c.same(list.old[i], list.new[j]);
        let (n, m) = (list.old.len(), list.new.len());
        let prefix = (0..n.min(m)).take_while(|i| same(self, *i, *i)).count();
        let suffix =
            (0..n.min(m) - prefix).take_while(|i| same(self, n - 1 - i, m - 1 - i)).count();
        let (n, m) = (n - suffix, m - suffix);
        if (n - prefix) * (m - prefix) > MOST_PAIRS {
            return vec![Piece::Run(prefix..n, prefix..m)];
        }
        let width = m - prefix + 1;
        let mut cost = vec![0; (n - prefix + 1) * width];
        let mut step = vec![Step::Pair; cost.len()];
        for i in (prefix..=n).rev() {
            for j in (prefix..=m).rev() {
                let at = (i - prefix) * width + j - prefix;
                let mut best = None;
                let mut offer = |price: usize, choice: Step| {
                    if best.is_none_or(|(known, _)| price < known) {
                        best = Some((price, choice));
                    }
                };
                if i < n && j < m {
                    let inner = self.statement(list.old[i], list.new[j]);
                    if let Ok(edits) = inner {
                        let price: usize = edits.iter().map(Edit::weight).sum();
                        offer(cost[at + width + 1] + price, Step::Pair);
                    }
                }
                if j < m {
                    offer(cost[at + 1] + self.patched.span(list.new[j]).len(), Step::Insert);
                }
                if i < n {
                    offer(cost[at + width] + self.original.span(list.old[i]).len(), Step::Delete);
                }
                if let Some((price, choice)) = best {
                    (cost[at], step[at]) = (price, choice);
                }
            }
        }
        let mut pieces: Vec<Piece> = Vec::new();
        let (mut i, mut j) = (prefix, prefix);
        while i < n || j < m {
            let choice = step[(i - prefix) * width + j - prefix];
            if let Step::Pair = choice {
                let inner = self.statement(list.old[i], list.new[j]).unwrap_or_default();
                pieces.push(Piece::Inner(inner));
                (i, j) = (i + 1, j + 1);
                continue;
            }
            let (next_i, next_j) = if let Step::Delete = choice { (i + 1, j) } else { (i, j + 1) };
            match pieces.last_mut() {
                Some(Piece::Run(old, new)) => (old.end, new.end) = (next_i, next_j),
                _ => pieces.push(Piece::Run(i..next_i, j..next_j)),
            }
            (i, j) = (next_i, next_j);
        }
        pieces
    }
}

/// Above this many pairs of statements, an alignment takes too long to be worth it.
const MOST_PAIRS: usize = 100_000;

#[derive(Clone, Copy)]
enum Step {
    Pair,
    Delete,
    Insert,
}

enum Piece {
    /// Statements `.0` of the original became statements `.1`.
    Run(Tokens, Tokens),
    Inner(Vec<Edit>),
}

impl Edit {
    fn weight(&self) -> usize {
        self.from.len() + self.to.len() + 1
    }
}

/// The statements of two containers of one kind.
struct List<'o, 'n> {
    old: Vec<Node<'o>>,
    new: Vec<Node<'n>>,
    old_bounds: Tokens,
    new_bounds: Tokens,
    /// The scope of a declaration in the list ends with the list.
    is_scope: bool,
}

impl<'o, 'n> List<'o, 'n> {
    fn new(original: &Source, patched: &Source, old: Node<'o>, new: Node<'n>) -> Self {
        let is_scope = old.kind() == "compound_statement";
        Self {
            old: statements(old),
            new: statements(new),
            old_bounds: bounds(original, old),
            new_bounds: bounds(patched, new),
            is_scope,
        }
    }
}

pub(super) fn statements<'t>(container: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = container.walk();
    let nodes: Vec<_> = container.children(&mut cursor).collect();
    let mut colon = container.kind() != "case_statement";
    let mut found = Vec::new();
    for (index, node) in nodes.into_iter().enumerate() {
        let is_part = container.field_name_for_child(index as u32).is_some();
        if colon && !is_part && node.is_named() && node.kind() != "comment" {
            found.push(node);
        }
        colon |= node.kind() == ":";
    }
    found
}

/// The tokens that the statements of a container may occupy.
pub(super) fn bounds(source: &Source, container: Node) -> Tokens {
    let span = source.span(container);
    let child = |kind: &str| children(container).into_iter().find(|n| n.kind() == kind);
    match container.kind() {
        "compound_statement" => interior(span),
        "case_statement" => {
            let start = child(":").map_or(span.end, |colon| source.span(colon).end);
            start..span.end
        }
        _ => {
            let ends = |i: &usize| source.at(*i).kind == super::token::TokenKind::EndOfDirective;
            let start = span.clone().find(ends).map_or(span.end, |i| i + 1);
            let end = container
                .child_by_field_name("alternative")
                .or_else(|| child("#endif"))
                .map_or(span.end, |n| source.span(n).start);
            start..end.max(start)
        }
    }
}

fn field_of(parent: Node, child: Node) -> Option<&'static str> {
    let index = (0..parent.child_count()).find(|i| parent.child(*i) == Some(child))?;
    parent.field_name_for_child(index as u32)
}

fn has_call(node: Node) -> bool {
    node.kind() == "call_expression" || children(node).into_iter().any(has_call)
}

/// Whether this declarator of a declaration makes a variable of a type to which values can be cast:
/// a pointer, or a number of a type that the language names.
fn is_scalar(declaration: Node, init: Node) -> bool {
    let kind = |of: Node, field| of.child_by_field_name(field).map_or("", |node| node.kind());
    let number = matches!(kind(declaration, "type"), "primitive_type" | "sized_type_specifier");
    let Some(declarator) = init.child_by_field_name("declarator") else { return false };
    match declarator.kind() {
        "identifier" => number,
        "pointer_declarator" => kind(declarator, "declarator") == "identifier",
        _ => false,
    }
}

fn operator<'t>(node: Node<'t>) -> &'t str {
    node.child_by_field_name("operator").map_or("", |n| n.kind())
}

fn is_logical(node: Node) -> bool {
    matches!(operator(node), "&&" | "||")
}

fn is_negation(node: Node) -> bool {
    operator(node) == "!"
}
