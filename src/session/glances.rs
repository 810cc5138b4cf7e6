//! A memory of glances: short plain native runs that only hint which tests are worth a replay. It
//! is kept because the same inputs are glanced at again, and because some revisions print without
//! end.

use std::collections::BTreeMap;

use crate::{
    errors::ENDLESS_PREFIX,
    replay::{Outcome, TestInput},
    subject::Revision,
};

/// The number of bytes that a run that may never end can print to each of its outputs before it is
/// stopped. It is more than what is compared of such a run.
pub(super) const ENDLESS_OUTPUT: u64 = ENDLESS_PREFIX as u64 * 5 / 4;
/// The number of bytes to remember; past it, all outcomes are forgotten.
const MOST_BYTES: usize = 1 << 25;
/// The number of bytes that a remembered run counts for beside what it printed.
const LEAST_BYTES: usize = 512;
/// A revision is loud after this number of runs that reached the limit on output, with none between
/// them that ended by itself.
const LOUD: usize = 3;
/// The limit, as [`ENDLESS_OUTPUT`], for revisions that are loud.
const LOUD_OUTPUT: u64 = ENDLESS_OUTPUT / 8;

/// The glances of a session.
#[derive(Debug, Default)]
pub(super) struct Glances {
    /// Outcomes of glances that ended by themselves and left no file.
    ended: BTreeMap<TestInput, BTreeMap<Revision, Outcome>>,
    /// The number of bytes that `ended` counts for.
    bytes: usize,
    /// For each revision, the number of runs that reached the limit on output since one of its runs
    /// last ended by itself.
    loud: BTreeMap<Revision, usize>,
}

impl Glances {
    /// The outcomes that are remembered for a test.
    pub(super) fn of(&self, test: &TestInput) -> BTreeMap<Revision, Outcome> {
        self.ended.get(test).cloned().unwrap_or_default()
    }

    /// The limit, in bytes, on each output of the next run of `revision`.
    pub(super) fn output(&self, revision: Revision) -> u64 {
        match self.loud.get(&revision) {
            Some(LOUD..) => LOUD_OUTPUT,
            _ => ENDLESS_OUTPUT,
        }
    }

    /// Takes note of a run whose outputs were limited to `output` bytes each.
    pub(super) fn add(
        &mut self,
        test: &TestInput,
        revision: Revision,
        outcome: &Outcome,
        output: u64,
    ) {
        let texts = [&outcome.stdout, &outcome.stderr];
        if outcome.termination.is_endless() {
            if texts.iter().any(|text| text.len() as u64 >= output) {
                *self.loud.entry(revision).or_default() += 1;
            }
            return;
        }
        self.loud.remove(&revision);
        if !outcome.files.is_empty() {
            return;
        }
        let outputs = outcome.outputs.values();
        self.bytes += LEAST_BYTES + texts.into_iter().chain(outputs).map(Vec::len).sum::<usize>();
        if self.bytes > MOST_BYTES {
            self.ended.clear();
            self.bytes = 0;
        }
        self.ended.entry(test.clone()).or_default().insert(revision, outcome.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Termination;

    const REVISION: Revision = Revision(1);

    fn test(stdin: usize) -> TestInput {
        TestInput { stdin: Some(stdin.to_string().into_bytes()), ..TestInput::default() }
    }

    fn outcome(termination: Termination, printed: usize) -> Outcome {
        Outcome::of(termination, &vec![b'x'; printed])
    }

    #[test]
    fn what_ended_is_remembered() {
        let mut glances = Glances::default();
        let short = outcome(Termination::Exit(0), 3);
        glances.add(&test(0), REVISION, &short, ENDLESS_OUTPUT);
        glances.add(&test(1), REVISION, &outcome(Termination::Timeout, 3), ENDLESS_OUTPUT);
        assert_eq!(glances.of(&test(0)), BTreeMap::from([(REVISION, short)]));
        assert!(glances.of(&test(1)).is_empty());
        assert_eq!(glances.ended.len(), 1);
        for number in 2..40 {
            let long = outcome(Termination::Exit(0), 1 << 20);
            glances.add(&test(number), REVISION, &long, ENDLESS_OUTPUT);
            assert!(glances.ended.len() <= MOST_BYTES >> 20);
        }
        assert!(glances.of(&test(0)).is_empty());
    }

    #[test]
    fn who_prints_on_and_on_is_loud_until_a_run_ends() {
        let mut glances = Glances::default();
        for runs in 0..=LOUD {
            let looked = glances.output(REVISION);
            assert_eq!(looked == LOUD_OUTPUT, runs == LOUD);
            let loud = outcome(Termination::OutputLimit, looked as usize);
            glances.add(&test(runs), REVISION, &loud, looked);
        }
        // The limit on output was reached by files, not by text.
        glances.add(&test(9), Revision(2), &outcome(Termination::OutputLimit, 3), ENDLESS_OUTPUT);
        assert!(!glances.loud.contains_key(&Revision(2)));
        glances.add(&test(9), REVISION, &outcome(Termination::Exit(0), 3), LOUD_OUTPUT);
        assert_eq!(glances.output(REVISION), ENDLESS_OUTPUT);
    }
}
