//! How far revisions are from each other, and which of them are close: hierarchical clustering.

use std::collections::BTreeMap;

use crate::{
    results::{Clustering, DistanceRow},
    subject::{Revision, RevisionSet},
};

/// How far revisions are from each other. The distance of two is the part of the tests that tell
/// them apart, among those that have an outcome for both; 1 if there is no such test.
#[derive(Clone, Debug)]
pub struct Distances {
    /// The revisions, in ascending order.
    pub revisions: Vec<Revision>,
    /// The rows of `distances.csv`, in ascending order of the pairs.
    pub rows: Vec<DistanceRow>,
    /// The index in `rows` of the first pair of each revision.
    first: BTreeMap<Revision, usize>,
}

/// A group of revisions that are close to each other: one revision, or two groups.
#[derive(Clone, Debug, PartialEq)]
pub enum Dendrogram {
    /// A revision.
    Leaf(Revision),
    /// Two groups.
    Join {
        /// The mean distance of a revision of one group from one of the other.
        distance: f64,
        /// The groups; that of the smallest revision comes first.
        parts: Box<[Dendrogram; 2]>,
    },
}

impl Dendrogram {
    /// The revisions from first to last.
    pub fn leaves(&self) -> Vec<Revision> {
        match self {
            Self::Leaf(revision) => vec![*revision],
            Self::Join { parts, .. } => parts.iter().flat_map(Self::leaves).collect(),
        }
    }

    fn smallest(&self) -> Revision {
        self.leaves().into_iter().min().unwrap_or(Revision::ORIGINAL)
    }
}

impl Distances {
    /// The distances of `revisions` on these tests.
    pub fn new(revisions: &RevisionSet, clusterings: &[Clustering]) -> Self {
        let revisions: Vec<Revision> = revisions.iter().collect();
        // The cluster of each revision on each test. Pairs are many, and a look into a map is slow.
        let clusters = |revision: &Revision| -> Vec<Option<Revision>> {
            clusterings.iter().map(|clustering| clustering.cluster(*revision)).collect()
        };
        let clusters: Vec<Vec<Option<Revision>>> = revisions.iter().map(clusters).collect();
        let (mut rows, mut first) = (Vec::new(), BTreeMap::new());
        for (index, a) in revisions.iter().enumerate() {
            first.insert(*a, rows.len());
            for (other, b) in revisions.iter().enumerate().skip(index + 1) {
                let (mut apart, mut tests) = (0, 0);
                for (of_a, of_b) in clusters[index].iter().zip(&clusters[other]) {
                    if let (Some(of_a), Some(of_b)) = (of_a, of_b) {
                        tests += 1;
                        apart += u32::from(of_a != of_b);
                    }
                }
                rows.push(DistanceRow { a: *a, b: *b, apart, tests });
            }
        }
        Self { revisions, rows, first }
    }

    /// The row of a pair of different revisions.
    fn row(&self, a: Revision, b: Revision) -> &DistanceRow {
        let (a, b) = (a.min(b), a.max(b));
        let place = |revision| self.revisions.partition_point(|known| *known < revision);
        &self.rows[self.first[&a] + place(b) - place(a) - 1]
    }

    /// Number of tests that tell two revisions apart.
    pub fn apart(&self, a: Revision, b: Revision) -> u32 {
        if a == b { 0 } else { self.row(a, b).apart }
    }

    /// The distance of two revisions, from 0 to 1.
    pub fn between(&self, a: Revision, b: Revision) -> f64 {
        if a == b {
            return 0.0;
        }
        let DistanceRow { apart, tests, .. } = self.row(a, b);
        if *tests == 0 { 1.0 } else { f64::from(*apart) / f64::from(*tests) }
    }

    /// Joins the two closest groups again and again, by the mean distance of their revisions
    /// (UPGMA, Sokal and Michener, "A statistical method for evaluating systematic relationships",
    /// 1958); `None` without revisions.
    pub fn dendrogram(&self) -> Option<Dendrogram> {
        let mut groups: Vec<(Dendrogram, usize)> =
            self.revisions.iter().map(|revision| (Dendrogram::Leaf(*revision), 1)).collect();
        let distance = |a: &Revision| self.revisions.iter().map(|b| self.between(*a, *b)).collect();
        let mut distances: Vec<Vec<f64>> = self.revisions.iter().map(distance).collect();
        while groups.len() > 1 {
            let (mut closest, mut least) = ((0, 1), f64::INFINITY);
            for (i, row) in distances.iter().enumerate() {
                for (j, distance) in row.iter().enumerate().skip(i + 1) {
                    if *distance < least {
                        (closest, least) = ((i, j), *distance);
                    }
                }
            }
            let (i, j) = closest;
            let (second, size) = groups.remove(j);
            let gone = distances.remove(j);
            distances.iter_mut().for_each(|row| _ = row.remove(j));
            let (first, other) = groups[i].clone();
            let gone = gone.into_iter().enumerate().filter(|(k, _)| *k != j);
            let (other_size, all) = (other as f64, (other + size) as f64);
            let mean = |(known, (_, gone)): (&f64, (usize, f64))| {
                (other_size * known + size as f64 * gone) / all
            };
            let mut joined: Vec<f64> = distances[i].iter().zip(gone).map(mean).collect();
            joined[i] = 0.0;
            distances.iter_mut().zip(&joined).for_each(|(row, distance)| row[i] = *distance);
            distances[i] = joined;
            let mut parts = Box::new([first, second]);
            parts.sort_by_key(Dendrogram::smallest);
            groups[i] = (Dendrogram::Join { distance: least, parts }, other + size);
        }
        groups.pop().map(|(dendrogram, _)| dendrogram)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::results::TestId;

    fn clusterings(table: &[Vec<Option<u8>>]) -> Vec<Clustering> {
        let clustering = |(test, answers): (u32, &Vec<Option<u8>>)| {
            let known = (0..).map(Revision).zip(answers).filter_map(|(r, a)| Some((r, (*a)?)));
            Clustering::new(TestId(test), known)
        };
        (0..).zip(table).map(clustering).collect()
    }

    /// Checks that each join is at the mean distance of its revisions, and not below its parts.
    fn check(dendrogram: &Dendrogram, distances: &Distances) -> f64 {
        let Dendrogram::Join { distance, parts } = dendrogram else { return 0.0 };
        let [left, right] = [parts[0].leaves(), parts[1].leaves()];
        let all = left.iter().flat_map(|a| right.iter().map(|b| distances.between(*a, *b)));
        let mean = all.sum::<f64>() / (left.len() * right.len()) as f64;
        assert!((mean - distance).abs() < 1e-9, "{mean} {distance}");
        for part in parts.iter() {
            assert!(check(part, distances) <= distance + 1e-9);
        }
        assert!(left.iter().min() < right.iter().min());
        *distance
    }

    proptest! {
        #[test]
        fn groups_are_at_their_mean_distance(
            table in prop::collection::vec(
                prop::collection::vec(prop::option::weighted(0.8, 0u8..3), 7), 0..6
            )
        ) {
            let clusterings = clusterings(&table);
            let all: RevisionSet = (0..7).map(Revision).collect();
            let distances = Distances::new(&all, &clusterings);
            for (a, b) in (0..7).flat_map(|a| (0..7).map(move |b| (Revision(a), Revision(b)))) {
                let apart = clusterings.iter().filter(|c| c.tells_apart(a, b)).count();
                prop_assert_eq!(distances.apart(a, b) as usize, apart);
                prop_assert_eq!(distances.between(a, b), distances.between(b, a));
            }
            let dendrogram = distances.dendrogram().unwrap();
            check(&dendrogram, &distances);
            let mut leaves = dendrogram.leaves();
            leaves.sort();
            prop_assert_eq!(leaves, distances.revisions);
        }
    }

    #[test]
    fn the_closest_are_joined_first() {
        let halves = vec![0, 0, 1, 1];
        let table = [halves.clone(), halves.clone(), halves, vec![0, 0, 0, 1]];
        let table: Vec<Vec<Option<u8>>> =
            table.iter().map(|row| row.iter().copied().map(Some).collect()).collect();
        let all: RevisionSet = (0..4).map(Revision).collect();
        let distances = Distances::new(&all, &clusterings(&table));
        let leaf = |r| Dendrogram::Leaf(Revision(r));
        let join = |distance, parts| Dendrogram::Join { distance, parts: Box::new(parts) };
        let pair = join(0.0, [leaf(0), leaf(1)]);
        let others = join(0.25, [leaf(2), leaf(3)]);
        assert_eq!(distances.dendrogram(), Some(join(0.875, [pair, others])));
        assert_eq!(Distances::new(&RevisionSet::new(), &[]).dendrogram(), None);
    }
}
