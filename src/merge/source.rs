//! A C text with its tokens and its syntax tree.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
};

use tree_sitter::{Node, Parser, Tree};

use super::token::{self, Kind, Token};

/// A range of token indices.
pub(super) type Tokens = Range<usize>;

#[derive(Clone)]
pub(super) struct Source {
    pub(super) text: String,
    pub(super) tokens: Vec<Token>,
    pub(super) tree: Tree,
    /// Names that `#define` gives a meaning in this text.
    pub(super) macros: HashSet<String>,
    /// Of the tokens, in their order.
    digest: u64,
}

impl Source {
    pub(super) fn new(text: String) -> Self {
        let mut parser = Parser::new();
        // Both crates are pinned to one grammar version, and nothing cancels the parser.
        parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar's version fits");
        let tree = parser.parse(&text, None).expect("parsing is not cancelled");
        let tokens = token::tokens(&text);
        let macros = tokens
            .windows(3)
            .filter(|w| w[0].text(&text) == "#" && w[1].text(&text) == "define")
            .map(|w| w[2].text(&text).to_owned())
            .collect();
        let mut words = DefaultHasher::new();
        tokens.iter().for_each(|token| token.text(&text).hash(&mut words));
        Self { digest: words.finish(), text, tokens, tree, macros }
    }

    /// Whether another text has the same tokens.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        let whole = |source: &Self| 0..source.tokens.len();
        self.digest == other.digest && same(self, &whole(self), other, &whole(other))
    }

    pub(super) fn token(&self, index: usize) -> &str {
        self.tokens[index].text(&self.text)
    }

    pub(super) fn words(&self, range: Tokens) -> impl Iterator<Item = &str> {
        self.tokens[range].iter().map(|t| t.text(&self.text))
    }

    /// The tokens that a node covers.
    pub(super) fn span(&self, node: Node) -> Tokens {
        let index = |byte| self.tokens.partition_point(|t| t.start < byte);
        index(node.start_byte())..index(node.end_byte())
    }

    /// The bytes from the first to the last token of a range that is not empty.
    pub(super) fn bytes(&self, range: &Tokens) -> Range<usize> {
        self.tokens[range.start].start..self.tokens[range.end - 1].end
    }

    /// The text of a range of tokens, layout and comments between them included.
    pub(super) fn slice(&self, range: &Tokens) -> &str {
        if range.is_empty() { "" } else { &self.text[self.bytes(range)] }
    }

    /// Line of a token, from 1; past the end, the last line.
    pub(super) fn line(&self, token: usize) -> usize {
        let offset = self.tokens.get(token).map_or(self.text.len(), |t| t.start);
        token::line_of(&self.text, offset)
    }

    /// Blanks that the line of a token starts with.
    pub(super) fn indent(&self, token: usize) -> &str {
        let start = self.tokens.get(token).map_or(self.text.len(), |t| t.start);
        let line = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let blanks = self.text[line..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
        &self.text[line..(line + blanks).min(start)]
    }

    pub(super) fn is_balanced(&self, range: &Tokens) -> bool {
        token::is_balanced(&self.text, &self.tokens[range.clone()])
    }

    pub(super) fn has_directive(&self, range: &Tokens) -> bool {
        self.tokens[range.clone()].iter().any(|t| t.kind == Kind::EndOfDirective)
    }

    /// The syntax errors: line and what it says there.
    pub(super) fn errors(&self) -> Vec<(usize, String)> {
        let mut errors = Vec::new();
        for node in descendants(self.tree.root_node(), &|n| n.has_error()) {
            if node.is_missing() {
                let line = node.start_position().row + 1;
                errors.push((line, format!("`{}` is missing", node.kind())));
            } else if node.is_error() {
                let line = node.start_position().row + 1;
                let text = self.text[node.byte_range()].lines().next().unwrap_or_default();
                errors.push((line, format!("`{}` cannot be parsed", text.trim())));
            }
        }
        errors
    }
}

/// Whether two ranges hold the same tokens.
pub(super) fn same(a: &Source, a_range: &Tokens, b: &Source, b_range: &Tokens) -> bool {
    a_range.len() == b_range.len() && a.words(a_range.clone()).eq(b.words(b_range.clone()))
}

/// The children that stand for tokens, without comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children(&mut node.walk()).filter(|n| n.kind() != "comment").collect()
}

/// The named children without comments.
pub(super) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    children(node).into_iter().filter(Node::is_named).collect()
}

/// A node and what is below it, in preorder, entering only nodes that `enter` accepts.
pub(super) fn descendants<'t>(node: Node<'t>, enter: &dyn Fn(Node<'t>) -> bool) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        found.push(node);
        if enter(node) {
            stack.extend(node.children(&mut node.walk()).collect::<Vec<_>>().into_iter().rev());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_token_ranges() {
        let source = Source::new("int f(void) { /* x */ return 1; }\n".into());
        let function = source.tree.root_node().child(0).unwrap();
        let body = function.child_by_field_name("body").unwrap();
        assert_eq!(source.slice(&source.span(body)), "{ /* x */ return 1; }");
        assert_eq!(
            source.words(source.span(body)).collect::<Vec<_>>(),
            ["{", "return", "1", ";", "}"]
        );
        assert!(source.errors().is_empty());
    }

    #[test]
    fn syntax_errors_have_lines() {
        let source = Source::new("int a;\nint f(void) {\n  return 1\n}\n".into());
        assert_eq!(source.errors(), [(3, "`;` is missing".into())]);
        let source = Source::new("int a;\nint f(void) {\n  if (a >> ) return 1;\n}\n".into());
        assert_eq!(source.errors().len(), 1);
        assert_eq!(source.errors()[0].0, 3);
    }
}
