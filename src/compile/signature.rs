//! Reads the signature of a C function from its source text.

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    ops::RangeInclusive,
};

use tree_sitter::{Node, Parser, Tree};

/// A function definition's signature.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Signature {
    pub(super) returns: Type,
    pub(super) parameters: Vec<Parameter>,
    /// The type of the function as it was read, without a name, such as `int (const char *, ...)`.
    /// What the preprocessor makes of the source may be another.
    pub(super) ty: String,
}

/// One parameter.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Parameter {
    /// `argN`, counted from 1, if the source gives none.
    pub(super) name: String,
    pub(super) ty: Type,
}

/// A type, in as much detail as a harness needs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Type {
    Void,
    /// Anything that can be declared as `TEXT name` and is not a pointer. A `typedef` for a type
    /// made of keywords alone is replaced by that type, if the file has only one for the name.
    Scalar(String),
    /// A pointer or array parameter. It is declared as `element`, the name, `dimensions`.
    Pointer {
        element: String,
        /// `[3][4]` for a parameter `int a[][3][4]`.
        dimensions: String,
        /// The callee promises not to write through it.
        constant: bool,
        /// The first dimension of an array parameter: the length that the author expects.
        length: Option<u32>,
    },
    /// A type that a harness can neither make nor show; the text is for the message.
    Other(String),
}

/// Why a signature could not be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    NotFound {
        functions: Vec<String>,
    },
    OldStyle,
    /// There are definitions with different signatures, in branches of `#if`.
    Several,
}

/// A function that a source defines.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The lines of its definition, from 1.
    pub lines: RangeInclusive<usize>,
}

/// The functions that a source defines, in its order. If several have the same name (in `#if` and
/// `#else`), only the first counts.
pub fn functions(source: &str) -> Vec<Function> {
    let tree = parse(source);
    let file = File::new(source, tree.as_ref());
    let function = |(name, node): (String, Node<'_>)| {
        let lines = node.start_position().row + 1..=node.end_position().row + 1;
        Function { name, lines }
    };
    let mut all: Vec<Function> = file.functions.into_iter().map(function).collect();
    all.sort_by_key(|function| *function.lines.start());
    all
}

/// A parameter that points to as many elements as its caller likes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pointer {
    /// The name of the parameter.
    pub name: String,
    /// Whether it points to characters.
    pub is_text: bool,
}

/// The parameters of a function that point to something, without arrays that have a length; `None`
/// if the source has no such function.
pub fn pointers(source: &str, function: &str) -> Option<Vec<Pointer>> {
    let signature = signature(source, function).ok()?;
    let pointer = |parameter: Parameter| match parameter.ty {
        Type::Pointer { element, length: None, .. } => {
            Some(Pointer { name: parameter.name, is_text: is_char(&element) })
        }
        _ => None,
    };
    Some(signature.parameters.into_iter().filter_map(pointer).collect())
}

/// The keywords of which the types of numbers are made.
pub(super) const NUMBERS: [&str; 9] =
    ["_Bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned"];

/// Whether the type of a number is made of keywords alone.
pub(super) fn is_plain(ty: &str) -> bool {
    ty.split_whitespace().all(|word| NUMBERS.contains(&word))
}

/// The types of numbers that `stdint.h`, `stddef.h` and `stdbool.h` name, by keywords.
const STANDARD: [(&str, &str); 15] = [
    ("bool", "_Bool"),
    ("int8_t", "signed char"),
    ("int16_t", "short"),
    ("int32_t", "int"),
    ("int64_t", "long"),
    ("intmax_t", "long"),
    ("intptr_t", "long"),
    ("ptrdiff_t", "long"),
    ("size_t", "unsigned long"),
    ("uint8_t", "unsigned char"),
    ("uint16_t", "unsigned short"),
    ("uint32_t", "unsigned int"),
    ("uint64_t", "unsigned long"),
    ("uintmax_t", "unsigned long"),
    ("uintptr_t", "unsigned long"),
];

/// The type of a number in keywords alone, which every source understands; `None` if what the type
/// is depends on the source.
pub(super) fn in_keywords(ty: &str) -> Option<&str> {
    let standard = || STANDARD.iter().find(|(name, _)| *name == ty).map(|(_, ty)| *ty);
    if is_plain(ty) { Some(ty) } else { standard() }
}

/// Whether a type is a character type.
pub(super) fn is_char(element: &str) -> bool {
    matches!(element, "char" | "signed char" | "unsigned char")
}

/// The names that a source calls.
pub fn calls(source: &str) -> BTreeSet<String> {
    let tree = parse(source);
    let mut open: Vec<Node<'_>> = tree.iter().map(Tree::root_node).collect();
    let mut called = BTreeSet::new();
    while let Some(node) = open.pop() {
        if node.kind() == "call_expression"
            && let Some(function) = node.child_by_field_name("function")
            && function.kind() == "identifier"
        {
            called.insert(source[function.byte_range()].to_owned());
        }
        open.extend((0..node.child_count()).filter_map(|index| node.child(index)));
    }
    called
}

fn parse(source: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_c::LANGUAGE.into()).ok()?;
    parser.parse(source, None)
}

/// Finds the definition of `function` in `source`.
pub(super) fn signature(source: &str, function: &str) -> Result<Signature, Unreadable> {
    let tree = parse(source);
    let file = File::new(source, tree.as_ref());
    match file.functions.get(function) {
        Some(definition) => {
            let signature = file.signature(*definition)?;
            let others = file.others.iter().filter(|(name, _)| name == function);
            let mut others = others.map(|(_, other)| file.signature(*other));
            match others.all(|other| other.is_ok_and(|other| other == signature)) {
                true => Ok(signature),
                false => Err(Unreadable::Several),
            }
        }
        None => Err(Unreadable::NotFound { functions: file.functions.into_keys().collect() }),
    }
}

struct File<'s, 't> {
    source: &'s str,
    functions: BTreeMap<String, Node<'t>>,
    /// Further definitions of the same names.
    others: Vec<(String, Node<'t>)>,
    /// `typedef`s by name.
    types: BTreeMap<String, Node<'t>>,
    /// The names with several `typedef`s. Only the preprocessor can say which one counts.
    ambiguous: BTreeSet<String>,
}

impl<'s, 't> File<'s, 't> {
    fn new(source: &'s str, tree: Option<&'t Tree>) -> Self {
        let mut file = Self {
            source,
            functions: BTreeMap::new(),
            others: Vec::new(),
            types: BTreeMap::new(),
            ambiguous: BTreeSet::new(),
        };
        if let Some(tree) = tree {
            file.collect(tree.root_node());
        }
        file
    }

    /// Finds definitions, also inside `#if` and `extern "C"`. The first one with a name counts.
    fn collect(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "function_definition" => {
                    let declarator = child.child_by_field_name("declarator");
                    let Some(name) = declarator.and_then(|d| self.declared_name(d)) else {
                        continue;
                    };
                    match self.functions.entry(name) {
                        Entry::Vacant(place) => _ = place.insert(child),
                        Entry::Occupied(place) => self.others.push((place.key().clone(), child)),
                    }
                }
                "type_definition" => {
                    let mut fields = child.walk();
                    for declarator in child.children_by_field_name("declarator", &mut fields) {
                        let Some(name) = self.declared_name(declarator) else { continue };
                        match self.types.entry(name) {
                            Entry::Vacant(place) => _ = place.insert(child),
                            Entry::Occupied(place) => {
                                _ = self.ambiguous.insert(place.key().clone())
                            }
                        }
                    }
                }
                _ => self.collect(child),
            }
        }
    }

    fn text(&self, node: Node) -> &'s str {
        &self.source[node.byte_range()]
    }

    /// The identifier inside a declarator.
    fn declared_name(&self, declarator: Node) -> Option<String> {
        match declarator.kind() {
            "identifier" | "type_identifier" => Some(self.text(declarator).to_owned()),
            "parameter_list" => None,
            _ => {
                let mut cursor = declarator.walk();
                let inner = declarator.child_by_field_name("declarator");
                let mut children = declarator.named_children(&mut cursor);
                inner
                    .and_then(|d| self.declared_name(d))
                    .or_else(|| children.find_map(|d| self.declared_name(d)))
            }
        }
    }

    fn signature(&self, definition: Node<'t>) -> Result<Signature, Unreadable> {
        let mut declarator = definition.child_by_field_name("declarator");
        let (mut stars, mut qualified) = (0, definition);
        while let Some(node) = declarator.filter(|d| d.kind() != "function_declarator") {
            if node.kind() == "pointer_declarator" {
                (stars, qualified) = (stars + 1, node);
            }
            declarator = node.child_by_field_name("declarator").or_else(|| node.named_child(0));
        }
        let Some(declarator) = declarator else { return Err(Unreadable::OldStyle) };
        let list = declarator.child_by_field_name("parameters");
        let mut cursor = definition.walk();
        let old_style = definition.children(&mut cursor).any(|c| c.kind() == "declaration");
        let mut parameters = Vec::new();
        let mut types = Vec::new();
        if let Some(list) = list {
            let mut cursor = list.walk();
            for parameter in list.named_children(&mut cursor) {
                match parameter.kind() {
                    "parameter_declaration" => {
                        let number = parameters.len() + 1;
                        let read = self.parameter(parameter, number);
                        types.push(self.full(parameter, &read.ty));
                        parameters.push(read);
                    }
                    "variadic_parameter" => types.push("...".to_owned()),
                    "identifier" => return Err(Unreadable::OldStyle),
                    _ => {}
                }
            }
        }
        if old_style {
            return Err(Unreadable::OldStyle);
        }
        if matches!(&parameters[..], [Parameter { ty: Type::Void, .. }]) {
            parameters.clear();
        }
        let returns = self.base(definition, stars);
        // Qualifiers of a result mean nothing, but are a part of the type.
        let qualifiers = match &returns {
            Type::Pointer { .. } => self.qualifiers(qualified),
            _ => self.qualifiers(definition),
        };
        let result = self.full(definition, &returns);
        let ty = format!("{result} {qualifiers}({})", types.join(", "));
        Ok(Signature { returns, parameters, ty })
    }

    /// The type of a declaration, of which `read` is what a harness needs, as C has it without a
    /// name. It has the qualifiers of what a pointer points to.
    fn full(&self, node: Node<'t>, read: &Type) -> String {
        match read {
            Type::Void => "void".to_owned(),
            Type::Scalar(text) | Type::Other(text) => text.clone(),
            Type::Pointer { element, dimensions, constant, .. } => {
                let constant = if *constant { "const " } else { "" };
                let volatile = if self.has(node, "volatile") { "volatile " } else { "" };
                let pointer = if dimensions.is_empty() { "*" } else { "(*)" };
                format!("{constant}{volatile}{element} {pointer}{dimensions}")
            }
        }
    }

    /// The qualifiers of a declaration or a pointer, each with a space behind it.
    fn qualifiers(&self, node: Node) -> String {
        let words = ["const", "volatile"].into_iter().filter(|word| self.has(node, word));
        words.map(|word| format!("{word} ")).collect()
    }

    fn parameter(&self, node: Node<'t>, number: usize) -> Parameter {
        let declarator = node.child_by_field_name("declarator");
        let name = declarator.and_then(|d| self.declared_name(d));
        let mut stars = 0;
        let mut dimensions = Vec::new();
        let mut inner = declarator;
        while let Some(declarator) = inner {
            match declarator.kind() {
                "pointer_declarator" | "abstract_pointer_declarator" => stars += 1,
                "array_declarator" | "abstract_array_declarator" => {
                    let size = declarator.child_by_field_name("size");
                    dimensions.insert(0, size.map_or("", |size| self.text(size)));
                }
                "identifier" => break,
                kind if kind.contains("parenthesized") => {}
                _ => {
                    let ty = Type::Other(self.text(node).to_owned());
                    return Parameter { name: name.unwrap_or(format!("arg{number}")), ty };
                }
            }
            inner = declarator
                .child_by_field_name("declarator")
                .or_else(|| declarator.named_child(0).filter(|c| c.kind().contains("declarator")));
        }
        let ty = match dimensions.split_first() {
            None => self.base(node, stars),
            Some((first, rest)) => self.array(node, stars, first, rest),
        };
        Parameter { name: name.unwrap_or(format!("arg{number}")), ty }
    }

    fn array(&self, node: Node<'t>, stars: usize, first: &str, rest: &[&str]) -> Type {
        match self.base(node, stars) {
            Type::Scalar(element) => Type::Pointer {
                element,
                dimensions: rest.iter().map(|size| format!("[{size}]")).collect(),
                constant: self.is_const(node),
                length: first.trim_start_matches("static").trim().parse().ok(),
            },
            _ => Type::Other(self.text(node).to_owned()),
        }
    }

    /// The type that the specifiers of a declaration and `stars` name.
    fn base(&self, node: Node<'t>, stars: usize) -> Type {
        let Some(specifier) = node.child_by_field_name("type") else {
            return Type::Scalar("int".to_owned());
        };
        let text = self.text(specifier);
        let resolved = self.resolve(specifier, stars, self.is_const(node), 0);
        match resolved {
            Type::Other(_) => Type::Other(format!("{text} {}", "*".repeat(stars)).trim().into()),
            other => other,
        }
    }

    /// Follows the `typedef`s of this file; any other name counts as a scalar.
    fn resolve(&self, specifier: Node<'t>, stars: usize, constant: bool, depth: usize) -> Type {
        let text = self.text(specifier);
        let definition = self.types.get(text).filter(|_| depth < 16);
        if let (Some(definition), "type_identifier") = (definition, specifier.kind()) {
            let declarator = definition.child_by_field_name("declarator");
            let inner = definition.child_by_field_name("type");
            let (Some(declarator), Some(inner)) = (declarator, inner) else {
                return Type::Other(text.to_owned());
            };
            return match declarator.kind() {
                // `typedef struct { ... } name`: a pointer to it has to use this name.
                "type_identifier" if inner.kind() == "type_identifier" => {
                    let constant = constant || self.is_const(*definition);
                    match self.resolve(inner, stars, constant, depth + 1) {
                        Type::Scalar(inner) => Type::Scalar(self.spelled(text, &inner).to_owned()),
                        other => other,
                    }
                }
                "type_identifier" if is_compound(inner) && stars == 0 => {
                    Type::Other(text.to_owned())
                }
                "type_identifier" => {
                    self.plain(self.spelled(text, self.text(inner)), inner, stars, constant)
                }
                "pointer_declarator"
                    if declarator
                        .child_by_field_name("declarator")
                        .is_some_and(|d| d.kind() == "type_identifier") =>
                {
                    self.resolve(inner, stars + 1, self.is_const(*definition), depth + 1)
                }
                _ => Type::Other(text.to_owned()),
            };
        }
        if stars == 0 && is_compound(specifier) {
            return Type::Other(text.to_owned());
        }
        self.plain(text, specifier, stars, constant)
    }

    /// The text for a type that has a name: the type that it stands for, if that is made of
    /// keywords alone.
    fn spelled<'a>(&self, name: &'a str, stands_for: &'a str) -> &'a str {
        if is_plain(stands_for) && !self.ambiguous.contains(name) { stands_for } else { name }
    }

    /// The type of a specifier that is fully resolved, under `stars`.
    fn plain(&self, text: &str, specifier: Node, stars: usize, constant: bool) -> Type {
        // `struct s { ... } *p`: only the tag may be repeated.
        let text = match specifier.child_by_field_name("body") {
            Some(body) if text == self.text(specifier) => {
                self.source[specifier.start_byte()..body.start_byte()].trim()
            }
            _ => text,
        };
        let void = self.text(specifier) == "void";
        match stars {
            0 if void => Type::Void,
            0 => Type::Scalar(text.to_owned()),
            1 => Type::Pointer {
                element: if void { "void".to_owned() } else { text.to_owned() },
                dimensions: String::new(),
                constant,
                length: None,
            },
            _ => Type::Other(text.to_owned()),
        }
    }

    /// Whether `const` is among the specifiers: then what is pointed to is not written.
    fn is_const(&self, node: Node) -> bool {
        self.has(node, "const")
    }

    /// Whether a declaration or a pointer has a qualifier.
    fn has(&self, node: Node, qualifier: &str) -> bool {
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .any(|c| c.kind() == "type_qualifier" && self.text(c).contains(qualifier))
    }
}

fn is_compound(specifier: Node) -> bool {
    matches!(specifier.kind(), "struct_specifier" | "union_specifier")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Signature {
        signature(source, "f").unwrap_or_else(|error| panic!("{source}: {error:?}"))
    }

    fn scalar(name: &str, ty: &str) -> Parameter {
        Parameter { name: name.into(), ty: Type::Scalar(ty.into()) }
    }

    fn pointer(name: &str, element: &str, constant: bool) -> Parameter {
        let ty = Type::Pointer {
            element: element.into(),
            dimensions: String::new(),
            constant,
            length: None,
        };
        Parameter { name: name.into(), ty }
    }

    #[test]
    fn scalars_of_every_spelling() {
        let read = read(
            "typedef unsigned u;\ntypedef u w;\n#if 1\ntypedef int v;\n#else\ntypedef long v;\n#endif\n\
             #if 1\nstatic inline u f(const int a, unsigned long long b, \
             double, size_t d, enum e e, register char g, w h, v i) { return 0; }\n#endif",
        );
        assert_eq!(read.returns, Type::Scalar("unsigned".into()));
        let expected = [
            scalar("a", "int"),
            scalar("b", "unsigned long long"),
            scalar("arg3", "double"),
            scalar("d", "size_t"),
            scalar("e", "enum e"),
            scalar("g", "char"),
            scalar("h", "unsigned"),
            scalar("i", "v"),
        ];
        assert_eq!(read.parameters, expected);
    }

    #[test]
    fn nothing_in_and_out() {
        for source in ["void f(void) {}", "void f() {}"] {
            let read = read(source);
            assert_eq!((read.returns, read.parameters), (Type::Void, vec![]));
        }
    }

    #[test]
    fn pointers_and_arrays() {
        let read = read(
            "typedef char *string; typedef struct { int x; } pair;\n\
             char *f(const char *s, int *p, string t, pair *q, void *v, int const *c) {}",
        );
        let expected = [
            pointer("s", "char", true),
            pointer("p", "int", false),
            pointer("t", "char", false),
            pointer("q", "pair", false),
            pointer("v", "void", false),
            pointer("c", "int", true),
        ];
        assert_eq!(read.parameters, expected);
        assert_eq!(read.returns, pointer("", "char", false).ty);
    }

    #[test]
    fn array_parameters_keep_their_dimensions() {
        let array = |dimensions: &str, length| Type::Pointer {
            element: "int".into(),
            dimensions: dimensions.into(),
            constant: false,
            length,
        };
        let types = read("void f(int a[], int b[10], int c[2][3]) {}").parameters;
        let types = types.into_iter().map(|p| p.ty).collect::<Vec<_>>();
        assert_eq!(types, [array("", None), array("", Some(10)), array("[3]", Some(2))]);
    }

    #[test]
    fn what_a_harness_cannot_make() {
        let source = "typedef struct { int x; } pair; typedef int (*callback)(int);\n\
            void f(pair a, struct s b, char **c, int (*d)(int), callback e, int *g[3]) {}";
        for parameter in read(source).parameters {
            assert!(matches!(parameter.ty, Type::Other(_)), "{parameter:?}");
        }
    }

    #[test]
    fn definitions_of_old_and_unknown_functions() {
        assert!(matches!(
            signature("int f(a) int a; { return a; }", "f"),
            Err(Unreadable::OldStyle)
        ));
        let Err(Unreadable::NotFound { functions }) = signature("int g() {} int h() {}", "f")
        else {
            panic!("found")
        };
        assert_eq!(functions, ["g", "h"]);
    }

    #[test]
    fn signatures_that_differ_are_for_the_preprocessor() {
        let source = |one: &str, other: &str| format!("#ifdef A\n{one}\n#else\n{other}\n#endif\n");
        let same = source("static int f(int  x) { return 1; }", "int f(int x) { return 2; }");
        assert_eq!(read(&same).parameters, [scalar("x", "int")]);
        for other in ["long f(int x) { return 2; }", "int f(int y) { return 2; }"] {
            let other = source("int f(int x) { return 1; }", other);
            assert!(matches!(signature(&other, "f"), Err(Unreadable::Several)));
        }
    }

    #[test]
    fn the_type_of_a_function_is_that_of_its_head() {
        let ty = |source: &str| read(source).ty;
        assert_eq!(ty("static int f(void) {}"), "int (void)");
        assert_eq!(ty("int f() {}"), "int ()");
        assert_eq!(ty("static const int f(const int x) {}"), "int const (int)");
        assert_eq!(ty("char *const f(char *const s) {}"), "char * const (char *)");
        assert_eq!(
            ty("const char *f(const char *s, volatile int v[], int m[2][3], long n, ...) {}"),
            "const char * (const char *, volatile int *, int (*)[3], long, ...)"
        );
    }
}
