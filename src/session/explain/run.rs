//! A revision's run on a test ([`Run`]).

use std::sync::Arc;

use anyhow::Context;

use crate::{
    diff,
    exec::{self, Clock, Program, Record, State, record},
    explore::Search,
    expr::{Assignment, ExprId},
    replay::TestInput,
    session::{
        SearchOptions,
        alone::Alone,
        beginning::{beginning, symbolic_beginning},
    },
    subject::Subject,
};

/// The most instructions of a run.
const STEPS: usize = 1 << 22;

/// A run of a revision on a test.
pub(super) struct Run {
    pub(super) program: Program,
    pub(super) record: Record,
    pub(super) seed: Arc<Assignment>,
}

impl Run {
    /// Runs a revision on `input`, whose bytes stay variables where `[inputs]` says that they are.
    pub(super) fn new(
        subject: &Subject,
        alone: Alone,
        input: &TestInput,
        clock: Clock<'_>,
    ) -> anyhow::Result<Self> {
        let options = SearchOptions::default();
        let mut program = Program::new(alone.module, &options.models()?.with_terms());
        program.uninitialised = subject.config.uninitialised;
        let limits = options.config(Search::Dfs, &subject.config.budget).limits;
        let first = program.start(symbolic_beginning(&program, subject, input)?)?;
        let seed = diff::seeds(&program.exprs, &first, [input]).pop();
        let (first, seed) = match seed {
            Some(seed) => (first, seed),
            // Such an input is not described: all of it is known then.
            None => {
                let (start, given) = beginning(&program, subject, input)?;
                (exec::on(&program, start, &given), given)
            }
        };
        let seed = Arc::new(seed);
        let holds = |condition: &ExprId| !program.exprs.evaluate(*condition, &seed).is_zero();
        let is_it = |state: &State| state.path_condition.iter().all(holds);
        let first = first.into_iter().find(is_it).context("the program cannot begin so")?;
        let record = record(&program, first, &seed, limits, clock, STEPS);
        Ok(Self { program, record, seed })
    }
}
