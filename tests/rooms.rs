//! Checks that each module of the crate depends only on those below it in docs/architecture.md.
//! Uses nothing of the crate: the sources are read as text.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The modules in the order of the document's table, the highest first.
fn listed(root: &Path) -> Vec<String> {
    let text = fs::read_to_string(root.join("docs/architecture.md")).unwrap();
    let modules = text.split("## Modules").nth(1).expect("the heading").split("\n## ").next();
    let row = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
    modules.unwrap().lines().filter_map(row).collect()
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

/// The text of a source without comments and without the tests at its end, which may use any
/// module.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let without = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    text.lines().map(without).collect::<Vec<_>>().join("\n")
}

/// The modules that are named after `crate::`, alone or in braces.
fn named(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for behind in code.split("crate::").skip(1) {
        let Some(inner) = behind.strip_prefix('{') else {
            names.insert(word(behind));
            continue;
        };
        let mut depth = 0;
        let mut is_first = true;
        for (at, c) in inner.char_indices() {
            if is_first && depth == 0 && !c.is_whitespace() && c != '}' {
                names.insert(word(&inner[at..]));
                is_first = false;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => is_first = true,
                _ => {}
            }
        }
    }
    names
}

#[test]
fn modules_depend_on_those_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = listed(root);
    let place: BTreeMap<&str, usize> =
        listed.iter().enumerate().map(|(place, name)| (name.as_str(), place)).collect();
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let (mut seen, mut wrong) = (BTreeSet::new(), Vec::new());
    for file in files {
        let relative = file.strip_prefix(root.join("src")).unwrap();
        let first = relative.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        let is_test = relative.iter().any(|part| part == "tests" || part == "tests.rs");
        if matches!(module, "lib" | "main") || is_test {
            continue;
        }
        let Some(own) = place.get(module) else { panic!("docs/architecture.md has no `{module}`") };
        seen.insert(module.to_owned());
        for name in named(&code(&file)) {
            if place.get(name.as_str()).is_none_or(|other| other < own) {
                wrong.push(format!("src/{}: {name}", relative.display()));
            }
        }
    }
    assert_eq!(wrong, [""; 0], "these name a module that is not below them");
    assert_eq!(seen, listed.iter().cloned().collect(), "docs/architecture.md lists others");
}

#[test]
fn names_are_found() {
    let text =
        "use crate::{\n    a::{b, crate_c},\n    d,\n};\nuse crate::e::f;\nlet g = crate::h::i();";
    assert_eq!(named(text), ["a", "d", "e", "h"].map(str::to_owned).into());
}
