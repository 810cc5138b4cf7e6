//! The back end: Bitwuzla (Niemetz and Preiner, "Bitwuzla", CAV 2023), used incrementally.
//!
//! Consecutive queries of an exploration share a long prefix of their paths. So a worker keeps its
//! instance, whose assertion stack has one level for each condition of the last path. A new query
//! only pops down to the common prefix and pushes the rest. The goals are assumptions on top. An
//! instance is replaced only when it has grown too large or gave no answer.

use std::time::{Duration, Instant};

use tracing::debug;

use super::{LayerStatistics, Query, Solver, Unknown, Verdict};
use crate::{
    expr::{Assignment, ExprId, Exprs},
    interrupt::Interrupt,
};

mod ffi;
mod float;
mod translate;
mod translation;

use ffi::{Answer, Instance};
use translation::Translation;

/// An instance is replaced when its translation has more terms than this. What it has learnt about
/// abandoned paths then slows it down more than it helps.
const MOST_TERMS: usize = 200_000;
/// An instance is replaced after this many queries, for the reason given at [`MOST_TERMS`].
const MOST_QUERIES: u64 = 50_000;

/// Bitwuzla, with its assertion stack kept along the path.
pub struct Incremental {
    timeout: Duration,
    /// The present limit for one query, see [`Solver::hurry`].
    most: Duration,
    interrupt: Interrupt,
    deadline: Option<Instant>,
    state: Option<State>,
    statistics: LayerStatistics,
}

/// An instance and its present content.
struct State {
    translation: Translation,
    instance: Instance,
    stack: Vec<ExprId>,
    queries: u64,
}

impl State {
    fn new(interrupt: Interrupt) -> Self {
        let instance = Instance::new(interrupt);
        Self { translation: Translation::default(), instance, stack: Vec::new(), queries: 0 }
    }

    /// Pops and pushes until the stack holds the path.
    fn align(&mut self, exprs: &Exprs, path: &[ExprId]) {
        let common = self.stack.iter().zip(path).take_while(|(old, new)| old == new).count();
        self.instance.pop(self.stack.len() - common);
        self.stack.truncate(common);
        for condition in &path[common..] {
            let term = self.translation.truth(exprs, &mut self.instance, *condition);
            self.instance.push();
            self.instance.assert(term);
            self.stack.push(*condition);
        }
    }
}

impl Incremental {
    /// A back end that spends at most `timeout` of processor time on a query (zero: no limit).
    pub fn new(timeout: Duration) -> Self {
        let statistics = LayerStatistics::new("bitwuzla");
        let timeout = if timeout.is_zero() { Duration::MAX } else { timeout };
        Self {
            timeout,
            most: timeout,
            interrupt: Interrupt::default(),
            deadline: None,
            state: None,
            statistics,
        }
    }

    /// Makes queries give up at once when `interrupt` is set.
    pub fn interrupted_by(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// Makes queries give up at `deadline`, if there is one.
    pub fn until(self, deadline: Option<Instant>) -> Self {
        Self { deadline, ..self }
    }

    fn is_over(&self) -> bool {
        self.interrupt.is_set() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn decide(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        if self.state.as_ref().is_some_and(|state| {
            state.translation.len() > MOST_TERMS || state.queries > MOST_QUERIES
        }) {
            self.state = None;
        }
        if self.is_over() {
            return Verdict::Unknown(Unknown::Interrupted);
        }
        let state = self.state.get_or_insert_with(|| State::new(self.interrupt.clone()));
        state.queries += 1;
        state.align(exprs, query.path_condition);
        let goals: Vec<_> = query
            .goals
            .iter()
            .map(|goal| state.translation.truth(exprs, &mut state.instance, *goal))
            .collect();
        let start = ffi::processor_time();
        let limit = (self.most < Duration::MAX).then_some(self.most);
        match state.instance.check(&goals, self.deadline, limit) {
            Answer::Sat => {}
            Answer::Unsat => return Verdict::Unsat,
            Answer::Unknown => {
                // An interrupted instance is not used again.
                self.state = None;
                let spent = ffi::processor_time().saturating_sub(start);
                debug!(
                    seconds = spent.as_secs_f32(),
                    conditions = query.path_condition.len(),
                    "no answer"
                );
                let out_of_time = limit.is_some_and(|limit| spent >= limit);
                return Verdict::Unknown(if self.is_over() {
                    Unknown::Interrupted
                } else if out_of_time {
                    Unknown::Timeout(self.most)
                } else {
                    Unknown::GaveUp
                });
            }
        }
        let mut model = Assignment::default();
        for constraint in query.constraints() {
            for v in exprs.variables(constraint).iter() {
                model.0.entry(*v).or_insert_with(|| {
                    let term = state.translation.variable(exprs, &mut state.instance, *v);
                    state.instance.value(term, exprs.variable_width(*v))
                });
            }
        }
        Verdict::Sat(model)
    }
}

impl Solver for Incremental {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let start = Instant::now();
        let verdict = self.decide(exprs, query);
        self.statistics.count(Some(start), true);
        verdict
    }

    fn hurry(&mut self, most: Duration) {
        self.most = self.timeout.min(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        vec![self.statistics.clone()]
    }
}
