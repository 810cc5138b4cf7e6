//! Clusterings: the partition of the revisions by outcome on one test.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use super::{ClusterRow, ResultsError, TestId, read_table};
use crate::subject::{Revision, RevisionSet};

/// The partition of the revisions that one test induces. A cluster is named by the smallest
/// revision in it.
///
/// ```
/// use psychic::{results::{Clustering, TestId}, subject::Revision};
///
/// let outcomes = [(Revision(0), "6"), (Revision(1), "error"), (Revision(2), "6")];
/// let clustering = Clustering::new(TestId(1), outcomes);
/// assert_eq!(clustering.cluster(Revision(2)), Some(Revision(0)));
/// assert_eq!(clustering.groups().len(), 2);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Clustering {
    /// The test.
    pub test: TestId,
    /// The cluster of every revision that ran the test.
    pub clusters: BTreeMap<Revision, Revision>,
}

impl Clustering {
    /// Puts revisions with equal outcomes into one cluster.
    pub fn new<O: Ord>(test: TestId, outcomes: impl IntoIterator<Item = (Revision, O)>) -> Self {
        let outcomes: BTreeMap<Revision, O> = outcomes.into_iter().collect();
        let mut smallest: BTreeMap<&O, Revision> = BTreeMap::new();
        let clusters = outcomes
            .iter()
            .map(|(revision, outcome)| (*revision, *smallest.entry(outcome).or_insert(*revision)))
            .collect();
        Self { test, clusters }
    }

    /// The cluster that `revision` is in, if it ran the test.
    pub fn cluster(&self, revision: Revision) -> Option<Revision> {
        self.clusters.get(&revision).copied()
    }

    /// The partition without its test: the cluster of each revision, in the order of the revisions.
    /// Clusterings of the same revisions are equal as partitions if their shapes are.
    pub fn shape(&self) -> Vec<Revision> {
        self.clusters.values().copied().collect()
    }

    /// Whether the test tells none of `revisions` apart: all of them that ran it had one outcome.
    pub fn joins(&self, revisions: &RevisionSet) -> bool {
        let mut clusters = revisions.iter().filter_map(|revision| self.cluster(revision));
        let first = clusters.next();
        clusters.all(|cluster| Some(cluster) == first)
    }

    /// Whether the test tells two revisions apart: both ran it, with different outcomes.
    pub fn tells_apart(&self, a: Revision, b: Revision) -> bool {
        self.cluster(a).zip(self.cluster(b)).is_some_and(|(a, b)| a != b)
    }

    /// The clusters, by their smallest revisions.
    pub fn groups(&self) -> BTreeMap<Revision, RevisionSet> {
        let mut groups: BTreeMap<Revision, RevisionSet> = BTreeMap::new();
        for (revision, cluster) in &self.clusters {
            groups.entry(*cluster).or_default().insert(*revision);
        }
        groups
    }

    /// The clustering as rows of `clusters.csv`.
    pub fn rows(&self) -> impl Iterator<Item = ClusterRow> + '_ {
        self.clusters.iter().map(|(revision, cluster)| ClusterRow {
            test: self.test,
            revision: *revision,
            cluster: *cluster,
        })
    }
}

/// Makes clusterings of rows, in the order of their tests. Whatever number a cluster has in the
/// rows, it is named by the smallest revision in it afterwards.
///
/// # Errors
/// The test and the revision, if the rows put one revision into two clusters of one test.
pub fn clusterings(rows: &[ClusterRow]) -> Result<Vec<Clustering>, (TestId, Revision)> {
    let mut tests: BTreeMap<TestId, BTreeMap<Revision, Revision>> = BTreeMap::new();
    for row in rows {
        match tests.entry(row.test).or_default().entry(row.revision) {
            Entry::Vacant(place) => {
                place.insert(row.cluster);
            }
            Entry::Occupied(place) if *place.get() != row.cluster => {
                return Err((row.test, row.revision));
            }
            Entry::Occupied(_) => {}
        }
    }
    Ok(tests.into_iter().map(|(test, clusters)| Clustering::new(test, clusters)).collect())
}

/// Reads the clusterings from a `clusters.csv`, which this tool or another one has written.
///
/// # Errors
/// The file cannot be read, is not such a table, or contradicts itself: see [`ResultsError`].
pub fn read_clusterings(path: &Path) -> Result<Vec<Clustering>, ResultsError> {
    clusterings(&read_table::<ClusterRow>(path)?)
        .map_err(|(test, revision)| ResultsError::TwoClusters { path: path.into(), test, revision })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(test: u32, revision: u32, cluster: u32) -> ClusterRow {
        ClusterRow { test: TestId(test), revision: Revision(revision), cluster: Revision(cluster) }
    }

    #[test]
    fn clusters_are_renamed_to_their_smallest_revision() {
        let rows = [row(4, 2, 77), row(4, 1, 5), row(4, 3, 77), row(2, 1, 0), row(4, 1, 5)];
        let read = clusterings(&rows).unwrap();
        assert_eq!(read[0].test, TestId(2));
        let names: Vec<_> = read[1].rows().collect();
        assert_eq!(names, [row(4, 1, 1), row(4, 2, 2), row(4, 3, 2)]);
    }

    #[test]
    fn a_revision_in_two_clusters_is_an_error() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("clusters.csv");
        std::fs::write(&path, "test,revision,cluster\n4,2,0\n4,2,2\n").unwrap();
        let message = read_clusterings(&path).unwrap_err().to_string();
        assert!(message.ends_with("test 4 has revision 2 in two clusters"), "{message}");
    }
}
