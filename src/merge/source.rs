//! A C text with its tokens and its syntax tree.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    ops::Range,
    sync::Arc,
};

use tree_sitter::{InputEdit, Node, Parser, Point, Tree};

use super::token::{self, Sequence, Token, TokenKind};

/// A range of token indices.
pub(super) type Tokens = Range<usize>;

#[derive(Clone)]
pub(super) struct Source {
    pub(super) text: Arc<str>,
    tokens: Sequence,
    pub(super) tree: Tree,
    /// The names of the macros that this text defines.
    pub(super) macros: HashSet<String>,
    /// A hash of the tokens, in order.
    digest: u64,
}

impl Source {
    pub(super) fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let tokens = Sequence::from(token::tokens(&text));
        let tree = parse(&text, None);
        Self::made_of(text, tokens, tree)
    }

    /// Another text of the same file. What the two texts have in common is parsed and stored once.
    pub(super) fn patched(&self, text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let tokens = Sequence::sharing(&self.tokens, &self.text, token::tokens(&text), &text);
        let mut old = self.tree.clone();
        old.edit(&edit(&self.text, &text));
        let tree = parse(&text, Some(&old));
        // How a syntax error affects its surroundings may depend on where parsing began.
        let is_worse = tree.root_node().has_error() && !self.tree.root_node().has_error();
        let tree = if is_worse { parse(&text, None) } else { tree };
        Self::made_of(text, tokens, tree)
    }

    fn made_of(text: Arc<str>, tokens: Sequence, tree: Tree) -> Self {
        let word = |index| tokens.at(index).text(&text);
        let defines = |index: &usize| word(*index) == "#" && word(*index + 1) == "define";
        let starts = 0..tokens.len().saturating_sub(2);
        let macros = starts.filter(defines).map(|index| word(index + 2).to_owned()).collect();
        let mut words = DefaultHasher::new();
        (0..tokens.len()).for_each(|index| word(index).hash(&mut words));
        Self { digest: words.finish(), text, tokens, tree, macros }
    }

    /// The number of tokens.
    pub(super) fn length(&self) -> usize {
        self.tokens.len()
    }

    /// The tokens that are not shared with the text from which [`Self::patched`] made this one; all
    /// tokens of a text that shares none.
    pub(super) fn own(&self) -> Tokens {
        self.tokens.own()
    }

    /// The token at `index`, which must be less than [`Self::length`].
    pub(super) fn at(&self, index: usize) -> Token {
        self.tokens.at(index)
    }

    /// Whether another text has the same tokens.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        let whole = |source: &Self| 0..source.length();
        self.digest == other.digest && same(self, &whole(self), other, &whole(other))
    }

    pub(super) fn token(&self, index: usize) -> &str {
        self.at(index).text(&self.text)
    }

    pub(super) fn words(&self, range: Tokens) -> impl Iterator<Item = &str> {
        range.map(|index| self.token(index))
    }

    /// The tokens that a node covers.
    pub(super) fn span(&self, node: Node) -> Tokens {
        let index = |byte| self.tokens.starting_before(byte);
        index(node.start_byte())..index(node.end_byte())
    }

    /// The bytes from the first to the last token of a range that is not empty.
    pub(super) fn bytes(&self, range: &Tokens) -> Range<usize> {
        self.at(range.start).start..self.at(range.end - 1).end
    }

    /// The text of a range of tokens, layout and comments between them included.
    pub(super) fn slice(&self, range: &Tokens) -> &str {
        if range.is_empty() { "" } else { &self.text[self.bytes(range)] }
    }

    /// The byte where a token starts; past the last token, the end of the text.
    pub(super) fn start(&self, token: usize) -> usize {
        if token < self.length() { self.at(token).start } else { self.text.len() }
    }

    /// The line of a token, from 1; past the last token, the last line.
    pub(super) fn line(&self, token: usize) -> usize {
        let offset = self.start(token);
        token::line_of(&self.text, offset)
    }

    /// The blanks at the start of a token's line.
    pub(super) fn indent(&self, token: usize) -> &str {
        let start = self.start(token);
        let line = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        let blanks = self.text[line..].bytes().take_while(|b| matches!(b, b' ' | b'\t')).count();
        &self.text[line..(line + blanks).min(start)]
    }

    pub(super) fn is_balanced(&self, range: &Tokens) -> bool {
        token::is_balanced(&self.text, range.clone().map(|index| self.at(index)))
    }

    pub(super) fn has_directive(&self, range: &Tokens) -> bool {
        range.clone().any(|index| self.at(index).kind == TokenKind::EndOfDirective)
    }

    /// The syntax errors, each with its line, from 1, and a description.
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

fn parse(text: &str, old: Option<&Tree>) -> Tree {
    let mut parser = Parser::new();
    // Both crates are pinned to one grammar version, and nothing cancels the parser.
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).expect("the grammar's version fits");
    parser.parse(text, old).expect("parsing is not cancelled")
}

/// The single edit that turns `old` into `new`.
fn edit(old: &str, new: &str) -> InputEdit {
    let equal = |(a, b): &(u8, u8)| a == b;
    let mut start = old.bytes().zip(new.bytes()).take_while(equal).count();
    while !old.is_char_boundary(start) {
        start -= 1;
    }
    let rest = (old.len() - start).min(new.len() - start);
    let mut tail = old.bytes().rev().zip(new.bytes().rev()).take(rest).take_while(equal).count();
    while !old.is_char_boundary(old.len() - tail) {
        tail -= 1;
    }
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(old, start),
        old_end_position: point(old, old_end),
        new_end_position: point(new, new_end),
    }
}

fn point(text: &str, byte: usize) -> Point {
    let before = &text.as_bytes()[..byte];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    Point { row: token::line_of(text, byte) - 1, column: byte - line }
}

/// Whether two ranges hold the same tokens.
pub(super) fn same(a: &Source, a_range: &Tokens, b: &Source, b_range: &Tokens) -> bool {
    a_range.len() == b_range.len() && a.words(a_range.clone()).eq(b.words(b_range.clone()))
}

/// The children of a node, without comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.children(&mut node.walk()).filter(|n| n.kind() != "comment").collect()
}

/// The named children of a node, without comments.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nodes_are_token_ranges() {
        let source = Source::new("int f(void) { /* x */ return 1; }\n");
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
        let source = Source::new("int a;\nint f(void) {\n  return 1\n}\n");
        assert_eq!(source.errors(), [(3, "`;` is missing".into())]);
        let source = Source::new("int a;\nint f(void) {\n  if (a >> ) return 1;\n}\n");
        assert_eq!(source.errors().len(), 1);
        assert_eq!(source.errors()[0].0, 3);
    }

    /// Lines that open, close and change the constructs around them.
    fn lines() -> impl Strategy<Value = Vec<&'static str>> {
        let line = prop::sample::select(vec![
            "int f(int x) {",
            "}",
            "if (x > 1) {",
            "x = x + 1;",
            "return \"a/*\";",
            "/* über */ x--;",
            "/*",
            "*/",
            "// a",
            "#define A(x) \\",
            "#if A",
            "#endif",
            "struct s { int a; } b;",
            "",
        ]);
        prop::collection::vec(line, 0..24)
    }

    proptest! {
        #[test]
        fn a_patched_text_is_what_it_is_alone(
            before in lines(), old in lines(), new in lines(), after in lines(),
        ) {
            let text = |middle: &[&str]| [&before, middle, &after].concat().join("\n");
            let original = Source::new(text(&old));
            let (shared, alone) = (original.patched(text(&new)), Source::new(text(&new)));
            let tokens = |s: &Source| (0..s.length()).map(|i| s.at(i)).collect::<Vec<_>>();
            prop_assert_eq!(tokens(&shared), tokens(&alone));
            prop_assert!(shared.same_as(&alone));
            prop_assert_eq!(&shared.macros, &alone.macros);
            for byte in 0..=alone.text.len() {
                let starting_before = alone.tokens.starting_before(byte);
                prop_assert_eq!(shared.tokens.starting_before(byte), starting_before);
            }
            if !alone.tree.root_node().has_error() {
                let shape = |s: &Source| s.tree.root_node().to_sexp();
                prop_assert_eq!(shape(&shared), shape(&alone));
                let ends = |s: &Source| {
                    let nodes = descendants(s.tree.root_node(), &|_| true);
                    nodes.iter().map(|n| (n.range(), n.kind())).collect::<Vec<_>>()
                };
                prop_assert_eq!(ends(&shared), ends(&alone));
            }
        }
    }
}
