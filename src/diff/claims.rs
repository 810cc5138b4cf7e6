//! What becomes of claims of equivalence when no more states will come: proofs, or doubts.

use super::{
    differ::Differ,
    proof::{Audit, End},
    reason::Reason,
};
use crate::{
    env::Halt,
    exec::HaltState,
    explore::Exhausted,
    expr::ExprId,
    solver::{self, Query, Solver},
    subject::Revision,
};

impl Differ<'_> {
    /// Audits every claim of equivalence ([`Pairs::claims`](super::Pairs::claims)) and records its
    /// proof, or what it lacks.
    pub(super) fn prove(&mut self, exhausted: &Exhausted) {
        self.doubt_malformed();
        let audit = Audit {
            ends: self.states.iter().map(End::from).collect(),
            paths: &self.paths,
            refutations: &self.refutations,
            exhausted,
        };
        for (pair, judgement) in audit.judge(&self.pairs.claims()) {
            match judgement {
                Ok(proof) => self.pairs.prove(pair, proof),
                Err(reason) => self.pairs.doubt_pair(pair, reason),
            }
        }
    }

    /// Doubts the pairs of revisions that may find input malformed which the original reads: it is
    /// not known what they do with it.
    fn doubt_malformed(&mut self) {
        let (exprs, states) = (&self.task.program.exprs, &self.states);
        let is_of_original = |state: &HaltState| state.revisions.contains(Revision::ORIGINAL);
        let is_malformed = |index: &usize| states[*index].halt == Halt::Malformed;
        let all = (0..states.len()).filter(is_malformed);
        let (of_original, others): (Vec<usize>, Vec<usize>) =
            all.partition(|index| is_of_original(&states[*index]));
        if others.is_empty() {
            return;
        }
        let not_taken = |index: usize| exprs.not(exprs.all(states[index].path_condition.clone()));
        let is_well_formed: Vec<ExprId> = of_original.into_iter().map(not_taken).collect();
        let mut solver = solver::chain(&self.task.solver);
        let mut claims = self.pairs.claims();
        let mut doubted = Vec::new();
        for b in others {
            let (path, y) = (&states[b].path_condition, &states[b].revisions);
            let overlapping = self.paths.overlapping(path).into_iter();
            for a in overlapping.filter(|a| *a <= b && is_malformed(a)) {
                let x = &states[a].revisions;
                let is_between = |(one, other): &mut (Revision, Revision)| {
                    let ends = |p, q| x.contains(p) && y.contains(q);
                    ends(*one, *other) || ends(*other, *one)
                };
                let goals = [&states[a].path_condition, &is_well_formed[..]].concat();
                let query = Query { path_condition: path, goals: &goals, model: None };
                if claims.iter_mut().any(&is_between) && !solver.check(exprs, query).is_unsat() {
                    doubted.extend(claims.extract_if(.., is_between));
                }
            }
        }
        for pair in doubted {
            self.pairs.doubt_pair(pair, Reason::Outside);
        }
    }
}
