//! Rooms, the modules of the crate, depend on each other as docs/architecture.md lists them: each
//! only on those below it. Between the files of a room, imports go one way, too. The sources are
//! parsed; nothing else of the crate takes part.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// A module, by the names on the way to it from the crate.
type Module = Vec<String>;

/// What a file names of the crate, as paths from the crate: modules, or items in modules.
#[derive(Default)]
struct Named {
    own: Module,
    /// Files that only tests have.
    of_tests: BTreeSet<Module>,
    paths: BTreeSet<Module>,
    /// The names that the file exports, and where they are defined.
    exports: BTreeMap<String, Module>,
    /// What names without `crate`, `self` or `super` mean: children, and what is imported.
    names: BTreeMap<String, Module>,
    /// Paths that begin with such a name, or with one of another crate.
    relative: BTreeSet<Vec<String>>,
}

impl Named {
    fn read(file: &Path, own: Module) -> Self {
        let source = syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap();
        let mut named = Self { own, ..Self::default() };
        named.visit_file(&source);
        for path in std::mem::take(&mut named.relative) {
            if let Some(start) = named.names.get(&path[0]) {
                named.paths.insert([start, &path[1..]].concat());
            }
        }
        named
    }

    /// The path from the crate that `path` means in this file; `None` if it leads to another crate,
    /// or to what the file itself has.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let mut at = self.own.clone();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            _ => return None,
        }
        rest = &rest[1..];
        while rest.first().is_some_and(|name| name == "super") {
            at.pop();
            rest = &rest[1..];
        }
        at.extend_from_slice(rest);
        Some(at)
    }

    fn add(&mut self, path: &[String]) {
        // A child can be named without `self`.
        let child = || [&["self".to_owned()], path].concat();
        let absolute = self.absolute(path).or_else(|| self.absolute(&child()));
        self.paths.extend(absolute);
    }

    /// Adds a path in code.
    fn add_path(&mut self, path: Vec<String>) {
        match self.absolute(&path) {
            Some(absolute) => _ = self.paths.insert(absolute),
            None if path.len() > 1 => _ = self.relative.insert(path),
            None => {}
        }
    }

    fn add_tree(&mut self, before: &[String], tree: &syn::UseTree, exported: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            syn::UseTree::Path(path) => self.add_tree(&with(&path.ident), &path.tree, exported),
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(before, tree, exported));
            }
            syn::UseTree::Glob(_) => self.add(before),
            syn::UseTree::Name(name) => self.add_name(&with(&name.ident), &name.ident, exported),
            syn::UseTree::Rename(name) => self.add_name(&with(&name.ident), &name.rename, exported),
        }
    }

    fn add_name(&mut self, path: &[String], name: &syn::Ident, exported: bool) {
        let path = match path {
            [before @ .., last] if last == "self" => before,
            path => path,
        };
        self.add(path);
        let child = || [&["self".to_owned()], path].concat();
        let absolute = self.absolute(path).or_else(|| self.absolute(&child()));
        let Some(absolute) = absolute else { return };
        self.names.insert(name.to_string(), absolute.clone());
        if exported {
            self.exports.insert(name.to_string(), absolute);
        }
    }
}

/// Whether an item is there for tests alone.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    let is_test = |attribute: &syn::Attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test" || condition.starts_with("all (test")
        }
        _ => false,
    };
    attributes.iter().any(is_test)
}

/// The tokens without texts in quotes, which documentation is, too.
fn without_texts(tokens: TokenStream) -> String {
    let of = |token| match token {
        TokenTree::Literal(_) => String::new(),
        TokenTree::Group(group) => format!(" {{{}}} ", without_texts(group.stream())),
        other => other.to_string(),
    };
    tokens.into_iter().map(of).collect::<Vec<_>>().join(" ")
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if is_test(&module.attrs) {
            self.of_tests.insert([&self.own[..], &[module.ident.to_string()]].concat());
        } else {
            let child = [&self.own[..], &[module.ident.to_string()]].concat();
            self.names.insert(module.ident.to_string(), child);
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        if !is_test(&function.attrs) {
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test(&item.attrs) {
            let exported = !matches!(item.vis, syn::Visibility::Inherited);
            self.add_tree(&[], &item.tree, exported);
        }
    }

    // `pub(in path)` names no dependency.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add_path(path.segments.iter().map(|part| part.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let code = without_texts(call.tokens.clone()).replace(" : : ", "::");
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in code.split(|c: char| !is_word(c)) {
            self.add_path(word.split("::").map(str::to_owned).collect());
        }
        visit::visit_macro(self, call);
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn module_of(file: &Path) -> Module {
    let name = |part: &std::ffi::OsStr| part.to_str().unwrap().to_owned();
    let mut module: Module = file.with_extension("").iter().map(name).collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    module
}

/// The modules that are files, and which others each depends on. What only tests have is left out.
fn dependencies() -> BTreeMap<Module, BTreeSet<Module>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut known: BTreeMap<Module, Named> = BTreeMap::new();
    for file in files {
        let module = module_of(file.strip_prefix(&root).unwrap());
        if !matches!(module.as_slice(), [first] if first == "lib" || first == "main") {
            known.insert(module.clone(), Named::read(&file, module));
        }
    }
    let of_tests: BTreeSet<Module> =
        known.values().flat_map(|named| named.of_tests.clone()).collect();
    known.retain(|module, _| !(1..=module.len()).any(|n| of_tests.contains(&module[..n])));
    let depends = |module: &Module, named: &Named| {
        let on = named.paths.iter().filter_map(|path| defining(&known, path));
        on.filter(|other| other != module).collect()
    };
    known.iter().map(|(module, named)| (module.clone(), depends(module, named))).collect()
}

/// The file that defines what `path` leads to, through what other files export.
fn defining(known: &BTreeMap<Module, Named>, path: &[String]) -> Option<Module> {
    let module =
        (1..=path.len()).rev().map(|n| &path[..n]).find(|part| known.contains_key(*part))?;
    let exported = path.get(module.len()).and_then(|name| known[module].exports.get(name));
    match exported {
        // A macro exports itself.
        Some(other) if other != path => defining(known, other),
        _ => Some(module.to_vec()),
    }
}

/// The rooms in the order of the table, the highest first.
fn listed() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md");
    let text = fs::read_to_string(file).unwrap();
    let modules = text.split("## Modules").nth(1).expect("the heading").split("\n## ").next();
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    modules.unwrap().lines().filter_map(row).collect()
}

#[test]
fn rooms_depend_on_those_below_them() {
    let listed = listed();
    let place: BTreeMap<&String, usize> = listed.iter().zip(0..).collect();
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for (module, others) in dependencies() {
        let Some(own) = place.get(&module[0]) else {
            panic!("docs/architecture.md has no `{}`", module[0])
        };
        seen.insert(module[0].clone());
        let is_above = |other: &&Module| place.get(&other[0]).is_none_or(|other| other < own);
        wrong.extend(
            others.iter().filter(is_above).map(|other| [&module, other].map(|m| m.join("::"))),
        );
    }
    assert_eq!(wrong, [["", ""]; 0], "the first imports from the second, which is not below it");
    assert_eq!(seen, listed.into_iter().collect(), "docs/architecture.md lists others");
}

/// The modules that are in circles, or between two circles, each with those of them that it depends
/// on.
fn circles(mut left: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let before = left.len();
        // A file that depends on nothing that is left is in no circle, and neither is one on which
        // nothing depends.
        let names: BTreeSet<Module> = left.keys().cloned().collect();
        left.retain(|_, others| others.iter().any(|other| names.contains(other)));
        let named: BTreeSet<Module> = left.values().flatten().cloned().collect();
        left.retain(|module, _| named.contains(module));
        if left.len() == before {
            break;
        }
    }
    let names: BTreeSet<Module> = left.keys().cloned().collect();
    left.values_mut().for_each(|others| others.retain(|other| names.contains(other)));
    left
}

#[test]
fn files_depend_on_each_other_one_way() {
    let dependencies = dependencies();
    // Through what a parent exports, by the name of a child, and by the name of an import.
    for [one, other] in [
        ["exec::join", "exec::executor"],
        ["cli", "cli::diff"],
        ["exec::call", "env::libc::process"],
    ] {
        let path = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
        assert!(dependencies[&path(one)].contains(&path(other)), "{one} -> {other} is not seen");
    }
    let shown = |(module, others): (Module, BTreeSet<Module>)| {
        let others: Vec<String> = others.iter().map(|other| other.join("::")).collect();
        format!("{} -> {}", module.join("::"), others.join(", "))
    };
    let shown: Vec<String> = circles(dependencies).into_iter().map(shown).collect();
    assert!(shown.is_empty(), "circles:\n{}", shown.join("\n"));
}

#[test]
fn circles_are_found() {
    let module = |name: &str| vec![name.to_owned()];
    let edges = [
        ("a", vec!["b", "c"]),
        ("b", vec!["c"]),
        ("c", vec!["d"]),
        ("d", vec!["b"]),
        ("e", vec![]),
    ];
    let graph = edges.into_iter().map(|(name, others)| {
        (module(name), others.into_iter().map(module).collect::<BTreeSet<_>>())
    });
    let found = circles(graph.collect());
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["b", "c", "d"].map(module));
}

#[test]
fn names_are_found() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = "use crate::{a::{b, crate_c}, d as e};\n\
                pub use super::f::G;\n\
                mod h;\n\
                fn i() { crate::j::k(); matches!(0, self::l::M); h::n(); G::new(); q::r(); }\n\
                #[cfg(test)]\nmod tests { use crate::n; }\n\
                use std::o;\n";
    fs::write(&file, text).unwrap();
    let named = Named::read(file.path(), vec!["x".into(), "y".into()]);
    let paths: BTreeSet<String> = named.paths.iter().map(|path| path.join("::")).collect();
    let expected = [
        "a::b",
        "a::crate_c",
        "d",
        "j::k",
        "x::f::G",
        "x::f::G::new",
        "x::y::h::n",
        "x::y::l::M",
        "x::y::std::o",
    ]
    .map(str::to_owned);
    assert_eq!(paths, expected.into());
    assert_eq!(named.exports["G"].join("::"), "x::f::G");
    assert_eq!(named.of_tests, BTreeSet::from([["x", "y", "tests"].map(str::to_owned).to_vec()]));
}
