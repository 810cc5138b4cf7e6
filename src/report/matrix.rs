//! The table of verdicts in the report: what is known about each two revisions.
//!
//! Revisions share a row and a column if they are proved equivalent and their verdicts with all
//! others are the same.

use std::collections::BTreeMap;

use maud::{Markup, html as markup};

use super::{data::Report, labels::Labels, verdicts::Verdicts};
use crate::{
    results::{PairRow, Verdict},
    subject::{Revision, RevisionSet},
};

/// The most rows of a table that a person may still look at. Its size is their square.
const MOST: usize = 256;

/// The verdicts on all pairs of revisions that take part.
pub(super) fn matrix(report: &Report, labels: &Labels, verdicts: &Verdicts) -> Markup {
    let taking_part = report.revisions.iter().filter(|row| row.status.takes_part());
    let groups = alike(&taking_part.map(|row| row.revision).collect(), verdicts);
    if groups.len() > MOST {
        return markup! {
            p { "Of " (groups.len()) " revisions each is different or may be: too many for a "
                "table. " code { "pairs.csv" } " has a line for each two." }
        };
    }
    let pairs: BTreeMap<(Revision, Revision), &PairRow> =
        report.pairs.iter().map(|row| ((row.a.min(row.b), row.a.max(row.b)), row)).collect();
    let reason = |a: Revision, b: Revision| {
        pairs.get(&(a.min(b), a.max(b))).map_or_else(String::new, |row| reason(row))
    };
    let name = |group: &RevisionSet| {
        let names = group.iter().take(NAMES).map(|revision| labels.revision(revision));
        let more = group.len().saturating_sub(NAMES);
        let more = (more > 0).then(|| format!("{more} more"));
        names.chain(more).collect::<Vec<_>>().join(" ≡ ")
    };
    let firsts: Vec<Revision> = groups.iter().filter_map(RevisionSet::first).collect();
    markup! {
        div.picture {
            table.matrix {
                tr { th {} @for column in &firsts { th { (column) } } }
                @for (group, row) in groups.iter().zip(&firsts) {
                    tr {
                        th { (name(group)) }
                        @for column in &firsts {
                            @let verdict = verdicts.get(*row, *column);
                            @if row != column {
                                td class={ "cell " (verdict) } title=(reason(*row, *column)) {
                                    (sign(verdict))
                                }
                            } @else if group.len() > 1 {
                                td class={ "cell " (verdict) } { (sign(verdict)) }
                            } @else {
                                td.cell {}
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The most names of revisions in one row.
const NAMES: usize = 6;

/// Groups revisions that are proved equivalent, if they have the same verdict with every other
/// revision.
fn alike(revisions: &RevisionSet, verdicts: &Verdicts) -> Vec<RevisionSet> {
    let is_one = |group: &RevisionSet| {
        group.first().is_some_and(|first| {
            let others = revisions.difference(group);
            let same = |member: Revision| {
                others.iter().all(|r| verdicts.get(member, r) == verdicts.get(first, r))
                    && group.iter().all(|r| verdicts.get(member, r) == Verdict::Equivalent)
            };
            group.iter().all(same)
        })
    };
    let apart = |group: RevisionSet| match is_one(&group) {
        true => vec![group],
        false => group.iter().map(|revision| RevisionSet::from_iter([revision])).collect(),
    };
    let mut groups: Vec<RevisionSet> =
        verdicts.leaf(revisions).groups.into_iter().flat_map(apart).collect();
    groups.sort_by_key(RevisionSet::first);
    groups
}

/// What is known about a pair, in words.
fn reason(row: &PairRow) -> String {
    let place = if row.verdict == Verdict::Internal { " in inner/" } else { "" };
    let test = row.test.map_or(String::new(), |test| format!(" by test {test}{place}"));
    let output = if row.output.is_empty() { "" } else { &format!(" in {}", row.output) };
    let reason = if row.reason.is_empty() { "" } else { &format!(": {}", row.reason) };
    format!("{} and {}: {}{test}{output}{reason}", row.a.min(row.b), row.a.max(row.b), row.verdict)
}

/// The sign that stands for a verdict.
pub(super) fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Distinguished => "≠",
        Verdict::Internal => "≈",
        Verdict::Equivalent => "≡",
        Verdict::EquivalentUnlessFailing => "≅",
        Verdict::Unknown => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_of_which_the_same_is_known_have_one_row() {
        let row = |a: u32, b: u32, verdict| PairRow {
            a: Revision(a),
            b: Revision(b),
            verdict,
            test: None,
            output: String::new(),
            code: Vec::new(),
            reason: String::new(),
        };
        let pairs = |odd| {
            [
                row(0, 2, Verdict::Equivalent),
                row(0, 1, Verdict::Distinguished),
                row(1, 2, Verdict::Distinguished),
                row(0, 3, Verdict::Unknown),
                row(2, 3, odd),
                row(1, 3, Verdict::Distinguished),
            ]
        };
        let set = |revisions: &[u32]| revisions.iter().copied().map(Revision).collect();
        let all: RevisionSet = set(&[0, 1, 2, 3]);
        let of = |odd| alike(&all, &Verdicts::new(&pairs(odd)));
        assert_eq!(of(Verdict::Unknown), [set(&[0, 2]), set(&[1]), set(&[3])]);
        assert_eq!(of(Verdict::Distinguished), [0, 1, 2, 3].map(|r| set(&[r])));
    }
}
