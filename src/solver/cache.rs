//! Answers queries with the help of earlier answers.

use std::{collections::VecDeque, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::{Assignment, Evaluator, ExprId, Exprs, Memo};

/// The number of models that are kept to be tried on new queries.
const MODELS: usize = 256;
/// How many of the latest models are tried on a query.
const TRIED: usize = 8;
/// The number of contradictions that are kept for one goal.
const CONTRADICTIONS: usize = 32;
/// How many values of terms are remembered under a model before all of them are dropped.
const MEMO: usize = 1 << 16;
/// How many queries are remembered before all of them are forgotten.
const QUERIES: usize = 1 << 18;

/// Recognises queries that earlier ones decide. An equal query has the same answer. A query with
/// all constraints of an unsatisfiable one is unsatisfiable. A model of an earlier query may
/// satisfy a new one, which evaluation shows.
///
/// The model that a path had before a branch satisfies the branch condition or its negation. So
/// half of all satisfiable queries of an exploration need no solver.
#[derive(Default)]
pub struct Cache {
    exact: FxHashMap<Box<[ExprId]>, Known>,
    /// Unsatisfiable sets of constraints, by each of their goals.
    contradictions: FxHashMap<ExprId, VecDeque<Arc<[ExprId]>>>,
    models: VecDeque<Model>,
    /// For each constraint, the number of the latest model that satisfied a query ending with it.
    latest: FxHashMap<ExprId, u64>,
    /// The number of forgotten models. The index of a model is its number minus this.
    forgotten: u64,
}

enum Known {
    Sat(Arc<Assignment>),
    Unsat,
}

struct Model {
    assignment: Arc<Assignment>,
    memo: Memo,
}

impl Decorator for Cache {
    const NAME: &'static str = "cache";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let mut key: Vec<_> = query.constraints().collect();
        key.sort_unstable();
        key.dedup();
        match self.exact.get(&key[..]) {
            Some(Known::Sat(model)) => return (Verdict::Sat((**model).clone()), true),
            Some(Known::Unsat) => return (Verdict::Unsat, true),
            None => {}
        }
        if self.exact.len() >= QUERIES {
            self.exact.clear();
            self.contradictions.clear();
            self.latest.clear();
        }
        if self.is_contradictory(query) {
            self.exact.insert(key.into(), Known::Unsat);
            return (Verdict::Unsat, true);
        }
        if let Some(model) = self.fitting_model(exprs, query) {
            self.exact.insert(key.into(), Known::Sat(model.clone()));
            return (Verdict::Sat((*model).clone()), true);
        }
        let verdict = below.check(exprs, query);
        match &verdict {
            Verdict::Sat(model) => {
                let model = Arc::new(model.clone());
                self.remember_model(query, model.clone());
                self.exact.insert(key.into(), Known::Sat(model));
            }
            Verdict::Unsat => {
                self.remember_contradiction(query, &key);
                self.exact.insert(key.into(), Known::Unsat);
            }
            // Another attempt may have more time, so this is not remembered.
            Verdict::Unknown(_) => {}
        }
        (verdict, false)
    }
}

impl Cache {
    fn is_contradictory(&self, query: Query<'_>) -> bool {
        let mut known: Option<FxHashSet<ExprId>> = None;
        query.goals.iter().filter_map(|goal| self.contradictions.get(goal)).flatten().any(|set| {
            let all = known.get_or_insert_with(|| query.constraints().collect());
            set.iter().all(|constraint| all.contains(constraint))
        })
    }

    fn remember_contradiction(&mut self, query: Query<'_>, key: &[ExprId]) {
        let set: Arc<[ExprId]> = key.into();
        for goal in query.goals {
            let sets = self.contradictions.entry(*goal).or_default();
            sets.push_front(set.clone());
            sets.truncate(CONTRADICTIONS);
        }
    }

    /// A model that satisfies the query. The path's own model is tried first, then the latest ones.
    fn fitting_model(&mut self, exprs: &Exprs, query: Query<'_>) -> Option<Arc<Assignment>> {
        let of_path = query.path_condition.last().and_then(|last| self.latest.get(last));
        let of_path = of_path.and_then(|number| number.checked_sub(self.forgotten));
        let latest = (0..self.models.len()).rev().take(TRIED);
        let candidates: Vec<_> =
            of_path.map(|index| index as usize).into_iter().chain(latest).collect();
        for index in candidates {
            let Model { assignment, memo } = &mut self.models[index];
            if memo.len() > MEMO {
                *memo = Memo::default();
            }
            let mut evaluator = Evaluator::new(exprs, assignment, memo);
            // New constraints are the most likely to fail.
            let mut constraints = query.goals.iter().chain(query.path_condition.iter().rev());
            if constraints.all(|constraint| evaluator.holds(*constraint)) {
                let assignment = assignment.clone();
                self.note_latest(query, self.forgotten + index as u64);
                let mentioned = restricted(exprs, query, &assignment);
                return Some(Arc::new(mentioned));
            }
        }
        None
    }

    fn remember_model(&mut self, query: Query<'_>, assignment: Arc<Assignment>) {
        if self.models.len() == MODELS {
            self.models.pop_front();
            self.forgotten += 1;
        }
        self.models.push_back(Model { assignment, memo: Memo::default() });
        self.note_latest(query, self.forgotten + self.models.len() as u64 - 1);
    }

    fn note_latest(&mut self, query: Query<'_>, number: u64) {
        if let Some(end) = query.goals.last().or(query.path_condition.last()) {
            self.latest.insert(*end, number);
        }
    }
}

/// The model without the variables that the query does not mention. Constraints that are decided
/// separately may need other values for them.
fn restricted(exprs: &Exprs, query: Query<'_>, model: &Assignment) -> Assignment {
    let mut values = Assignment::default();
    for constraint in query.constraints() {
        for v in exprs.variables(constraint).iter() {
            if let Some(value) = model.0.get(v) {
                values.0.entry(*v).or_insert_with(|| value.clone());
            }
        }
    }
    values
}
