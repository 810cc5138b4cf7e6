//! What changed from one campaign to another, such as from one version of a tool to the next.

use std::{collections::BTreeMap, fmt};

use super::{median::median, row::CampaignRow};
use crate::results::{SummaryRow, Table};

/// What changed between two campaigns.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The subjects for which something else came out, in the order of the new campaign, and then
    /// those that it lacks.
    pub changes: Vec<Change>,
    /// Number of subjects that both have.
    pub common: usize,
    /// Number of subjects that only one of them has.
    pub single: usize,
    /// The median of new time over old time, of the subjects that both have decided.
    pub ratio: Option<f64>,
}

/// A subject for which something else came out.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Name of the subject.
    pub subject: String,
    /// What it was and what it is, by what that is.
    pub figures: Vec<(&'static str, String, String)>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.subject)?;
        for (index, (name, old, new)) in self.figures.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{name} {old} → {new}")?;
        }
        Ok(())
    }
}

/// The columns of the summary that do not depend on the machine.
const FIGURES: [&str; 10] = [
    "revisions",
    "rejected",
    "classes",
    "height",
    "distinguished",
    "internal",
    "equivalent",
    "equivalent_unless_failing",
    "unknown",
    "mismatches",
];

/// What came out for a subject; no figures if there is no summary.
fn figures(row: &CampaignRow) -> BTreeMap<&'static str, String> {
    let cells =
        row.summary.iter().flat_map(|summary| SummaryRow::COLUMNS.iter().zip(summary.cells()));
    let of_summary = cells.filter(|(name, _)| FIGURES.contains(name));
    let ended = [("ended", row.ended.to_string())];
    ended.into_iter().chain(of_summary.map(|(name, cell)| (*name, cell))).collect()
}

/// Compares the rows of two campaigns, subject by subject.
pub fn compare(old: &[CampaignRow], new: &[CampaignRow]) -> Comparison {
    let known: BTreeMap<&str, &CampaignRow> =
        old.iter().map(|row| (row.name.as_str(), row)).collect();
    let (mut changes, mut ratios, mut common) = (Vec::new(), Vec::new(), 0);
    let one_sided = |row: &CampaignRow, old: &str, new: &str| Change {
        subject: row.name.clone(),
        figures: vec![("ended", old.to_owned(), new.to_owned())],
    };
    for row in new {
        let Some(before) = known.get(row.name.as_str()) else {
            changes.push(one_sided(row, "absent", &row.ended.to_string()));
            continue;
        };
        common += 1;
        let (was, is) = (figures(before), figures(row));
        let names = std::iter::once("ended").chain(FIGURES);
        let of = |all: &BTreeMap<&str, String>, name: &str| {
            all.get(name).map_or_else(|| "–".to_owned(), String::clone)
        };
        let figures = names.map(|name| (name, of(&was, name), of(&is, name)));
        let figures: Vec<_> = figures.filter(|(_, was, is)| was != is).collect();
        if !figures.is_empty() {
            changes.push(Change { subject: row.name.clone(), figures });
        }
        let seconds = |row: &CampaignRow| {
            row.summary.as_ref().filter(|_| row.ended.is_final()).map(|summary| summary.seconds)
        };
        if let (Some(was), Some(is)) = (seconds(before), seconds(row)) {
            ratios.push(is / was);
        }
    }
    let is_gone = |row: &&CampaignRow| new.iter().all(|other| other.name != row.name);
    let gone: Vec<&CampaignRow> = old.iter().filter(is_gone).collect();
    let single = new.len() - common + gone.len();
    changes.extend(gone.iter().map(|row| one_sided(row, &row.ended.to_string(), "absent")));
    Comparison { changes, common, single, ratio: median(ratios) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Ended;

    fn row(name: &str, unknown: u64, seconds: f64) -> CampaignRow {
        let summary = SummaryRow { unknown, seconds, ..SummaryRow::default() };
        let ended = if unknown > 0 { Ended::Undecided } else { Ended::Decided };
        CampaignRow::new(name, "x".as_ref(), (ended, String::new()), Some(summary), "")
    }

    #[test]
    fn only_what_changed_is_told() {
        let old = [row("a", 0, 1.0), row("b", 2, 1.0), row("c", 0, 1.0), row("gone", 0, 1.0)];
        let new = [row("new", 0, 1.0), row("a", 0, 3.0), row("b", 0, 2.0), row("c", 0, 0.5)];
        let comparison = compare(&old, &new);
        let told: Vec<String> = comparison.changes.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "new: ended absent → decided",
                "b: ended undecided → decided, unknown 2 → 0",
                "gone: ended decided → absent"
            ]
        );
        assert_eq!((comparison.common, comparison.single, comparison.ratio), (3, 2, Some(2.0)));
    }
}
