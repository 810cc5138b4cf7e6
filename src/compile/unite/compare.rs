//! Decides, symbol by symbol, whether a program with the revision fixed is a revision's own
//! compilation.
//!
//! Two functions are walked side by side ([`super::walk`]). They must have the same events with the
//! same operands, and fork on the same conditions. The same holds behind each fork, until both are
//! at places where they have been before with the same values. The names of local variables and of
//! symbols inside the programs do not matter, but they must correspond to each other one to one.
//! The symbol that corresponds to another one is called its *like*.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    node::{Id, Node, Nodes, Side},
    stem::stem,
    walk::{Cursor, Different, Facts, Stop, constant},
};
use crate::llvm::{Source, TypeKind, Value};

/// The greatest number of steps that are walked in two functions. If they need more, they count as
/// different.
const STEPS: u32 = 400_000;
/// The greatest number of combinations of values with which the same two places may be reached.
/// With more of them, the functions count as different.
const VISITS: usize = 32;

/// The lists of functions that run before and after `main`.
pub(super) const LISTS: [&str; 2] = ["llvm.global_ctors", DESTRUCTORS];
pub(super) const DESTRUCTORS: &str = "llvm.global_dtors";

/// What has to be added to a program to make it a revision's own compilation.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Plan {
    /// Functions of the revision that replace their likes in the program.
    pub(super) replaced: BTreeMap<String, String>,
    /// Symbols of the revision without a like.
    pub(super) added: BTreeSet<String>,
    /// All other symbols that are referred to, with their likes.
    pub(super) shared: BTreeMap<String, String>,
    /// The functions to run before and after `main`, in order, if they differ from the program's.
    pub(super) lists: [Option<Vec<String>>; 2],
}

impl Plan {
    /// Whether the program needs nothing added.
    pub(super) fn is_empty(&self) -> bool {
        let Self { replaced, added, shared: _, lists } = self;
        replaced.is_empty() && added.is_empty() && lists.iter().all(Option::is_none)
    }

    /// The stems of symbols whose likes have another name, and the stems of these likes.
    pub(super) fn renamed(&self) -> impl Iterator<Item = String> {
        let pairs = self.replaced.iter().chain(&self.shared);
        let stems = pairs.map(|(own, like)| [stem(own), stem(like)]);
        stems.filter(|[own, like]| own != like).flatten().map(str::to_owned)
    }
}

/// The functions of a list, in the order in which they run.
pub(super) fn names_in_list(source: Source<'_>, list: &str) -> Vec<String> {
    Symbols::new(source).list(list).into_iter().map(|(_, function)| function.name()).collect()
}

/// The symbols of a module, by name and by key.
pub(super) struct Symbols<'m> {
    by_name: FxHashMap<String, Value<'m>>,
    by_key: FxHashMap<usize, Value<'m>>,
}

impl<'m> Symbols<'m> {
    pub(super) fn new(source: Source<'m>) -> Self {
        let all = || source.functions().chain(source.globals());
        Self {
            by_name: all().map(|symbol| (symbol.name(), symbol)).collect(),
            by_key: all().map(|symbol| (symbol.key(), symbol)).collect(),
        }
    }

    /// The definitions that other modules can refer to.
    pub(super) fn visible(&self) -> Vec<String> {
        let mut visible: Vec<String> = self
            .by_name
            .iter()
            .filter(|(name, symbol)| {
                !symbol.is_declaration() && !symbol.is_local() && !name.starts_with("llvm.")
            })
            .map(|(name, _)| name.clone())
            .collect();
        visible.sort_unstable();
        visible
    }

    fn named(&self, name: &str) -> Option<Value<'m>> {
        self.by_name.get(name).copied()
    }

    /// The functions of a list with their priorities, in the order in which they run.
    fn list(&self, name: &str) -> Vec<(u64, Value<'m>)> {
        let list = self.named(name).and_then(|list| list.initializer());
        let entries = (0..).map_while(|index| list?.aggregate_element(index));
        let mut found: Vec<(u64, Value<'m>)> = entries
            .filter_map(|entry| Some((entry.aggregate_element(0)?, entry.aggregate_element(1)?)))
            .filter(|(priority, function)| priority.is_int() && function.is_function())
            .map(|(priority, function)| (priority.int(), function))
            .collect();
        found.sort_by_key(|(priority, _)| *priority);
        if name == DESTRUCTORS {
            found.reverse();
        }
        found
    }
}

/// Whether a symbol is a constant whose address nobody can observe, such as the text of a literal.
pub(super) fn is_text(symbol: Value<'_>) -> bool {
    symbol.is_global()
        && symbol.is_local()
        && symbol.is_unnamed()
        && symbol.is_read_only()
        && !symbol.is_declaration()
}

/// The comparison of a program with one revision.
pub(super) struct Comparison<'a, 'm> {
    meta: &'a Symbols<'m>,
    /// Whether the file, line and function of a failed assertion do not matter.
    plain: bool,
    own: Symbols<'m>,
    revision: u32,
    facts: [&'a mut Facts<'m>; 2],
    nodes: Nodes,
    /// The like of each symbol of the revision.
    likes: FxHashMap<usize, Value<'m>>,
    claimed: FxHashSet<usize>,
    /// Symbols that got a like, in order.
    journal: Vec<Value<'m>>,
    /// Defined symbols that were shown to be the same as their likes.
    same: FxHashSet<usize>,
}

impl<'a, 'm> Comparison<'a, 'm> {
    pub(super) fn new(
        meta: &'a Symbols<'m>,
        own: Source<'m>,
        revision: u32,
        facts: [&'a mut Facts<'m>; 2],
        plain: bool,
    ) -> Self {
        Self {
            meta,
            plain,
            own: Symbols::new(own),
            revision,
            facts,
            nodes: Nodes::default(),
            likes: FxHashMap::default(),
            claimed: FxHashSet::default(),
            journal: Vec::new(),
            same: FxHashSet::default(),
        }
    }

    /// Compares everything that can be reached from `roots`: symbols that others know by name and
    /// that keep their names.
    ///
    /// # Errors
    /// The name of a root that cannot be both what the program has and what the revision has.
    pub(super) fn plan(mut self, roots: &[String]) -> Result<Plan, String> {
        let mut open = Vec::new();
        for root in roots {
            let own = self.own.named(root).ok_or_else(|| root.clone())?;
            if let Some(like) = self.meta.named(root) {
                self.bind(like, own);
            }
            open.push(own);
        }
        let lists = LISTS.map(|list| self.own.list(list));
        let meta_lists = LISTS.map(|list| self.meta.list(list));
        open.extend(lists.iter().flatten().map(|(_, function)| *function));
        let mut references: FxHashMap<usize, Vec<Value<'m>>> = FxHashMap::default();
        let mut order = Vec::new();
        // If two functions are the same, the symbols that one refers to are the likes of those that
        // the other refers to. So names matter only where functions differ.
        while let Some(symbol) = open.pop() {
            if references.contains_key(&symbol.key()) {
                continue;
            }
            let like = self.likes.get(&symbol.key()).copied().or_else(|| {
                let like = self.meta.named(&symbol.name())?;
                self.bind(like, symbol).then_some(like)
            });
            if let Some(like) = like.filter(|like| self.is_same(*like, symbol)) {
                self.same.insert(like.key());
                self.same.insert(symbol.key());
            }
            let referred = referred(symbol);
            open.extend(referred.iter().copied());
            references.insert(symbol.key(), referred);
            order.push(symbol);
        }
        let mut plan = Plan::default();
        let mut lone: FxHashSet<usize> = FxHashSet::default();
        let mut different: FxHashSet<usize> = FxHashSet::default();
        loop {
            let before = lone.len() + different.len();
            for symbol in &order {
                let key = symbol.key();
                if lone.contains(&key) || different.contains(&key) {
                    continue;
                }
                let like = self.likes.get(&key).copied();
                let lonely = references[&key].iter().any(|other| lone.contains(&other.key()));
                let same = like.is_some() && self.same.contains(&key) && !lonely;
                if same {
                    continue;
                }
                match like.filter(|like| replaces(*like, *symbol)) {
                    Some(_) => _ = different.insert(key),
                    None => _ = lone.insert(key),
                }
            }
            if lone.len() + different.len() == before {
                break;
            }
        }
        let known =
            |root: &&String| self.own.named(root).is_none_or(|own| lone.contains(&own.key()));
        if let Some(root) = roots.iter().find(known) {
            return Err(root.clone());
        }
        for symbol in order {
            let (key, name) = (symbol.key(), symbol.name());
            if name.starts_with("llvm.") {
                continue;
            }
            if lone.contains(&key) {
                plan.added.insert(name);
            } else {
                let like = self.likes[&key].name();
                let place =
                    if different.contains(&key) { &mut plan.replaced } else { &mut plan.shared };
                place.insert(name, like);
            }
        }
        for (index, (own, meta)) in lists.iter().zip(&meta_lists).enumerate() {
            let like = |(priority, function): &(u64, Value<'m>)| {
                let key = function.key();
                let like = self.likes.get(&key).filter(|_| !lone.contains(&key))?;
                Some((*priority, like.key()))
            };
            let known: Vec<_> = meta.iter().map(|(p, f)| Some((*p, f.key()))).collect();
            if own.iter().map(like).collect::<Vec<_>>() != known {
                plan.lists[index] = Some(own.iter().map(|(_, f)| f.name()).collect());
            }
        }
        Ok(plan)
    }

    fn bind(&mut self, meta: Value<'m>, own: Value<'m>) -> bool {
        if let Some(known) = self.likes.get(&own.key()) {
            return known.key() == meta.key();
        }
        let fits = meta.is_function() == own.is_function()
            && meta.is_declaration() == own.is_declaration()
            // A declared symbol is known only to the linker, by its name.
            && (!own.is_declaration()
                || meta.name() == own.name() && meta.is_optional() == own.is_optional());
        if !fits || !self.claimed.insert(meta.key()) {
            return false;
        }
        self.likes.insert(own.key(), meta);
        self.journal.push(own);
        true
    }

    /// Whether a definition is the same as its like, provided that the symbols that they refer to
    /// are the same.
    fn is_same(&mut self, meta: Value<'m>, own: Value<'m>) -> bool {
        if own.is_declaration() {
            return true;
        }
        if meta.symbol_shape() != own.symbol_shape() {
            return false;
        }
        if !own.is_function() {
            let known = self.journal.len();
            let same = self.same_content(meta, own);
            if !same {
                self.forget(known);
            }
            return same;
        }
        self.same_functions(meta, own)
    }

    fn same_functions(&mut self, meta: Value<'m>, own: Value<'m>) -> bool {
        let before = self.journal.len();
        if self.is_copy(meta, own) {
            return true;
        }
        self.forget(before);
        let [meta_facts, own_facts] = &mut self.facts;
        let (Some(x), Some(y)) = (meta_facts.function(meta), own_facts.function(own)) else {
            return false;
        };
        if x.large() != y.large() {
            return false;
        }
        for (with_x, with_y) in [(true, false), (true, true), (false, false), (false, true)] {
            if with_x && !x.has_result() || with_y && !y.has_result() {
                continue;
            }
            self.nodes = Nodes::default();
            let [x, y] = [(Side::Meta, &x, with_x), (Side::Own, &y, with_y)];
            let walks = [x, y].map(|(side, facts, with)| {
                Cursor::new(&mut self.nodes, side, self.revision, facts.clone(), with)
            });
            if self.same_walks(walks).is_ok() {
                return true;
            }
            self.forget(before);
        }
        false
    }

    fn forget(&mut self, before: usize) {
        for own in self.journal.split_off(before) {
            if let Some(like) = self.likes.remove(&own.key()) {
                self.claimed.remove(&like.key());
            }
        }
    }

    fn same_content(&mut self, meta: Value<'m>, own: Value<'m>) -> bool {
        let (Some(x), Some(y)) = (meta.initializer(), own.initializer()) else { return false };
        let mut nodes = std::mem::take(&mut self.nodes);
        let ids = constant(Side::Meta, &mut nodes, x)
            .and_then(|x| Ok((x, constant(Side::Own, &mut nodes, y)?)));
        self.nodes = nodes;
        let mut locals = Locals::default();
        ids.is_ok_and(|(x, y)| self.alike(x, y, &mut locals))
    }

    fn same_walks(&mut self, walks: [Cursor<'m>; 2]) -> Result<(), Different> {
        let mut locals = Locals::default();
        let mut tokens: FxHashMap<(usize, usize), u32> = FxHashMap::default();
        let mut visited: FxHashMap<_, FxHashSet<_>> = FxHashMap::default();
        let mut open = vec![walks];
        let mut steps = 0;
        while let Some([mut x, mut y]) = open.pop() {
            loop {
                steps += 1;
                let visits = visited.entry((x.place(), y.place())).or_default();
                if !visits.insert((x.key(), y.key())) {
                    break;
                }
                if visits.len() > VISITS || steps > STEPS {
                    return Err(Different);
                }
                let a = x.step(self.facts[0], &mut self.nodes)?;
                let b = y.step(self.facts[1], &mut self.nodes)?;
                match (a, b) {
                    (
                        Stop::Event { shape, operands, instruction },
                        Stop::Event { shape: other, operands: others, instruction: like },
                    ) => {
                        let same = shape == other && operands.len() == others.len();
                        // Only the condition of an assertion and the called function are visible.
                        let seen = |place: &usize| {
                            let assertion =
                                self.plain && is_assertion(instruction) && is_assertion(like);
                            !assertion || !(1..4).contains(place)
                        };
                        let pairs: Vec<(&Id, &Id)> = (0..operands.len().min(others.len()))
                            .filter(seen)
                            .map(|place| (&operands[place], &others[place]))
                            .collect();
                        let mut pairs = pairs.into_iter();
                        if !same || !pairs.all(|(a, b)| self.alike(*a, *b, &mut locals)) {
                            return Err(Different);
                        }
                        let number = tokens.len() as u32;
                        let key = (instruction.key(), like.key());
                        let token = *tokens.entry(key).or_insert(number);
                        let ty = instruction.ty();
                        let is_number = ty.kind() == TypeKind::LLVMIntegerTypeKind;
                        let width = if is_number { ty.int_width() } else { 0 };
                        let id = self.nodes.add(Node::Token { number: token, width });
                        x.give(&self.nodes, instruction, token, id);
                        y.give(&self.nodes, like, token, id);
                    }
                    (
                        Stop::Branch { condition, to },
                        Stop::Branch { condition: other, to: others },
                    ) => {
                        if !self.alike(condition, other, &mut locals) {
                            return Err(Different);
                        }
                        for (a, b) in to.into_iter().zip(others) {
                            let (mut x, mut y) = (x.clone(), y.clone());
                            x.enter(&mut self.nodes, a)?;
                            y.enter(&mut self.nodes, b)?;
                            open.push([x, y]);
                        }
                        break;
                    }
                    (
                        Stop::Switch { value, cases, otherwise },
                        Stop::Switch { value: other, cases: others, otherwise: elsewhere },
                    ) => {
                        if cases.len() != others.len() || !self.alike(value, other, &mut locals) {
                            return Err(Different);
                        }
                        let mut ways = vec![(otherwise, elsewhere)];
                        for (case, to) in cases {
                            // Cases are integers, which are one node on both sides.
                            let like = others.iter().find(|(other, _)| *other == case);
                            ways.push((to, like.ok_or(Different)?.1));
                        }
                        for (a, b) in ways {
                            let (mut x, mut y) = (x.clone(), y.clone());
                            x.enter(&mut self.nodes, a)?;
                            y.enter(&mut self.nodes, b)?;
                            open.push([x, y]);
                        }
                        break;
                    }
                    (Stop::Return(a), Stop::Return(b)) => {
                        let same = match (a, b) {
                            (Some(a), Some(b)) => self.alike(a, b, &mut locals),
                            (a, b) => a.is_none() && b.is_none(),
                        };
                        if !same {
                            return Err(Different);
                        }
                        break;
                    }
                    (Stop::Unreachable, Stop::Unreachable) | (Stop::Endless, Stop::Endless) => {
                        break;
                    }
                    _ => return Err(Different),
                }
            }
        }
        Ok(())
    }

    pub(super) fn nodes(&mut self) -> &mut Nodes {
        &mut self.nodes
    }

    /// Whether two values are the same. Symbols and local variables are the same if they
    /// correspond.
    pub(super) fn alike(&mut self, x: Id, y: Id, locals: &mut Locals) -> bool {
        // An expression may be as deep as a function is long, and most of its parts may be shared.
        let (mut open, mut seen) = (vec![(x, y)], FxHashSet::default());
        while let Some((x, y)) = open.pop() {
            if !seen.insert((x, y)) {
                continue;
            }
            let (a, b) = (self.nodes.get(x).clone(), self.nodes.get(y).clone());
            let is_alike = match (a, b) {
                (Node::Symbol(_, a), Node::Symbol(_, b)) => self.alike_symbols(a, b),
                (Node::Local(_, a, shape), Node::Local(_, b, other)) => {
                    shape == other && locals.pair(a, b)
                }
                (Node::Operation(shape, operands), Node::Operation(other, others)) => {
                    open.extend(operands.iter().copied().zip(others.iter().copied()).rev());
                    shape == other && operands.len() == others.len()
                }
                _ => x == y,
            };
            if !is_alike {
                return false;
            }
        }
        true
    }

    fn alike_symbols(&mut self, x: usize, y: usize) -> bool {
        let (meta, own) = (self.meta.by_key[&x], self.own.by_key[&y]);
        if is_text(meta) && is_text(own) {
            return meta.symbol_shape() == own.symbol_shape() && self.same_content(meta, own);
        }
        self.bind(meta, own)
    }
}

/// Which local variables of a pair of functions correspond to each other, one to one.
#[derive(Default)]
pub(super) struct Locals {
    likes: FxHashMap<usize, usize>,
    claimed: FxHashSet<usize>,
}

impl Locals {
    fn pair(&mut self, x: usize, y: usize) -> bool {
        match self.likes.get(&x) {
            Some(known) => *known == y,
            None => self.claimed.insert(y) && self.likes.insert(x, y).is_none(),
        }
    }
}

/// Whether an instruction calls the libc's function for failed assertions, with the arguments
/// condition, file, line and function.
fn is_assertion(instruction: Value<'_>) -> bool {
    instruction.is_call()
        && instruction.callee().is_function()
        && instruction.callee().is_declaration()
        && instruction.callee().name() == "__assert_fail"
}

/// Whether a function can be called in place of its like.
fn replaces(meta: Value<'_>, own: Value<'_>) -> bool {
    own.is_function()
        && !own.is_declaration()
        && !meta.is_declaration()
        && !own.symbol_type().variadic()
        && meta.symbol_type().shape() == own.symbol_type().shape()
}

/// The symbols that a definition refers to, directly or by way of a literal.
fn referred(symbol: Value<'_>) -> Vec<Value<'_>> {
    let mut found = Vec::new();
    let mut open: Vec<Value<'_>> = Vec::new();
    let mut seen = FxHashSet::default();
    if symbol.is_function() {
        for instruction in symbol.blocks().flat_map(|block| block.instructions()) {
            open.extend(instruction.operands().filter(|operand| operand.is_constant()));
        }
    } else {
        open.extend(symbol.initializer());
    }
    while let Some(value) = open.pop() {
        if !seen.insert(value.key()) {
            continue;
        }
        if value.is_global() && is_text(value) {
            open.extend(value.initializer());
        } else if value.is_function() || value.is_global() {
            found.push(value);
        } else if value.is_constant() && !value.is_block_address() {
            open.extend(value.operands());
        }
    }
    found
}
