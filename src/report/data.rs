//! What a report is made of.

use std::collections::BTreeMap;

use super::{
    interaction::Interaction,
    labels::{Labels, OutcomeDescription, TestDescription},
    verdicts::Verdicts,
};
use crate::{
    results::{
        Clustering, DivergenceRow, PairRow, RangeRow, RevisionRow, ShareRow, StatsRow, SummaryRow,
        TestId, TestRow,
    },
    subject::Revision,
    tree::Solution,
};

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// One row about the whole run.
    pub summary: SummaryRow,
    /// The time spent in each phase, and other figures.
    pub stats: Vec<StatsRow>,
    /// The patches and what became of them; the original is first.
    pub revisions: Vec<RevisionRow>,
    /// The SHA-256 of each source of the original, in hexadecimal, by the name of its file.
    pub sources: BTreeMap<String, String>,
    /// The patches as diffs. A patch that could not be made one has the reason instead.
    pub diffs: BTreeMap<Revision, String>,
    /// The tests.
    pub tests: Vec<TestRow>,
    /// The inputs of the tests.
    pub inputs: BTreeMap<TestId, TestDescription>,
    /// The outcomes of each test, one for each cluster.
    pub outcomes: BTreeMap<(TestId, Revision), OutcomeDescription>,
    /// Whether an outcome is right, by its test and cluster; without those for which it is unknown.
    pub right: BTreeMap<(TestId, Revision), bool>,
    /// The revision whose outcomes are right, if one is known.
    pub reference: Option<Revision>,
    /// The clusterings of the tests.
    pub clusterings: Vec<Clustering>,
    /// The verdict on each pair of revisions.
    pub pairs: Vec<PairRow>,
    /// Where revisions differ, as ranges of an input that is a number.
    pub ranges: Vec<RangeRow>,
    /// The shares of inputs on which revisions behave differently from the original.
    pub shares: Vec<ShareRow>,
    /// The divergences, if they were looked for.
    pub divergences: Option<Vec<DivergenceRow>>,
    /// The decision tree, and what is proved about it.
    pub solution: Solution,
    /// The bounds and assumptions under which the verdicts hold, a phrase each.
    pub bounds: Vec<String>,
    /// Which changes interact, if the revisions are subsets of the changes of one patch.
    pub interaction: Option<Interaction>,
}

impl Report {
    /// Names and descriptions of the revisions, tests and outcomes.
    pub fn labels(&self) -> Labels {
        let inputs = self.inputs.iter();
        Labels {
            inputs: inputs.map(|(test, input)| (*test, input.input.clone())).collect(),
            outcomes: self.outcomes.clone(),
            ..Labels::of_patches(&self.revisions)
        }
    }

    /// The verdict on each pair of revisions.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.pairs)
    }
}
