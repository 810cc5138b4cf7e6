//! Makes what one revision changes at file scope harmless to the others.
//!
//! An item that a revision adds must not mean anything to another revision. A name may not be free,
//! because the original or another patch uses it (a constant, a global variable, a type, a
//! parameter list that changed). Then the revision gets a name of its own, `LIMIT__psychic_2`, in
//! all of its text. Every function that uses the name then differs, so the ordinary meta branches
//! choose between the definitions. Functions whose heads mention the name become items of that
//! revision in turn. Projection takes the suffix off again.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rayon::prelude::*;

use crate::subject::Revision;

use super::{
    change::{ChangeKind, Edit},
    edit::{Granularity, Hoist},
    project::SUFFIX,
    scope::{self, Changes, Item, Name, Sort, Space},
    source::{Source, Tokens},
    token,
};

/// Why a revision of a file cannot be merged.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Obstacle {
    /// Line in the patched text, from 1.
    pub(super) line: usize,
    pub(super) reason: String,
}

impl From<Hoist> for Obstacle {
    fn from(hoist: Hoist) -> Self {
        Self { line: hoist.line, reason: hoist.reason.to_owned() }
    }
}

/// A patched text as it enters the meta program.
pub(super) struct Resolved {
    pub(super) source: Source,
    pub(super) edits: Vec<Edit>,
}

/// What the resolution of one file depends on.
pub(super) struct File<'a> {
    pub(super) original: &'a Source,
    pub(super) patched: BTreeMap<Revision, (&'a Source, Granularity)>,
    /// A file other than this one that has the name as a token.
    pub(super) elsewhere: &'a dyn Fn(&str) -> Option<String>,
    /// Whether a text of this file compiles as part of a revision.
    pub(super) compiles: &'a dyn Fn(Revision, &str) -> bool,
    /// Names that must not be changed.
    pub(super) fixed: &'a [&'a str],
}

/// A text in which all of `names` have a suffix.
struct Renamed {
    resolved: Resolved,
    names: BTreeSet<Name>,
}

impl Name {
    /// Lines that do not compile after another declaration of the name.
    fn probe(&self, number: usize) -> String {
        let name = &self.text;
        match self.space {
            Space::Macro => format!("#ifdef {name}\n#error\n#endif\n"),
            Space::Tag => format!("enum {name} {{ psychic_probe_{number} }};\n"),
            Space::Ordinary => format!("enum {{ {name} }};\n"),
        }
    }
}

/// What a revision changes at file scope: the place of each edit in the original, and its tokens.
/// Revisions that change the same have equal signatures.
type Signature<'a> = Vec<(usize, Vec<&'a str>)>;

impl File<'_> {
    /// Each revision's text and edits, or why it cannot be merged.
    pub(super) fn resolve(&self) -> BTreeMap<Revision, Result<Resolved, Obstacle>> {
        let mut leaders: BTreeMap<Signature, Revision> = BTreeMap::new();
        let mut resolved: BTreeMap<Revision, Result<Resolved, Obstacle>> = BTreeMap::new();
        // The identifiers among the tokens that are not shared with the original.
        let words: BTreeMap<Revision, HashSet<&str>> = self
            .patched
            .iter()
            .map(|(revision, (source, _))| (*revision, identifiers(source, source.own())))
            .collect();
        let compare = |(revision, (source, granularity)): (&Revision, &(&Source, Granularity))| {
            (*revision, scope::compare(self.original, source, *granularity))
        };
        let compared: Vec<(Revision, Result<Changes, Hoist>)> =
            self.patched.par_iter().map(compare).collect();
        let mut teams: BTreeMap<Revision, Revision> = BTreeMap::new();
        for (revision, changes) in &compared {
            if let Ok(changes) = changes {
                let changed = signature(self.patched[revision].0, &changes.edits);
                teams.insert(*revision, *leaders.entry(changed).or_insert(*revision));
            }
        }
        for (revision, changes) in compared {
            let (source, granularity) = self.patched[&revision];
            let result = changes.map_err(Obstacle::from).and_then(|changes| {
                if changes.added.is_empty() && changes.removed.is_empty() {
                    return Ok(Resolved { source: source.clone(), edits: changes.edits });
                }
                let leader = teams[&revision];
                let others: Vec<&HashSet<&str>> = words
                    .iter()
                    .filter(|(r, _)| teams.get(r) != Some(&leader))
                    .map(|(_, words)| words)
                    .collect();
                let attempt = |suffix| {
                    let renamed = self.rename(source, granularity, suffix, &others)?;
                    self.declared_here(revision, renamed)
                };
                let shared = attempt(leader)?;
                match resolved.get(&leader) {
                    Some(Ok(led)) if !agree(led, &shared) => attempt(revision),
                    _ => Ok(shared),
                }
            });
            resolved.insert(revision, result);
        }
        resolved
    }

    /// Gives a revision names of its own until its items affect no other revision.
    fn rename(
        &self,
        patched: &Source,
        granularity: Granularity,
        suffix: Revision,
        others: &[&HashSet<&str>],
    ) -> Result<Renamed, Obstacle> {
        let known = identifiers(self.original, 0..self.original.length());
        let mut names: BTreeSet<Name> = BTreeSet::new();
        loop {
            let source = if names.is_empty() {
                patched.clone()
            } else {
                self.original.patched(renamed(patched, &names, suffix))
            };
            let changes = scope::compare(self.original, &source, granularity)?;
            let before = names.len();
            for item in &changes.added {
                self.bearable(&source, item, "adds")?;
                for name in &item.names {
                    let text = name.text.as_str();
                    let taken = known.contains(text) || others.iter().any(|w| w.contains(text));
                    if taken && !names.contains(name) {
                        self.renamable(&source, item, text)?;
                        names.insert(name.clone());
                    }
                }
            }
            if names.len() > before {
                continue;
            }
            for item in &changes.removed {
                self.bearable(self.original, item, "removes")?;
                let used = |name: &&Name| uses(&source, name).is_some();
                if let Some(name) = item.names.iter().find(used) {
                    let line = uses(&source, name).map_or(1, |token| source.line(token));
                    let reason = format!("uses `{}` but removes its definition", name.text);
                    return Err(Obstacle { line, reason });
                }
            }
            names_are_not_shown(&source, &changes)?;
            return Ok(Renamed { resolved: Resolved { source, edits: changes.edits }, names });
        }
    }

    /// Refuses to rename what a header declares too: the revision would still use the header's. The
    /// renamed text has none of the original names, so these can be declared as something else
    /// unless a header has them.
    fn declared_here(&self, revision: Revision, renamed: Renamed) -> Result<Resolved, Obstacle> {
        let Renamed { resolved, names } = renamed;
        let text = &resolved.source.text;
        let probe = |names: &mut dyn Iterator<Item = &Name>| {
            let lines: String = names.enumerate().map(|(i, name)| name.probe(i)).collect();
            (self.compiles)(revision, &format!("{text}\n{lines}"))
        };
        if names.is_empty() || probe(&mut names.iter()) {
            return Ok(resolved);
        }
        let culprit = names.iter().find(|name| !probe(&mut std::iter::once(*name)));
        let name = culprit.or(names.first()).map_or(String::new(), |name| name.text.clone());
        let own = |token: &usize| {
            let text = resolved.source.token(*token);
            text.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(SUFFIX))
        };
        let line = (0..resolved.source.length()).find(own);
        let line = line.map_or(1, |token| resolved.source.line(token));
        let reason = format!("changes `{name}` at file scope, which a header declares too");
        Err(Obstacle { line, reason })
    }

    fn bearable(&self, source: &Source, item: &Item, verb: &str) -> Result<(), Obstacle> {
        let line = source.line(item.tokens.start);
        let text = source.slice(&item.tokens).lines().next().unwrap_or_default();
        let obstacle = |why: &str| {
            let reason = format!("{verb} `{text}` at file scope, {why}");
            Err(Obstacle { line, reason })
        };
        let include = |i: usize| {
            source.token(i) == "#" && source.length() > i + 1 && source.token(i + 1) == "include"
        };
        match item.sort {
            Sort::Other => obstacle("which cannot be merged"),
            Sort::Macro if (item.tokens.end..source.length()).any(include) => {
                obstacle("which may change the meaning of headers included after it")
            }
            _ => Ok(()),
        }
    }

    fn renamable(&self, source: &Source, item: &Item, name: &str) -> Result<(), Obstacle> {
        let obstacle = |why: String| {
            let reason = format!("changes `{name}` at file scope, {why}");
            Err(Obstacle { line: source.line(item.tokens.start), reason })
        };
        if self.fixed.contains(&name) {
            return obstacle("whose name must not change".into());
        }
        match (self.elsewhere)(name) {
            Some(file) => obstacle(format!("which {file} uses too")),
            None => Ok(()),
        }
    }
}

fn identifiers(source: &Source, range: Tokens) -> HashSet<&str> {
    let identifiers = range.filter(|index| source.at(*index).kind == token::TokenKind::Identifier);
    identifiers.map(|index| source.token(index)).collect()
}

fn is_scope(edit: &&Edit) -> bool {
    matches!(edit.kind, ChangeKind::Added | ChangeKind::Removed)
}

fn signature<'s>(source: &'s Source, edits: &[Edit]) -> Signature<'s> {
    let scope = edits.iter().filter(is_scope);
    scope.map(|e| (e.from.start, source.words(e.to.clone()).collect())).collect()
}

/// Whether two revisions that share a suffix mean the same by every name that has it.
fn agree(a: &Resolved, b: &Resolved) -> bool {
    signature(&a.source, &a.edits) == signature(&b.source, &b.edits)
}

/// Whether a token may refer to something with this name at file scope.
fn may_mean(source: &Source, token: usize, name: &Name) -> bool {
    let before = |words: &[&str]| token > 0 && words.contains(&source.token(token - 1));
    source.at(token).kind == token::TokenKind::Identifier
        && source.token(token) == name.text
        && match name.space {
            Space::Macro => true,
            Space::Tag => before(&["struct", "union", "enum"]),
            Space::Ordinary => !before(&["struct", "union", "enum", ".", "->"]),
        }
}

/// The first token that may refer to `name`.
fn uses(source: &Source, name: &Name) -> Option<usize> {
    (0..source.length()).find(|token| may_mean(source, *token, name))
}

/// The text with a suffix added to each of `names`.
fn renamed(source: &Source, names: &BTreeSet<Name>, suffix: Revision) -> String {
    let texts: HashSet<&str> = names.iter().map(|n| n.text.as_str()).collect();
    let mut text = String::with_capacity(source.text.len());
    let mut copied = 0;
    for index in 0..source.length() {
        if texts.contains(source.token(index)) && names.iter().any(|n| may_mean(source, index, n)) {
            let end = source.at(index).end;
            text.push_str(&source.text[copied..end]);
            text.push_str(&format!("{SUFFIX}{suffix}"));
            copied = end;
        }
    }
    text + &source.text[copied..]
}

/// Refuses suffixes that the program could print: in `__func__` and in stringised arguments.
fn names_are_not_shown(source: &Source, changes: &Changes) -> Result<(), Obstacle> {
    let shows =
        |word: &str| matches!(word, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" | "assert");
    for item in changes.added.iter().filter(|i| i.sort == Sort::Function) {
        let is_renamed = item.names.iter().any(|n| n.text.contains(SUFFIX));
        if let Some(index) = item.tokens.clone().find(|i| is_renamed && shows(source.token(*i))) {
            let reason = "a function that needs another name for this patch prints its name";
            return Err(Obstacle { line: source.line(index), reason: reason.into() });
        }
    }
    let stringising = stringising(source);
    for index in 0..source.length().saturating_sub(1) {
        if stringising.contains(source.token(index)) && source.token(index + 1) == "(" {
            let arguments = argument(source, index + 1);
            let shown = source.words(arguments).any(|word| word.contains(SUFFIX));
            if shown {
                let reason =
                    "a macro makes a string out of a name that needs a suffix for this patch";
                return Err(Obstacle { line: source.line(index), reason: reason.into() });
            }
        }
    }
    Ok(())
}

/// The macros that may stringise an argument: `assert`, and those of this text with `#` or `##` in
/// their bodies.
fn stringising(source: &Source) -> HashSet<&str> {
    let mut found = HashSet::from(["assert"]);
    let mut name = None;
    for index in 0..source.length() {
        match source.at(index).kind {
            token::TokenKind::EndOfDirective => name = None,
            _ if source.token(index) == "#" || source.token(index) == "##" => {
                if let Some(name) = name {
                    found.insert(name);
                } else if source.length() > index + 2 && source.token(index + 1) == "define" {
                    name = Some(source.token(index + 2));
                }
            }
            _ => {}
        }
    }
    found
}

/// The tokens from an opening parenthesis to its closing one.
fn argument(source: &Source, open: usize) -> Tokens {
    let mut depth = 0;
    for index in open..source.length() {
        match source.token(index) {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open..index;
        }
    }
    open..source.length()
}
