//! What a patch changes at file scope.
//!
//! Only some revisions may have an item (an added function, variable, include, ...). It is given to
//! all revisions if that changes nothing for the others: no other revision may have a token with a
//! name that the item defines. An item that a revision lacks stays if that revision has no token
//! with its name.

use tree_sitter::Node;

use super::{
    change::{ChangeKind, Edit},
    edit::{self, Granularity, Hoist},
    source::{Source, Tokens, descendants, same},
};

/// A part of a text at file scope that one revision may have and another lack.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Item {
    /// Token range, in the text that has the item.
    pub(super) tokens: Tokens,
    /// Names that it defines.
    pub(super) names: Vec<Name>,
    pub(super) sort: Sort,
}

/// A name with its name space (C17 6.2.3).
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Name {
    pub(super) space: Space,
    pub(super) text: String,
}

#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Space {
    /// A macro: replaces any token with its name.
    Macro,
    /// Follows `struct`, `union` or `enum`.
    Tag,
    Ordinary,
}

/// What an item at file scope is, where this matters for its presence.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Sort {
    Include,
    Macro,
    Declaration,
    Function,
    /// Of unknown effect.
    Other,
}

/// All that a patched text changes.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) edits: Vec<Edit>,
    /// Items of the patched text that the original lacks.
    pub(super) added: Vec<Item>,
    /// Items of the original that the patched text lacks.
    pub(super) removed: Vec<Item>,
}

/// Compares two texts of a file.
pub(super) fn compare(
    original: &Source,
    patched: &Source,
    granularity: Granularity,
) -> Result<Changes, Hoist> {
    let mut comparison = Comparison { original, patched, granularity, changes: Changes::default() };
    comparison.list(original.tree.root_node(), patched.tree.root_node())?;
    Ok(comparison.changes)
}

struct Comparison<'a> {
    original: &'a Source,
    patched: &'a Source,
    granularity: Granularity,
    changes: Changes,
}

/// A node of a list at file scope with all tokens up to the next node, such as its `;` or the end
/// of its directive.
#[derive(Clone)]
struct Placed<'t> {
    node: Node<'t>,
    tokens: Tokens,
}

impl Comparison<'_> {
    fn list(&mut self, old: Node, new: Node) -> Result<(), Hoist> {
        let (old_bounds, new_bounds) = (bounds(self.original, old), bounds(self.patched, new));
        let olds = places(self.original, old, &old_bounds);
        let news = places(self.patched, new, &new_bounds);
        let (mut i, mut j) = (0, 0);
        for (next_i, next_j) in self.pairs(&olds, &news) {
            self.gap(&olds[i..next_i], &news[j..next_j], olds[next_i].tokens.start);
            self.pair(&olds[next_i], &news[next_j])?;
            (i, j) = (next_i + 1, next_j + 1);
        }
        self.gap(&olds[i..], &news[j..], old_bounds.end);
        Ok(())
    }

    /// Records items without a partner; the new ones are added where the old ones end.
    fn gap(&mut self, olds: &[Placed], news: &[Placed], end: usize) {
        for place in olds {
            let from = place.tokens.clone();
            self.changes.removed.push(item(self.original, place));
            self.edit(ChangeKind::Removed, from, 0..0);
        }
        if let (Some(first), Some(last)) = (news.first(), news.last()) {
            self.changes.added.extend(news.iter().map(|place| item(self.patched, place)));
            self.edit(ChangeKind::Added, end..end, first.tokens.start..last.tokens.end);
        }
    }

    fn edit(&mut self, kind: ChangeKind, from: Tokens, to: Tokens) {
        let (body, patched_body) = (from.clone(), to.clone());
        // An item added after the last one can belong to nothing but the list of the whole file.
        let to_end = kind == ChangeKind::Added && from.start == self.original.length();
        self.changes.edits.push(Edit { kind, from, to, to_end, body, patched_body });
    }

    fn pair(&mut self, old: &Placed, new: &Placed) -> Result<(), Hoist> {
        if self.same(old, new) {
            return Ok(());
        }
        if old.node.kind() == "function_definition" {
            let (original, patched) = (self.original, self.patched);
            let edits = edit::function(original, old.node, patched, new.node, self.granularity)?;
            self.changes.edits.extend(edits);
            return Ok(());
        }
        self.list(old.node, new.node)?;
        let alternative = |source: &Source, node| Placed { node, tokens: source.span(node) };
        let (Some(a), Some(b)) = (
            old.node.child_by_field_name("alternative"),
            new.node.child_by_field_name("alternative"),
        ) else {
            return Ok(());
        };
        let (a, b) = (alternative(self.original, a), alternative(self.patched, b));
        if self.same(&a, &b) || self.fit(&a, &b) {
            return self.pair(&a, &b);
        }
        let line = new.node.start_position().row + 1;
        Err(Hoist { line, reason: "an #else or #elif at file scope changes" })
    }

    fn same(&self, old: &Placed, new: &Placed) -> bool {
        same(self.original, &old.tokens, self.patched, &new.tokens)
    }

    /// Whether two items are one item that changed inside.
    fn fit(&self, old: &Placed, new: &Placed) -> bool {
        if old.node.kind() != new.node.kind() {
            return false;
        }
        let inner = |source: &Source, place: &Placed| match place.node.kind() {
            "function_definition" => {
                place.node.child_by_field_name("body").map(|body| source.span(body))
            }
            kind if kind.starts_with("preproc_if") || kind.starts_with("preproc_el") => {
                Some(bounds(source, place.node))
            }
            _ => None,
        };
        let alternative = |n: &Placed| n.node.child_by_field_name("alternative").is_some();
        let (Some(a), Some(b)) = (inner(self.original, old), inner(self.patched, new)) else {
            return false;
        };
        alternative(old) == alternative(new)
            && same(
                self.original,
                &(old.tokens.start..a.start),
                self.patched,
                &(new.tokens.start..b.start),
            )
    }

    /// The indices of the items that correspond, in order: the alignment that leaves the fewest
    /// tokens out.
    fn pairs(&self, olds: &[Placed], news: &[Placed]) -> Vec<(usize, usize)> {
        let prefix = olds.iter().zip(news).take_while(|(a, b)| self.same(a, b)).count();
        let rest = olds.len().min(news.len()) - prefix;
        let suffix = olds.iter().rev().zip(news.iter().rev()).take(rest);
        let suffix = suffix.take_while(|(a, b)| self.same(a, b)).count();
        let (n, m) = (olds.len() - suffix, news.len() - suffix);
        let width = m - prefix + 1;
        // The most tokens of the items from (i, j) on that can stay; equal items count twice.
        let mut kept = vec![0; (n - prefix + 1) * width];
        let at = |i: usize, j: usize| (i - prefix) * width + j - prefix;
        let worth = |i: usize, j: usize| match (&olds[i], &news[j]) {
            (a, b) if self.same(a, b) => 2 * a.tokens.len(),
            (a, b) if self.fit(a, b) => a.tokens.len().max(1),
            _ => 0,
        };
        for i in (prefix..n).rev() {
            for j in (prefix..m).rev() {
                let paired = match worth(i, j) {
                    0 => 0,
                    tokens => tokens + kept[at(i + 1, j + 1)],
                };
                kept[at(i, j)] = paired.max(kept[at(i + 1, j)]).max(kept[at(i, j + 1)]);
            }
        }
        let mut pairs: Vec<_> = (0..prefix).map(|i| (i, i)).collect();
        let (mut i, mut j) = (prefix, prefix);
        while i < n && j < m {
            let tokens = worth(i, j);
            if tokens > 0 && kept[at(i, j)] == tokens + kept[at(i + 1, j + 1)] {
                pairs.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if kept[at(i, j)] == kept[at(i + 1, j)] {
                i += 1;
            } else {
                j += 1;
            }
        }
        pairs.extend((0..suffix).map(|k| (n + k, m + k)));
        pairs
    }
}

fn bounds(source: &Source, node: Node) -> Tokens {
    match node.kind() {
        "translation_unit" => 0..source.length(),
        _ => edit::bounds(source, node),
    }
}

fn places<'t>(source: &Source, list: Node<'t>, bounds: &Tokens) -> Vec<Placed<'t>> {
    let nodes = edit::statements(list);
    let starts: Vec<usize> = nodes
        .iter()
        .enumerate()
        // What precedes the first node (a stray `;`) belongs to it.
        .map(|(i, n)| if i == 0 { bounds.start } else { source.span(*n).start })
        .chain([bounds.end])
        .collect();
    nodes
        .into_iter()
        .zip(starts.windows(2))
        .map(|(node, ends)| Placed { node, tokens: ends[0]..ends[1].max(ends[0]) })
        .collect()
}

fn item(source: &Source, place: &Placed) -> Item {
    let node = place.node;
    let (sort, declarators) = match node.kind() {
        "preproc_include" => (Sort::Include, Vec::new()),
        "preproc_def" | "preproc_function_def" => {
            (Sort::Macro, node.child_by_field_name("name").into_iter().collect())
        }
        "function_definition" => {
            (Sort::Function, node.child_by_field_name("declarator").into_iter().collect())
        }
        "declaration" | "type_definition" => {
            let mut cursor = node.walk();
            (Sort::Declaration, node.children_by_field_name("declarator", &mut cursor).collect())
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            (Sort::Declaration, Vec::new())
        }
        _ => (Sort::Other, Vec::new()),
    };
    let space = if sort == Sort::Macro { Space::Macro } else { Space::Ordinary };
    let name = |space, text: &str| Name { space, text: text.to_owned() };
    let mut names: Vec<Name> = declarators
        .iter()
        .filter_map(|d| declared_name(*d, source))
        .map(|text| name(space, text))
        .collect();
    if sort == Sort::Declaration {
        for inner in descendants(node, &|_| true) {
            let space = match inner.kind() {
                "enumerator" => Space::Ordinary,
                "struct_specifier" | "union_specifier" | "enum_specifier"
                    if inner.child_by_field_name("body").is_some() =>
                {
                    Space::Tag
                }
                _ => continue,
            };
            let inner = inner.child_by_field_name("name");
            names.extend(inner.map(|n| name(space, &source.text[n.byte_range()])));
        }
    }
    let is_sound = !node.has_error() && (!names.is_empty() || sort == Sort::Include);
    Item { tokens: place.tokens.clone(), names, sort: if is_sound { sort } else { Sort::Other } }
}

/// The name inside a declarator (C17 6.7.6).
fn declared_name<'s>(declarator: Node, source: &'s Source) -> Option<&'s str> {
    let mut node = declarator;
    loop {
        match node.kind() {
            "identifier" | "type_identifier" | "primitive_type" => {
                return Some(&source.text[node.byte_range()]);
            }
            "parenthesized_declarator" | "attributed_declarator" => node = node.named_child(0)?,
            _ => node = node.child_by_field_name("declarator")?,
        }
    }
}
