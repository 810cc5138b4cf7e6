//! Tests as questions: a numbered answer for each row.

use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
};

/// The answer for a row on which a test is silent. There are too few rows for a real answer to have
/// this number.
pub(super) const SILENT: u16 = u16::MAX;

/// A test as the search sees it.
pub(super) struct Question {
    pub test: TestId,
    /// Size of its input.
    pub size: u64,
    /// The answer for each row: an index into `clusters`, or `SILENT`.
    pub answers: Vec<u16>,
    /// The cluster of each answer, in ascending order.
    pub clusters: Vec<Revision>,
}

impl Question {
    pub fn new(clustering: &Clustering, rows: &[RevisionSet], size: u64) -> Self {
        let of_row: Vec<Option<Revision>> = rows
            .iter()
            .map(|row| row.first().and_then(|revision| clustering.cluster(revision)))
            .collect();
        let mut clusters: Vec<Revision> = of_row.iter().copied().flatten().collect();
        clusters.sort_unstable();
        clusters.dedup();
        let answer = |cluster: Revision| clusters.partition_point(|c| *c < cluster) as u16;
        let answers = of_row.iter().map(|cluster| cluster.map_or(SILENT, answer)).collect();
        Self { test: clustering.test, size, answers, clusters }
    }

    /// The cluster into which the test puts the row; `None` if it is silent on the row.
    pub fn cluster(&self, row: u16) -> Option<Revision> {
        self.clusters.get(usize::from(self.answers[usize::from(row)])).copied()
    }
}
