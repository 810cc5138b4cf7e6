//! Decides queries about bytes by trying their values.

use std::{sync::Arc, time::Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Decided, Decorator, Query, Solver, Verdict,
    columns::{Columns, WIDEST},
};
use crate::expr::{Assignment, Bv, ExprId, Exprs, LANES, Lanes, VariableId};

/// The most terms of a constraint, times the combinations for which they are evaluated: some
/// milliseconds of work.
const MOST_WORK: usize = 1 << 23;
/// The most combinations that one table covers: twice those of two bytes.
const MOST_COMBINATIONS: usize = 1 << 17;
/// The most variables of a constraint that gets a table. Comparisons of words mention eight bytes.
const MOST_MENTIONED: usize = 4;
/// The most variables of one search.
const MOST_VARIABLES: usize = 1 << 10;
/// The most choices of a value in one search: some milliseconds of work.
const MOST_CHOICES: usize = 1 << 18;
/// How many bytes of tables are remembered before all of them are forgotten.
const MOST_BYTES: usize = 1 << 25;

/// Decides most queries about variables of at most a byte.
///
/// The table of a constraint says for which values of its variables it holds. Values that the
/// constraint cannot tell apart are one class, which keeps the table small. A table that is still
/// too large is made only for the values that the constraints with one variable leave. To decide a
/// query, a search with backtracking looks, variable by variable, for values that all tables allow.
/// If there are none, the query is unsatisfiable, whatever constraints without a table say.
///
/// Such queries come from text that a program reads, and from tables in which it looks bytes up. A
/// SAT solver takes a hundred times as long to see that no byte is both a digit and a letter.
#[derive(Default)]
pub struct Enumeration {
    columns: Columns,
    /// The tables of constraints, for certain domains of their variables or (no domains) for all
    /// values. `None` for a constraint that has no lanes or whose table would be too large.
    tables: FxHashMap<(ExprId, Vec<Domain>), Option<Arc<Table>>>,
    /// The total size of the tables in bytes.
    bytes: usize,
    /// The moment after which no table is made.
    deadline: Option<Instant>,
}

/// A set of values of a variable, one bit for each value.
#[derive(Clone, Copy, Default, Eq, Hash, PartialEq)]
struct Domain([u64; LANES / 64]);

impl Domain {
    fn values(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |value| self.0[usize::from(value / 64)] >> (value % 64) & 1 == 1)
    }

    /// All values of a variable of `width` bits, at most [`WIDEST`].
    fn of_width(width: u32) -> Self {
        let all = 1_usize << width;
        Self(std::array::from_fn(|word| match all.saturating_sub(word * 64) {
            0..64 => (1 << all.saturating_sub(word * 64)) - 1,
            _ => u64::MAX,
        }))
    }

    fn filter(self, keep: impl Fn(u8) -> bool) -> Self {
        let mut kept = Self::default();
        for value in self.values().filter(|value| keep(*value)) {
            kept.0[usize::from(value / 64)] |= 1 << (value % 64);
        }
        kept
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl Decorator for Enumeration {
    const NAME: &'static str = "enumeration";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        match self.search(exprs, query) {
            Some(verdict) => (verdict, true),
            None => (below.check(exprs, query), false),
        }
    }
}

/// The values of the variables for which a constraint holds.
struct Table {
    variables: Vec<Classified>,
    /// The values for which the constraint holds, if it has only one variable.
    left: Option<Domain>,
    /// Whether the constraint holds, for each combination of classes. The class of the last
    /// variable varies fastest.
    truths: Vec<bool>,
}

/// A variable of one constraint. Its values are in classes, which the constraint cannot tell apart.
struct Classified {
    id: VariableId,
    domain: Domain,
    /// The class of each value of the domain; zero for other values.
    class_of: [u8; LANES],
    /// The first value of each class.
    first: Vec<u8>,
}

impl Enumeration {
    /// Makes no tables after `deadline`, because the tables of a single query may take seconds. The
    /// solver below, which has its own limit, then decides queries that lack a table.
    pub fn until(deadline: Option<Instant>) -> Self {
        Self { deadline, ..Self::default() }
    }

    /// The verdict, if the tables suffice for one.
    fn search(&mut self, exprs: &Exprs, query: Query<'_>) -> Option<Verdict> {
        if self.columns.are_full() || self.bytes > MOST_BYTES {
            *self = Self::until(self.deadline);
        }
        // A contradiction is most likely to involve a new constraint.
        let newest_first = query.goals.iter().chain(query.path_condition.iter().rev()).copied();
        let (narrow, wide): (Vec<_>, Vec<_>) = newest_first.partition(|e| is_narrow(exprs, *e));
        if narrow.is_empty() {
            return None;
        }
        let (mut tables, mut large) = (Vec::new(), Vec::new());
        for constraint in narrow {
            match self.table(exprs, constraint, Vec::new()) {
                Some(table) => tables.push(table),
                None => large.push(constraint),
            }
        }
        let domains = domains(exprs, &tables);
        if domains.iter().any(|(_, domain)| *domain == Domain::default()) {
            return Some(Verdict::Unsat);
        }
        let domain = |id: &VariableId| match domains.iter().find(|(known, _)| known == id) {
            Some((_, domain)) => *domain,
            None => Domain::of_width(exprs.variable_width(*id)),
        };
        let before = tables.len();
        tables.extend(large.iter().filter_map(|constraint| {
            let domains = exprs.variables(*constraint).iter().map(domain).collect();
            self.table(exprs, *constraint, domains)
        }));
        let decided = wide.is_empty() && tables.len() == before + large.len();
        let mut search = ValueSearch::new(&self::domains(exprs, &tables), &tables);
        if search.variables.iter().any(|variable| variable.values.is_empty()) {
            return Some(Verdict::Unsat);
        }
        if search.variables.len() > MOST_VARIABLES {
            return None;
        }
        if !search.solve(0)? {
            return Some(Verdict::Unsat);
        }
        decided.then(|| Verdict::Sat(Assignment(search.found(exprs).collect())))
    }

    /// The table of a constraint for these domains of its variables or (no domains) for all values.
    fn table(
        &mut self,
        exprs: &Exprs,
        constraint: ExprId,
        domains: Vec<Domain>,
    ) -> Option<Arc<Table>> {
        let key = (constraint, domains);
        if let Some(known) = self.tables.get(&key) {
            return known.clone();
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        let table = self.tabulate(exprs, constraint, &key.1).map(Arc::new);
        self.bytes += table.as_ref().map_or(0, |table| {
            table.truths.len() + table.variables.len() * size_of::<Classified>()
        }) + size_of::<Table>();
        self.tables.insert(key, table.clone());
        table
    }

    fn tabulate(&mut self, exprs: &Exprs, constraint: ExprId, domains: &[Domain]) -> Option<Table> {
        let ids = exprs.variables(constraint);
        let circuit = self.circuit(exprs, constraint)?;
        let mut combinations = 1_usize;
        let mut variables = Vec::new();
        for (position, id) in ids.iter().enumerate() {
            let all = Domain::of_width(exprs.variable_width(*id));
            let domain = domains.get(position).copied().unwrap_or(all);
            let variable = circuit.classify(position, *id, domain);
            combinations = combinations.checked_mul(variable.first.len())?;
            variables.push(variable);
        }
        if combinations > MOST_COMBINATIONS || combinations * circuit.nodes.len() > MOST_WORK {
            return None;
        }
        let truths = circuit.truths(exprs, &variables, combinations);
        let left = match &variables[..] {
            [one] => {
                let class = |value: u8| one.class_of[usize::from(value)];
                Some(one.domain.filter(|value| truths[usize::from(class(value))]))
            }
            _ => None,
        };
        Some(Table { variables, left, truths })
    }

    /// The terms of a constraint; `None` if one of them has no lanes, or if there are too many.
    fn circuit(&mut self, exprs: &Exprs, constraint: ExprId) -> Option<Circuit> {
        let variables = exprs.variables(constraint);
        let mut nodes = Vec::new();
        let mut node_of: FxHashMap<ExprId, usize> = FxHashMap::default();
        let mut stack = vec![(constraint, false)];
        while let Some((e, operands_done)) = stack.pop() {
            if exprs.as_u64(e).is_some() || node_of.contains_key(&e) {
                continue;
            }
            let node = match exprs.variables(e) {
                [one] => {
                    let position = variables.iter().position(|id| id == one)?;
                    CircuitNode::Column(position, self.columns.of(exprs, e)?)
                }
                _ if operands_done => CircuitNode::Term(e),
                _ => {
                    if !exprs.has_lanes(e) || stack.len() + nodes.len() > MOST_WORK / LANES {
                        return None;
                    }
                    stack.push((e, true));
                    exprs.for_each_operand(e, |operand| stack.push((operand, false)));
                    continue;
                }
            };
            node_of.insert(e, nodes.len());
            nodes.push(node);
        }
        Some(Circuit { nodes, node_of })
    }
}

/// The terms of a constraint: operands before their users, the constraint itself last.
struct Circuit {
    nodes: Vec<CircuitNode>,
    node_of: FxHashMap<ExprId, usize>,
}

enum CircuitNode {
    /// A term that mentions one variable: the position of that variable, and the term's column.
    Column(usize, Arc<Lanes>),
    /// A term that mentions several variables.
    Term(ExprId),
}

impl Circuit {
    /// Sorts the values of a variable into classes. Every column has a single value within a class.
    fn classify(&self, position: usize, id: VariableId, domain: Domain) -> Classified {
        let columns: Vec<&Lanes> = self
            .nodes
            .iter()
            .filter_map(|node| match node {
                CircuitNode::Column(of, column) if *of == position => Some(&**column),
                _ => None,
            })
            .collect();
        let (mut class_of, mut first) = ([0; LANES], Vec::new());
        let mut classes = FxHashMap::default();
        for value in domain.values() {
            let key: Vec<u64> = columns.iter().map(|column| column[usize::from(value)]).collect();
            class_of[usize::from(value)] = *classes.entry(key).or_insert_with(|| {
                first.push(value);
                (first.len() - 1) as u8
            });
        }
        Classified { id, domain, class_of, first }
    }

    /// Whether the constraint holds, for each combination of classes.
    fn truths(&self, exprs: &Exprs, variables: &[Classified], combinations: usize) -> Vec<bool> {
        let mut truths = Vec::with_capacity(combinations);
        let mut lanes: Vec<Lanes> = vec![[0; LANES]; self.nodes.len()];
        let mut chosen: Vec<[u8; LANES]> = vec![[0; LANES]; variables.len()];
        while truths.len() < combinations {
            let count = LANES.min(combinations - truths.len());
            for lane in 0..count {
                let mut rest = truths.len() + lane;
                for (Classified { first, .. }, chosen) in variables.iter().zip(&mut chosen).rev() {
                    chosen[lane] = first[rest % first.len()];
                    rest /= first.len();
                }
            }
            for (index, node) in self.nodes.iter().enumerate() {
                let (done, rest) = lanes.split_at_mut(index);
                match node {
                    CircuitNode::Column(position, column) => {
                        let values = rest[0].iter_mut().zip(&chosen[*position]);
                        values.for_each(|(out, value)| *out = column[usize::from(*value)]);
                    }
                    CircuitNode::Term(e) => exprs
                        .lanes(*e, |operand| done.get(self.node_of[&operand]), &mut rest[0])
                        .expect("a circuit has such terms only"),
                }
            }
            let constraint = lanes.last().expect("a constraint is a term");
            truths.extend(constraint[..count].iter().map(|truth| *truth == 1));
        }
        truths
    }
}

/// Whether a constraint mentions a few variables, none of them wider than a byte.
fn is_narrow(exprs: &Exprs, constraint: ExprId) -> bool {
    let ids = exprs.variables(constraint);
    (1..=MOST_MENTIONED).contains(&ids.len())
        && ids.iter().all(|id| exprs.variable_width(*id) <= WIDEST)
}

/// The values of each variable that remain after the tables with this variable alone.
fn domains(exprs: &Exprs, tables: &[Arc<Table>]) -> Vec<(VariableId, Domain)> {
    let mut domains: Vec<(VariableId, Domain)> = Vec::new();
    for table in tables {
        for Classified { id, .. } in &table.variables {
            let known = domains.iter().position(|(known, _)| known == id);
            let index = known.unwrap_or_else(|| {
                domains.push((*id, Domain::of_width(exprs.variable_width(*id))));
                domains.len() - 1
            });
            if let Some(left) = table.left {
                domains[index].1 = domains[index].1.and(left);
            }
        }
    }
    domains
}

/// A search for values that tables allow.
struct ValueSearch<'a> {
    variables: Vec<Variable>,
    checks: Vec<Check<'a>>,
    choices: usize,
}

/// A variable of a query.
struct Variable {
    id: VariableId,
    /// One value for each set of values that no table tells apart, ascending.
    values: Vec<u8>,
    /// The position of the chosen value.
    chosen: usize,
    /// The checks whose last variable in search order this is.
    checks: Vec<usize>,
}

/// A table of several variables.
struct Check<'a> {
    truths: &'a [bool],
    /// For each variable of the table: its position in the search, and what each of its values adds
    /// to an index into `truths`.
    parts: Vec<(usize, Vec<usize>)>,
}

impl<'a> ValueSearch<'a> {
    fn new(domains: &[(VariableId, Domain)], tables: &'a [Arc<Table>]) -> Self {
        let several = || tables.iter().filter(|table| table.variables.len() > 1);
        let mut variables = Vec::new();
        for (id, domain) in domains {
            let of_it =
                |table: &'a Arc<Table>| table.variables.iter().find(|other| other.id == *id);
            let classes: Vec<_> =
                several().filter_map(of_it).map(|found| &found.class_of).collect();
            let mut seen = FxHashSet::default();
            let is_new = |value: &u8| {
                let key: Vec<u8> = classes.iter().map(|of| of[usize::from(*value)]).collect();
                seen.insert(key)
            };
            let values = domain.values().filter(is_new).collect();
            let variable = Variable { id: *id, values, chosen: 0, checks: Vec::new() };
            variables.push((classes.len(), variable));
        }
        // A variable that many tables mention restricts the others most, so it comes first.
        variables.sort_by_key(|(mentions, _)| std::cmp::Reverse(*mentions));
        let variables = variables.into_iter().map(|(_, variable)| variable).collect();
        let mut search = Self { variables, checks: Vec::new(), choices: 0 };
        several().for_each(|table| search.add(table));
        search
    }

    fn add(&mut self, table: &'a Table) {
        let mut stride = 1;
        let mut parts = Vec::new();
        for Classified { id, class_of, first, .. } in table.variables.iter().rev() {
            let position = self.variables.iter().position(|variable| variable.id == *id);
            let position = position.expect("each variable of a table is one of the search");
            let values = &self.variables[position].values;
            let offsets =
                values.iter().map(|value| stride * usize::from(class_of[usize::from(*value)]));
            parts.push((position, offsets.collect()));
            stride *= first.len();
        }
        let last = parts.iter().map(|(position, _)| *position).max().expect("it has several");
        self.variables[last].checks.push(self.checks.len());
        self.checks.push(Check { truths: &table.truths, parts });
    }

    /// Whether the variables from `position` on have values that fit the values chosen before;
    /// `None` after too many choices.
    fn solve(&mut self, position: usize) -> Option<bool> {
        let Some(variable) = self.variables.get(position) else { return Some(true) };
        for chosen in 0..variable.values.len() {
            self.variables[position].chosen = chosen;
            self.choices += 1;
            if self.choices > MOST_CHOICES {
                return None;
            }
            let mut checks =
                self.variables[position].checks.iter().map(|check| &self.checks[*check]);
            let offset = |(of, offsets): &(usize, Vec<usize>)| offsets[self.variables[*of].chosen];
            let holds =
                |check: &Check<'_>| check.truths[check.parts.iter().map(offset).sum::<usize>()];
            if checks.all(holds) && self.solve(position + 1)? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn found(&self, exprs: &Exprs) -> impl Iterator<Item = (VariableId, Bv)> {
        self.variables.iter().map(|variable| {
            let value = u64::from(variable.values[variable.chosen]);
            (variable.id, Bv::new(exprs.variable_width(variable.id), value))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        expr::{BinaryOp, raw::Raw},
        solver::bitwuzla::Incremental,
    };

    /// A term over three bytes, made without simplification by a stack machine from a tape.
    fn term(exprs: &Exprs, tape: &[(u8, u64)]) -> ExprId {
        let raw = Raw(exprs);
        let mut stack: Vec<ExprId> =
            ["x", "y", "z"].into_iter().map(|name| exprs.input(name, 8)).collect();
        let table: Vec<_> = (0..40).map(|i| exprs.constant(16, i * i % 7)).collect();
        let mixed = [stack[0], exprs.constant(8, 5), stack[1]];
        for (what, value) in tape {
            let a = stack[*value as usize % stack.len()];
            let b = stack[*value as usize / 3 % stack.len()];
            let width = exprs.width(a);
            let b = match exprs.width(b).cmp(&width) {
                std::cmp::Ordering::Less => raw.zext(b, width),
                std::cmp::Ordering::Equal => b,
                std::cmp::Ordering::Greater => raw.extract(b, 0, width),
            };
            stack.push(match what % 24 {
                op @ 0..15 => raw.binary(BinaryOp::ALL[usize::from(op)], a, b),
                15 => raw.not(a),
                16 => raw.neg(a),
                17 => raw.ite(raw.binary(BinaryOp::Ult, a, b), b, a),
                18 if width < 64 => raw.sext(a, 64),
                19 if width <= 32 => raw.concat(a, b),
                20 => raw.extract(a, width / 2, width - width / 2),
                21 => raw.select(&table, a),
                22 => raw.select(&mixed, b),
                _ => exprs.constant(width, *value),
            });
        }
        let last = *stack.last().expect("three at least");
        raw.binary(BinaryOp::Ult, last, exprs.constant(exprs.width(last), 77))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn it_agrees_with_bitwuzla(
            tapes in prop::collection::vec(prop::collection::vec(any::<(u8, u64)>(), 1..12), 1..5),
        ) {
            let exprs = Exprs::new();
            let mut bitwuzla = Incremental::new(Duration::ZERO);
            let mut enumeration = Enumeration::default();
            let mut goals = Vec::new();
            for tape in tapes {
                let goal = term(&exprs, &tape);
                for goal in [goal, Raw(&exprs).not(goal)] {
                    goals.push(goal);
                    let query = Query { path_condition: &[], goals: &goals, model: None };
                    let expected = bitwuzla.check(&exprs, query);
                    let verdict = enumeration.search(&exprs, query);
                    let mentions_one = |goal: &ExprId| exprs.variables(*goal).len() == 1;
                    prop_assert!(verdict.is_some() || !goals.iter().all(mentions_one));
                    if let Some(verdict) = verdict {
                        prop_assert_eq!(verdict.is_unsat(), expected.is_unsat());
                        if let Some(model) = verdict.model() {
                            let holds = |goal: &ExprId| exprs.evaluate(*goal, model) == Bv::new(1, 1);
                            prop_assert!(goals.iter().all(holds));
                        }
                    }
                    goals.pop();
                }
                goals.push(goal);
            }
        }
    }

    #[test]
    fn bytes_that_are_used_alike_are_one() {
        let exprs = Exprs::new();
        let bytes = ["a", "b", "c", "d"].map(|name| exprs.input(name, 8));
        let is_digit = |e| {
            let at_least = exprs.ule(exprs.constant(8, u64::from(b'0')), e);
            exprs.and(at_least, exprs.ule(e, exprs.constant(8, u64::from(b'9'))))
        };
        let digits = bytes.map(|e| exprs.zext(is_digit(e), 8));
        let sum = digits.into_iter().reduce(|a, b| exprs.add(a, b)).expect("four");
        let ask = |count| {
            let goals = [exprs.eq(sum, exprs.constant(8, count))];
            Enumeration::default()
                .search(&exprs, Query { path_condition: &[], goals: &goals, model: None })
        };
        let verdict = ask(4).expect("sixteen combinations");
        let values = bytes.map(|e| exprs.evaluate(e, verdict.model().expect("four digits")));
        assert_eq!(values, [(); 4].map(|()| Bv::new(8, u64::from(b'0'))));
        assert!(ask(5).expect("sixteen combinations").is_unsat());
    }

    #[test]
    fn what_is_too_much_is_left_to_others() {
        let exprs = Exprs::new();
        let ask = |goal| {
            Enumeration::default()
                .search(&exprs, Query { path_condition: &[], goals: &[goal], model: None })
                .is_none()
        };
        let bytes = ["a", "b", "c", "d"].map(|name| exprs.input(name, 8));
        let product = bytes.into_iter().reduce(|a, b| exprs.mul(a, b)).expect("four");
        assert!(ask(exprs.eq(product, exprs.constant(8, 77))));
        let word = exprs.input("word", 16);
        assert!(ask(exprs.ult(word, exprs.constant(16, 77))));
        let wide =
            exprs.concat(exprs.mul(exprs.zext(bytes[0], 65), exprs.zext(bytes[1], 65)), word);
        assert!(ask(exprs.eq(exprs.extract(wide, 40, 1), exprs.bool(true))));
    }
}
