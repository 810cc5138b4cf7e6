//! Which rows are told apart, for clusterings in which tests are silent on some revisions.
//!
//! Some pairs of different rows are then told apart by no test. Being told apart is a graph on the
//! rows. Its cliques, sets of rows in which any two are joined, bound a tree from below: no leaf
//! has two rows of one clique.

use std::cmp::Reverse;

use super::question::Question;

/// For each row, one bit for every other row that some test tells it apart from.
pub(super) struct Apart {
    words: usize,
    bits: Vec<u64>,
}

impl Apart {
    pub fn new(rows: usize, questions: &[Question]) -> Self {
        let words = rows.div_ceil(64);
        let mut bits = vec![0; rows * words];
        for question in questions {
            let of = |cluster| {
                let own = |row: &u16| question.cluster(*row) == Some(cluster);
                members(words, (0..rows as u16).filter(own))
            };
            let parts: Vec<Vec<u64>> = question.clusters.iter().map(|c| of(*c)).collect();
            let known = |word: usize| parts.iter().fold(0, |all, part| all | part[word]);
            let known: Vec<u64> = (0..words).map(known).collect();
            for row in 0..rows {
                let Some(cluster) = question.cluster(row as u16) else { continue };
                let own = &parts[question.clusters.partition_point(|c| *c < cluster)];
                let others = &mut bits[row * words..(row + 1) * words];
                for ((others, known), own) in others.iter_mut().zip(&known).zip(own) {
                    *others |= known & !own;
                }
            }
        }
        Self { words, bits }
    }

    /// The rows that `row` is told apart from, one bit each.
    pub fn of(&self, row: u16) -> &[u64] {
        &self.bits[usize::from(row) * self.words..][..self.words]
    }

    pub fn is_settled(&self, set: &[u16]) -> bool {
        let members = members(self.words, set.iter().copied());
        set.iter().all(|row| self.common(*row, &members) == 0)
    }

    /// Rows of `set` that are all told apart from each other, in ascending order. They are chosen
    /// greedily, beginning with those that are told apart from the most others.
    pub fn spread(&self, set: &[u16]) -> Vec<u16> {
        let within = members(self.words, set.iter().copied());
        let degree = |row: &u16| (Reverse(self.common(*row, &within)), *row);
        let mut order: Vec<(Reverse<u32>, u16)> = set.iter().map(degree).collect();
        order.sort_unstable();
        let mut spread: Vec<u16> = Vec::new();
        for (_, row) in order {
            if spread.iter().all(|other| self.tells(row, *other)) {
                spread.push(row);
            }
        }
        spread.sort_unstable();
        spread
    }

    fn tells(&self, a: u16, b: u16) -> bool {
        self.of(a)[usize::from(b) / 64] & 1 << (b % 64) != 0
    }

    /// Number of rows among `members` that the row is told apart from.
    fn common(&self, row: u16, members: &[u64]) -> u32 {
        self.of(row).iter().zip(members).map(|(a, b)| (a & b).count_ones()).sum()
    }
}

fn members(words: usize, rows: impl Iterator<Item = u16>) -> Vec<u64> {
    let mut bits = vec![0; words];
    for row in rows {
        bits[usize::from(row) / 64] |= 1 << (row % 64);
    }
    bits
}
