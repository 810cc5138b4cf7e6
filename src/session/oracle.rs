//! Judges the outcomes of tests by what a subject says is right.

use std::collections::BTreeMap;

use super::{inputs::GivenTest, rows::ending};
use crate::{
    diff::DifferentialTest,
    replay::{Outcome, Termination, TestInput},
    results::TestId,
    subject::{Revision, Subject},
};

/// Whether outcomes of `tests` are right, by test and cluster. `revisions` are those of the tests'
/// outcomes.
///
/// What a `given` test says comes first, then the reference, unless it fails itself. Failing that,
/// the implicit oracle takes errors to be wrong.
pub(super) fn right(
    subject: &Subject,
    given: &[GivenTest],
    tests: &[DifferentialTest],
    revisions: &[Revision],
) -> BTreeMap<(TestId, Revision), bool> {
    let given: BTreeMap<&TestInput, &GivenTest> =
        given.iter().filter(|given| given.is_judged()).map(|given| (&given.input, given)).collect();
    let mut right = BTreeMap::new();
    for test in tests {
        let outcome = |revision: Revision| {
            let index = revisions.iter().position(|known| *known == revision)?;
            test.outcomes.get(index)
        };
        let fails = |revision| outcome(revision).is_some_and(is_error);
        let of_reference = subject
            .reference
            .and_then(|reference| test.clustering.cluster(reference))
            .filter(|cluster| !fails(*cluster));
        for cluster in test.clustering.groups().into_keys() {
            let is_right = match (given.get(&test.input), of_reference) {
                (Some(given), _) => Some(outcome(cluster).is_some_and(|it| given.accepts(it))),
                (None, Some(right)) => Some(cluster == right),
                (None, None) => (subject.config.oracle.implicit && fails(cluster)).then_some(false),
            };
            right.extend(is_right.map(|is_right| ((test.test, cluster), is_right)));
        }
    }
    right
}

/// Whether a run failed, was stopped or went on after an error.
pub(super) fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome.termination, Termination::Signal(_)) || !ending(outcome).is_empty()
}

impl GivenTest {
    /// Whether something is known to be right.
    fn is_judged(&self) -> bool {
        self.stdout.is_some() || self.exit.is_some()
    }

    /// Whether an outcome is the right one: the run ended by itself and without an error, and shows
    /// what is known. A newline at the end of standard output does not count.
    fn accepts(&self, outcome: &Outcome) -> bool {
        let Termination::Exit(code) = outcome.termination else { return false };
        let line = |text: &[u8]| text.strip_suffix(b"\n").unwrap_or(text).to_vec();
        let prints = |right: &Vec<u8>| line(right) == line(&outcome.stdout);
        !is_error(outcome)
            && self.exit.is_none_or(|right| right == code)
            && self.stdout.as_ref().is_none_or(prints)
    }
}
