//! What short plain runs showed, kept for the next ones: the same inputs are looked at again, and some
//! revisions print on and on.

use std::collections::BTreeMap;

use crate::{
    errors::ENDLESS_PREFIX,
    replay::{Outcome, TestInput},
    subject::Revision,
};

/// Of runs that may never end, this much of what they print is looked at, more than what
/// is compared of them.
pub(super) const ENDLESS_OUTPUT: u64 = ENDLESS_PREFIX as u64 * 5 / 4;
/// Bytes remembered before all are forgotten.
const MOST_BYTES: usize = 1 << 25;
/// What a run costs that showed next to nothing.
const LEAST_BYTES: usize = 512;
/// After so many runs in a row that printed more than is looked at, a revision is loud.
const LOUD: usize = 3;
/// So much is looked at then.
const LOUD_OUTPUT: u64 = ENDLESS_OUTPUT / 8;

/// Runs that were no more than looked at.
#[derive(Debug, Default)]
pub(super) struct Glances {
    /// Those that came to their end and left no file.
    ended: BTreeMap<TestInput, BTreeMap<Revision, Outcome>>,
    /// Of these.
    bytes: usize,
    /// How many runs in a row printed more than is looked at.
    loud: BTreeMap<Revision, usize>,
}

impl Glances {
    /// What is known of a test.
    pub(super) fn of(&self, test: &TestInput) -> BTreeMap<Revision, Outcome> {
        self.ended.get(test).cloned().unwrap_or_default()
    }

    /// How many bytes of each text of the next run are looked at.
    pub(super) fn output(&self, revision: Revision) -> u64 {
        match self.loud.get(&revision) {
            Some(LOUD..) => LOUD_OUTPUT,
            _ => ENDLESS_OUTPUT,
        }
    }

    /// Takes note of a run for which so much was looked at.
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
        // Too much in files is no text.
        glances.add(&test(9), Revision(2), &outcome(Termination::OutputLimit, 3), ENDLESS_OUTPUT);
        assert!(!glances.loud.contains_key(&Revision(2)));
        glances.add(&test(9), REVISION, &outcome(Termination::Exit(0), 3), LOUD_OUTPUT);
        assert_eq!(glances.output(REVISION), ENDLESS_OUTPUT);
    }
}
