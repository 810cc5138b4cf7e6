//! Decisions: where a state branches on a condition, and forks.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashSet;

use super::{
    Executor, ForkKind, State,
    executor::Checkpoint,
    lockstep,
    state::{Claim, Concretisations},
};
use crate::{
    env::{Halt, Incomplete, Stop},
    expr::{Assignment, BinaryOp, ExprId, Exprs, Node, Substitution},
    memory::Value,
    solver::{self, Query, SolverConfig, Unknown, Verdict, slicing::Slicing},
    subject::RevisionSet,
};

/// The most expressions whose alternatives are remembered.
const CHOSEN: usize = 4096;
/// The most alternatives that another one is compared with.
const COMPARED: usize = 8;
/// The solver's time for a query at first. Each time that the query is put off to a later quantum,
/// it gets [`LONGER_WAIT`] times as much.
const FIRST_WAIT: Duration = Duration::from_millis(400);
const LONGER_WAIT: u32 = 4;
/// The most terms of an address that are visited to drop arms that the path does not take.
const CHOICES: u32 = 32;

impl Executor<'_> {
    /// Branches on a 1-bit condition. Where both answers are possible, this state goes on with
    /// true, and a sibling is left to run the instruction again with false.
    pub(super) fn branch(&mut self, condition: ExprId) -> Result<bool, Stop> {
        let fixed = self.with_fixed_words(condition);
        if fixed != condition
            && let Some(constant) = self.program.exprs.as_u64(fixed)
        {
            self.state.branches += u32::from(self.at_branch);
            return Ok(constant != 0);
        }
        let condition = fixed;
        if self.program.rejoins && self.program.exprs.mentions(condition).revision() {
            return self.branch_on_choice(condition);
        }
        let condition = self.without_revision(condition)?;
        let exprs = &self.program.exprs;
        if let Some(constant) = exprs.as_u64(condition) {
            return Ok(constant != 0);
        }
        self.state.branches += u32::from(self.at_branch);
        let negation = exprs.not(condition);
        if self.state.path_condition.contains(&condition) {
            return Ok(true);
        }
        if self.state.path_condition.contains(&negation) {
            return Ok(false);
        }
        if self.decides_nothing {
            return Err(Stop::Impossible);
        }
        let holds = !exprs.evaluate(condition, &self.state.model).is_zero();
        let opposite = if holds { negation } else { condition };
        self.asked = true;
        let verdict = match self.state.lockstep {
            None => self.ask_for_now(opposite)?,
            Some(_) => self.ask_in_lockstep(condition, opposite)?,
        };
        match verdict {
            Verdict::Unsat => Ok(holds),
            Verdict::Sat(model) => {
                let join = if self.at_branch { self.diamond_ahead(condition) } else { None };
                let model = Arc::new(model);
                let (true_model, false_model) = if holds {
                    (self.state.model.clone(), model)
                } else {
                    (model, self.state.model.clone())
                };
                let mut sibling = self.sibling();
                sibling.path_condition.push(negation);
                sibling.model = false_model;
                sibling.lineage = self.state.lineage.child(ForkKind::Input, 1);
                sibling.joins.extend(join.clone());
                self.siblings.push(sibling);
                // States that will join again do not count as forks.
                self.forks += u64::from(join.is_none());
                self.is_new = true;
                self.state.path_condition.push(condition);
                self.state.model = true_model;
                self.state.lineage = self.state.lineage.child(ForkKind::Input, 0);
                self.state.joins.extend(join);
                Ok(true)
            }
            Verdict::Unknown(why) => {
                self.leave_undecided(opposite, holds, why.into());
                Ok(holds)
            }
        }
    }

    /// Branches on a 1-bit condition that depends on the revision, by its truth value for the first
    /// revision. Revisions for which it certainly has the same value on this path stay with the
    /// first one. Only the others part.
    fn branch_on_choice(&mut self, condition: ExprId) -> Result<bool, Stop> {
        let groups = self.alternatives(condition);
        let groups = self.without_same(groups);
        let exprs = &self.program.exprs;
        self.note_branch(&groups);
        if self.decides_nothing && groups.len() > 1 {
            self.depends_on_revision = true;
            return Err(Stop::Impossible);
        }
        // What is noted for one alternative does not hold for the others.
        let depends = |(e, _): &(ExprId, RevisionSet)| {
            let mentions = exprs.mentions(*e);
            mentions.uninitialised() || mentions.address()
        };
        if groups.iter().any(depends) {
            let alternative = self.split(groups);
            return self.branch(alternative);
        }
        if groups.len() > 1 && groups.iter().any(|(e, _)| self.is_unsure(*e)) {
            let alternative = self.part(groups);
            return self.branch(alternative);
        }
        let holds = self.branch(groups[0].0)?;
        let (mut agreeing, mut others) = (RevisionSet::new(), RevisionSet::new());
        for (index, (alternative, set)) in groups.into_iter().enumerate() {
            let agrees = index == 0 || self.certainly(alternative, holds);
            let part = if agrees { &mut agreeing } else { &mut others };
            *part = part.union(&set);
        }
        if !others.is_empty() {
            self.split(vec![(true, agreeing), (false, others)]);
        }
        Ok(holds)
    }

    /// Merges alternatives that are visibly the same. In two cases the solver is asked, too, and
    /// alternatives are merged that are the same whatever the path. One case is that they depend on
    /// what was never written, as what is noted for one then holds for the others. The other is a
    /// run in lockstep, where paths say little.
    fn without_same(&mut self, groups: Vec<(ExprId, RevisionSet)>) -> Vec<(ExprId, RevisionSet)> {
        self.without_equal(groups, |this, known, e| {
            let exprs = &this.program.exprs;
            let differs = exprs.ne(known, e);
            let asks = exprs.mentions(e).uninitialised() || this.state.lockstep.is_some();
            // What is noted about an address holds for one path only.
            !exprs.mentions(e).address()
                && (exprs.as_u64(differs) == Some(0)
                    || asks && !this.is_beyond_lockstep(differs) && this.never(differs))
        })
    }

    /// Merges alternatives that are equal. Each is compared with a few others.
    pub(super) fn without_equal(
        &mut self,
        groups: Vec<(ExprId, RevisionSet)>,
        mut are_equal: impl FnMut(&mut Self, ExprId, ExprId) -> bool,
    ) -> Vec<(ExprId, RevisionSet)> {
        let mut distinct: Vec<(ExprId, RevisionSet)> = Vec::new();
        for (e, set) in groups {
            let mut known = distinct.iter_mut().take(COMPARED);
            match known.find(|(known, _)| are_equal(self, *known, e)) {
                Some((_, all)) => *all = all.union(&set),
                None => distinct.push((e, set)),
            }
        }
        distinct
    }

    /// Whether a condition certainly has the truth value `holds` on this path.
    pub(super) fn certainly(&mut self, condition: ExprId, holds: bool) -> bool {
        let condition = self.with_fixed_words(condition);
        let exprs = &self.program.exprs;
        if let Some(constant) = exprs.as_u64(condition) {
            return (constant != 0) == holds;
        }
        if let Some(known) = self.known(condition) {
            return known == holds;
        }
        let opposite = if holds { exprs.not(condition) } else { condition };
        let State { path_condition: path, model, lockstep, .. } = &self.state;
        let is_true = |e: &ExprId| !exprs.evaluate(*e, model).is_zero();
        // The model of a run in lockstep may not satisfy the path.
        if is_true(&opposite) && (lockstep.is_none() || path.iter().all(is_true)) {
            return false;
        }
        if self.is_free(opposite) {
            return false;
        }
        self.asked = true;
        matches!(self.ask(opposite), Verdict::Unsat)
    }

    /// Asks the solver whether the path allows a condition.
    pub(super) fn ask(&mut self, goal: ExprId) -> Verdict {
        let begun = Instant::now();
        let exprs = &self.program.exprs;
        let State { path_condition: path, model, .. } = &self.state;
        let verdict = match self.what_is_easy(goal) {
            Some(path) => self
                .solver
                .check(exprs, Query { path_condition: &path, goals: &[goal], model: None }),
            None => self
                .solver
                .check(exprs, Query { path_condition: path, goals: &[goal], model: Some(model) }),
        };
        self.asking += begun.elapsed();
        verdict
    }

    /// Asks the solver whether the path allows a condition, for as long as other states may wait.
    /// If that is too short, the state goes on later ([`Stop::Later`]).
    fn ask_for_now(&mut self, goal: ExprId) -> Result<Verdict, Stop> {
        let more = LONGER_WAIT.checked_pow(self.state.waits);
        let most = more.and_then(|more| FIRST_WAIT.checked_mul(more)).unwrap_or(Duration::MAX);
        self.solver.hurry(most);
        let verdict = self.ask(goal);
        self.solver.hurry(Duration::MAX);
        match verdict {
            // A shorter timeout means that the query had all the time there is.
            Verdict::Unknown(Unknown::Timeout(waited)) if waited >= most => {
                self.state.waits += 1;
                Err(Stop::Later)
            }
            verdict => {
                // An instruction that runs again repeats what it asked before it was put off.
                if self.state.waited_at < self.state.instructions {
                    self.state.waits = 0;
                }
                Ok(verdict)
            }
        }
    }

    /// The truth value of a condition that is, or whose negation is, a condition of the path or a
    /// part of one.
    fn known(&self, condition: ExprId) -> Option<bool> {
        let exprs = &self.program.exprs;
        let negation = exprs.not(condition);
        parts(exprs, self.state.path_condition.iter().copied())
            .find(|part| [condition, negation].contains(part))
            .map(|part| part == condition)
    }

    /// Whether a condition follows, by its form alone, from the path and `given`.
    pub(super) fn follows(&self, condition: ExprId, given: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let facts: FxHashSet<ExprId> =
            parts(exprs, self.state.path_condition.iter().copied().chain([given])).collect();
        let equals = |e: ExprId| {
            let other = move |fact: &ExprId| match exprs.node(*fact) {
                Node::Binary(BinaryOp::Eq, a, b) if a == e => Some(b),
                Node::Binary(BinaryOp::Eq, a, b) if b == e => Some(a),
                _ => None,
            };
            facts.iter().filter_map(other)
        };
        let is_other = |e: ExprId, value: ExprId| {
            let differs = |e: ExprId| {
                let denied = exprs.not(exprs.eq(e, value));
                facts.contains(&denied) || facts.iter().any(|fact| is_never(exprs, *fact, e, value))
            };
            differs(e) || equals(e).any(differs)
        };
        parts(exprs, [condition]).all(|part| {
            let denied = exprs.not(part);
            // The parts of a conjunction are checked on their own.
            matches!(exprs.node(part), Node::Binary(BinaryOp::And, ..))
                || exprs.as_u64(part) == Some(1)
                || facts.contains(&part)
                || match exprs.node(denied) {
                    Node::Binary(BinaryOp::Eq, a, b) => is_other(a, b) || is_other(b, a),
                    _ => false,
                }
        })
    }

    /// An address, simplified by what the path has decided: without the arms that the path does
    /// not take, and without variables whose values it fixes. Otherwise a pointer that moves a
    /// step with each decision would become a tree of all ways.
    pub(super) fn on_this_path(&self, address: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        if self.state.memory.addresses_in(exprs, Value::Expr(address)).all.is_empty() {
            return address;
        }
        let known =
            self.state.path_condition.iter().filter_map(|condition| match exprs.node(*condition) {
                Node::Binary(BinaryOp::Eq, e, value) if exprs.as_u64(value).is_some() => {
                    Some((exprs.as_variable(e)?, value))
                }
                _ => None,
            });
        let address = Substitution::of(exprs, known).apply(exprs, address);
        self.taken(address, &mut { CHOICES })
    }

    /// `e` with values in place of the words of the input that the path fixes.
    fn with_fixed_words(&mut self, e: ExprId) -> ExprId {
        let exprs = &self.program.exprs;
        // A run in lockstep, or one that decides nothing, stands for other paths, too.
        let is_general = self.state.lockstep.is_some() || self.decides_nothing;
        if is_general || !exprs.mentions(e).input() {
            return e;
        }
        let State { words, path_condition: path, joins, .. } = &mut self.state;
        // What was decided since inputs parted is forgotten where they join.
        let inputs = joins.iter().filter(|join| join.decided.is_some());
        let known = inputs.map(|join| join.conditions).min().unwrap_or(path.len());
        self.fixed.replace(exprs, words, &path[..known.min(path.len())], e)
    }

    fn taken(&self, e: ExprId, left: &mut u32) -> ExprId {
        let exprs = &self.program.exprs;
        let Some(rest) = left.checked_sub(1) else { return e };
        *left = rest;
        match exprs.node(e) {
            Node::Ite(condition, a, b) => match self.known(condition) {
                Some(holds) => self.taken(if holds { a } else { b }, left),
                None => exprs.ite(condition, self.taken(a, left), self.taken(b, left)),
            },
            Node::Binary(BinaryOp::Add, a, b) => {
                exprs.add(self.taken(a, left), self.taken(b, left))
            }
            _ => e,
        }
    }

    /// Goes on where the model of the state goes, and records the other side as incomplete.
    fn leave_undecided(&mut self, opposite: ExprId, holds: bool, why: Incomplete) {
        let parent = self.state.lineage.clone();
        self.state.path_condition.push(opposite);
        self.state.lineage = parent.child(ForkKind::Input, u32::from(holds));
        self.halt(Halt::Incomplete(why));
        *self.state.path_condition.last_mut().expect("pushed above") =
            self.program.exprs.not(opposite);
        self.state.lineage = parent.child(ForkKind::Input, u32::from(!holds));
    }

    /// `expr` for the revisions of this state, free of the revision variable and of words that the
    /// path fixes. Where the revisions disagree, their set is split: this state goes on with the
    /// group of the smallest revision, and a sibling is left for each other group. Content that was
    /// never written may not decide anything ([`Executor::independent`]). What depends on an
    /// address counts for this path only ([`Executor::as_if_known`]). What may never have been
    /// written is noted ([`Executor::note_unsure`]).
    pub(super) fn without_revision(&mut self, expr: ExprId) -> Result<ExprId, Stop> {
        let exprs = &self.program.exprs;
        let mut expr = self.with_fixed_words(expr);
        if exprs.mentions(expr).revision() {
            expr = self.split(self.alternatives(expr));
        }
        if exprs.mentions(expr).uninitialised() {
            expr = self.independent(expr)?;
        }
        if exprs.mentions(expr).address() {
            expr = self.as_if_known(expr);
        }
        self.note_unsure(expr);
        Ok(expr)
    }

    /// The alternatives of an expression for the revisions of the state, the alternative of the
    /// smallest revision first.
    pub(super) fn alternatives(&self, e: ExprId) -> Vec<(ExprId, RevisionSet)> {
        let set = &self.state.revisions;
        let mut chosen = self.chosen.borrow_mut();
        if let Some((of, known)) = chosen.get(&e)
            && of == set
        {
            return known.clone();
        }
        if chosen.len() >= CHOSEN {
            chosen.clear();
        }
        let found = self.program.choices().of(e, set);
        chosen.insert(e, (set.clone(), found.clone()));
        found
    }

    /// Splits the revisions of the state. Goes on with the first group, returns its key, and leaves
    /// a sibling for each other group.
    pub(super) fn split<K>(&mut self, groups: Vec<(K, RevisionSet)>) -> K {
        if groups.iter().any(|(_, set)| self.open.are_divided_by(set)) {
            self.is_as_claimed();
        }
        let mut groups = groups.into_iter().enumerate();
        let (_, (first, set)) = groups.next().expect("a state has at least one revision");
        if groups.len() == 0 {
            return first;
        }
        self.depends_on_revision = true;
        let parent = self.state.lineage.clone();
        let join = self.join_ahead();
        for (index, (_, set)) in groups {
            let mut sibling = self.sibling();
            sibling.keep(set);
            sibling.lineage = parent.child(ForkKind::Meta, index as u32);
            join.iter().for_each(|join| Self::meet_at(&mut sibling, join));
            self.siblings.push(sibling);
            // States that will join again do not count as forks.
            self.forks += u64::from(join.is_none());
        }
        self.state.keep(set);
        self.state.lineage = parent.child(ForkKind::Meta, 0);
        join.iter().for_each(|join| Self::meet_at(&mut self.state, join));
        first
    }

    /// A copy that will run the current instruction from its start, under what is known now.
    pub(super) fn sibling(&self) -> State {
        debug_assert!(
            !matches!(self.checkpoint, Checkpoint::Committed),
            "a model decides after it promised not to"
        );
        let mut sibling = match &self.checkpoint {
            Checkpoint::NoCall | Checkpoint::Unchanged | Checkpoint::Committed => {
                self.state.clone()
            }
            Checkpoint::Kept(before) => {
                let mut sibling = (**before).clone();
                sibling.path_condition.clone_from(&self.state.path_condition);
                sibling.model = self.state.model.clone();
                sibling.keep(self.state.revisions.clone());
                sibling.lineage = self.state.lineage.clone();
                sibling
            }
        };
        sibling.claim = self.state.claim.min(Claim::Believed);
        sibling
    }

    /// Keeps only the inputs for which `condition` holds.
    pub(super) fn assume(&mut self, condition: ExprId) -> Result<(), Stop> {
        let condition = self.without_revision(condition)?;
        let exprs = &self.program.exprs;
        match exprs.as_u64(condition) {
            Some(0) => return Err(Stop::Impossible),
            Some(_) => return Ok(()),
            None => {}
        }
        if exprs.evaluate(condition, &self.state.model).is_zero() {
            match self.solver.check(
                exprs,
                Query {
                    path_condition: &self.state.path_condition,
                    goals: &[condition],
                    model: Some(&self.state.model),
                },
            ) {
                Verdict::Unsat => return Err(Stop::Impossible),
                Verdict::Sat(model) => self.state.model = Arc::new(model),
                Verdict::Unknown(why) => {
                    self.state.path_condition.push(condition);
                    return Err(Stop::Halt(Halt::Incomplete(why.into())));
                }
            }
        }
        self.state.path_condition.push(condition);
        Ok(())
    }

    /// The value of an expression of at most 64 bits under the model of the path.
    fn in_model(&self, expr: ExprId) -> u64 {
        word(&self.program.exprs, expr, &self.state.model)
    }

    /// A possible value on this path of an expression of at most 64 bits. If there are several, the
    /// path alone decides which one it is, and not the model that the search happened to find: the
    /// states that a fork makes must not differ from run to run.
    pub(super) fn candidate(&mut self, expr: ExprId) -> u64 {
        let exprs = &self.program.exprs;
        let guess = self.in_model(expr);
        let other = exprs.ne(expr, exprs.constant(exprs.width(expr), guess));
        let path = &self.state.path_condition;
        let model = Some(&*self.state.model);
        match self.solver.check(exprs, Query { path_condition: path, goals: &[other], model }) {
            Verdict::Unsat | Verdict::Unknown(_) => guess,
            Verdict::Sat(_) => {
                let config = SolverConfig {
                    timeout: self.limits.solver,
                    deadline: self.deadline,
                    ..SolverConfig::default()
                };
                let path = Slicing::default().connected(exprs, path, &[expr]);
                match solver::reproducible(&config)
                    .check(exprs, Query { path_condition: &path, goals: &[], model: None })
                {
                    Verdict::Sat(model) => word(exprs, expr, &model),
                    Verdict::Unsat | Verdict::Unknown(_) => guess,
                }
            }
        }
    }

    /// A concrete value for `value` on this path. Forks over the possible values. Past the limit of
    /// forks, the rest is left as incomplete.
    pub(super) fn concretise(&mut self, value: Value, width: u32, what: &str) -> Result<u64, Stop> {
        let expr = match self.written(value, width)? {
            Value::Int(int) => return Ok(int),
            Value::Expr(expr) => self.without_revision(expr)?,
            Value::Undefined => unreachable!("`written` gives none"),
        };
        let exprs = &self.program.exprs;
        if width > 64 || exprs.width(expr) != width {
            let actual = exprs.width(expr);
            return Err(Stop::unsupported(format!("a {what} of {actual} bits, not {width}")));
        }
        if let Some(constant) = exprs.as_u64(expr) {
            return Ok(constant);
        }
        if let Some(few) = exprs.few_values(expr, self.limits.concretisations as usize) {
            return self.concretise_among(expr, &few);
        }
        if self.state.lockstep.is_some() {
            // There may be no input for the path of a state in lockstep, and then its model means
            // nothing.
            return Err(lockstep::too_much());
        }
        let candidate = self.candidate(expr);
        self.concretise_from(expr, candidate, what)
    }

    /// The value on this path of an expression that has one of the values `few`. Forks over these.
    pub(super) fn concretise_among(&mut self, expr: ExprId, few: &[u64]) -> Result<u64, Stop> {
        let (last, others) = few.split_last().expect("an expression has a value");
        for value in others {
            let exprs = &self.program.exprs;
            if self.branch(exprs.eq(expr, exprs.constant(exprs.width(expr), *value)))? {
                return Ok(*value);
            }
        }
        Ok(*last)
    }

    /// A concrete value on this path for an expression of at most 64 bits. Forks over `candidate`,
    /// a possible value, and all others, up to the limit.
    pub(super) fn concretise_from(
        &mut self,
        expr: ExprId,
        candidate: u64,
        what: &str,
    ) -> Result<u64, Stop> {
        let exprs = &self.program.exprs;
        let Concretisations { count, at } = self.state.concretisations;
        let now = (self.state.instructions, self.state.top.pc);
        let count = if at == now { count } else { 0 };
        if count >= self.limits.concretisations {
            return Err(Stop::unsupported(format!(
                "a symbolic {what} with more than {} values",
                self.limits.concretisations
            )));
        }
        let siblings = self.siblings.len();
        let is = |value| exprs.eq(expr, exprs.constant(exprs.width(expr), value));
        let mut candidate = candidate;
        if !self.branch(is(candidate))? {
            // No answer came, and the model of this path has another value.
            candidate = self.in_model(expr);
            let is_candidate = self.branch(is(candidate))?;
            debug_assert!(is_candidate, "where there is no answer, the model's is taken");
        }
        for sibling in &mut self.siblings[siblings..] {
            sibling.concretisations = Concretisations { count: count + 1, at: now };
        }
        Ok(candidate)
    }
}

/// Whether a condition, an equality or a disjunction of equalities, visibly fails if `e` is the
/// constant `value`.
fn is_never(exprs: &Exprs, condition: ExprId, e: ExprId, value: ExprId) -> bool {
    let is_other = |other: ExprId| other != value && exprs.as_bv(other).is_some();
    match exprs.node(condition) {
        Node::Binary(BinaryOp::Eq, a, b) => {
            exprs.as_bv(value).is_some() && (a == e && is_other(b) || b == e && is_other(a))
        }
        Node::Binary(BinaryOp::Or, a, b) => [a, b].iter().all(|c| is_never(exprs, *c, e, value)),
        Node::Not(inner) => match exprs.node(inner) {
            Node::Binary(BinaryOp::And, a, b) => {
                [a, b].iter().all(|c| is_never(exprs, exprs.not(*c), e, value))
            }
            _ => false,
        },
        _ => false,
    }
}

/// Conditions, and the parts of those that are conjunctions.
fn parts(exprs: &Exprs, of: impl IntoIterator<Item = ExprId>) -> impl Iterator<Item = ExprId> {
    let mut conditions = of.into_iter();
    let mut open: Vec<ExprId> = Vec::new();
    std::iter::from_fn(move || {
        let next = open.pop().or_else(|| conditions.next())?;
        if let Node::Binary(BinaryOp::And, a, b) = exprs.node(next) {
            open.extend([a, b]);
        }
        Some(next)
    })
}

fn word(exprs: &Exprs, expr: ExprId, model: &Assignment) -> u64 {
    exprs.evaluate(expr, model).to_u64().expect("at most 64 bits")
}
