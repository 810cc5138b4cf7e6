//! A revision's run on a test ([`Run`]).

use std::sync::Arc;

use anyhow::Context;

use crate::{
    diff,
    env::libc::stdin::Stdin,
    exec::{self, Channel, Clock, Program, Record, State, record},
    explore::Search,
    expr::{Assignment, ExprId, VariableId},
    replay::TestInput,
    session::{
        SearchOptions,
        alone::Alone,
        beginning::{beginning, symbolic_beginning},
    },
    subject::Subject,
};

/// The greatest number of instructions of a run.
const STEPS: usize = 1 << 22;

/// A run of a revision on a test.
pub(super) struct Run {
    pub(super) program: Program,
    pub(super) record: Record,
    pub(super) seed: Arc<Assignment>,
    /// The number of whole numbers in standard input; 0 if it is read as bytes.
    numbers: usize,
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
        let run = |first: Vec<State>, seed: Assignment| {
            let seed = Arc::new(seed);
            let holds = |condition: &ExprId| !program.exprs.evaluate(*condition, &seed).is_zero();
            let is_it = |state: &State| state.path_condition.iter().all(holds);
            let first = first.into_iter().find(is_it).context("the program cannot begin so")?;
            anyhow::Ok((record(&program, first, &seed, limits, clock, STEPS), seed))
        };
        let start = symbolic_beginning(&program, subject)?;
        let mut of_bytes = start.clone();
        if let Stdin::Typed(_) = start.stdin {
            let length = input.stdin.as_ref().map_or(0, Vec::len);
            of_bytes.stdin = Stdin::symbolic(&program.exprs, length as u32);
        }
        let first = program.start(of_bytes)?;
        let (record, seed) = match diff::seeds(&program.exprs, &first, [input]).pop() {
            Some(seed) => run(first, seed)?,
            // `[inputs]` does not describe such an input, so all of it is fixed.
            None => {
                let (start, given) = beginning(&program, subject, input)?;
                run(exec::on(&program, start, &given), given)?
            }
        };
        // Whole numbers are easier to read than their digits.
        if let Stdin::Typed(_) = start.stdin
            && let Some(numbers) = whole_numbers(input)
        {
            let first = program.start(start)?;
            if let Some(seed) = diff::seeds(&program.exprs, &first, [input]).into_iter().next() {
                let (of_numbers, seed) = run(first, seed)?;
                if shows_the_same(&of_numbers, &record) {
                    return Ok(Self { program, record: of_numbers, seed, numbers });
                }
            }
        }
        Ok(Self { program, record, seed, numbers: 0 })
    }

    /// The name of a variable of the program as people read it.
    pub(super) fn name(&self, variable: VariableId) -> String {
        let name = self.program.exprs.variable_name(variable);
        let number = name.strip_prefix("stdin.").and_then(|rest| rest.split(':').next());
        match number.and_then(|number| number.parse::<usize>().ok()) {
            Some(_) if self.numbers == 1 => "n".into(),
            Some(number) => format!("n{}", number + 1),
            // The engine adds the width to the names of scalars.
            None => match name.rsplit_once(':') {
                Some((name, width)) if width.parse::<u32>().is_ok() => name.to_owned(),
                _ => name.to_owned(),
            },
        }
    }
}

/// The number of whole numbers that make up standard input; `None` if it is anything else.
fn whole_numbers(input: &TestInput) -> Option<usize> {
    let text = std::str::from_utf8(input.stdin.as_ref()?).ok()?;
    let numbers = text.split_whitespace().map(|word| word.parse::<i128>().ok());
    numbers.collect::<Option<Vec<_>>>().map(|numbers| numbers.len())
}

/// Whether two runs show the same and end in the same way.
fn shows_the_same(a: &Record, b: &Record) -> bool {
    let shown = |record: &Record| -> Vec<(Channel, u8)> {
        record.shown.iter().map(|shown| (shown.channel.clone(), shown.byte)).collect()
    };
    let ends = [a, b].map(|record| record.halt.as_ref().map(std::mem::discriminant));
    ends[0] == ends[1] && shown(a) == shown(b)
}
