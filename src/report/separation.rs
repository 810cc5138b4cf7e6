//! Checks that the tree does its work: to separate every pair that was told apart.

use std::fmt;

use super::data::Report;
use crate::{
    results::{TestId, Verdict},
    subject::Revision,
};

/// A pair of revisions that was told apart but stands at the same leaf.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Unseparated {
    /// The smaller revision.
    pub a: Revision,
    /// The larger revision.
    pub b: Revision,
    /// The test that told them apart.
    pub test: Option<TestId>,
    /// Why the two stand at the same leaf.
    pub why: WhyUnseparated,
}

/// Why a pair that was told apart stands at the same leaf.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum WhyUnseparated {
    /// The tree was cut off because the whole of it would be too large.
    CutOff,
    /// No clustering has the two in different clusters: verdicts and clusterings contradict each
    /// other.
    Clusterings,
}

impl fmt::Display for Unseparated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { a, b, test, why } = self;
        write!(f, "the tree does not separate {a} and {b}, told apart")?;
        if let Some(test) = test {
            write!(f, " by test {test}")?;
        }
        f.write_str(match why {
            WhyUnseparated::CutOff => {
                ": tests are silent on so many revisions that it would be too large and was cut off"
            }
            WhyUnseparated::Clusterings => {
                ": no clustering says so, which is a bug in this program"
            }
        })
    }
}

impl Report {
    /// The pairs of `pairs.csv` that were told apart but stand at the same leaf. There should be
    /// none; every run checks this.
    pub fn unseparated(&self) -> Vec<Unseparated> {
        let leaves = self.solution.tree.leaves();
        let share = |a, b| leaves.iter().any(|leaf| leaf.contains(a) && leaf.contains(b));
        let told_apart = self.pairs.iter().filter(|row| row.verdict == Verdict::Distinguished);
        told_apart
            .map(|row| (row.a.min(row.b), row.a.max(row.b), row.test))
            .filter(|(a, b, _)| share(*a, *b))
            .map(|(a, b, test)| {
                let cut_off = self.solution.together.contains(&(a, b));
                let why =
                    if cut_off { WhyUnseparated::CutOff } else { WhyUnseparated::Clusterings };
                Unseparated { a, b, test, why }
            })
            .collect()
    }
}
