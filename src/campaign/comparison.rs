//! What changed from one campaign to another, such as from one version of a tool to the next.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use super::{
    median::median,
    row::CampaignRow,
    verdicts::{PairChange, pairs},
};
use crate::results::{ResultsError, SummaryRow, Table, Verdict, read_table};

/// A campaign to compare with another.
#[derive(Clone, Debug)]
pub struct Side {
    /// Its rows.
    pub rows: Vec<CampaignRow>,
    /// Its directory, where the results of subjects are.
    pub directory: PathBuf,
}

impl Side {
    /// Reads a campaign from its directory, or from its table.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn read(place: &Path) -> Result<Self, ResultsError> {
        let directory = match place.is_dir() {
            true => place.to_owned(),
            false => place.parent().unwrap_or(Path::new("")).to_owned(),
        };
        let table = if place.is_dir() { &place.join(CampaignRow::FILE) } else { place };
        Ok(Self { rows: read_table(table)?, directory })
    }

    fn pairs(&self, name: &str) -> Option<BTreeMap<[String; 2], Verdict>> {
        pairs(&self.directory.join("subjects").join(name))
    }
}

/// What changed between two campaigns.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The subjects that are new or whose results changed, in the order of the new campaign, and
    /// then those that it lacks.
    pub changes: Vec<Change>,
    /// Number of subjects that both have.
    pub common: usize,
    /// Number of subjects that only one of them has.
    pub single: usize,
    /// The median of new time over old time, of the subjects that both have decided.
    pub ratio: Option<f64>,
    /// The pairs whose verdict changed, contradictions first, of subjects that both have.
    pub pairs: Vec<PairChange>,
    /// Number of pairs that both have.
    pub common_pairs: usize,
    /// The subjects with a summary in both, of which at least one lacks the results of single
    /// pairs.
    pub without_pairs: Vec<String>,
}

impl Comparison {
    /// Whether nothing has changed.
    pub fn is_same(&self) -> bool {
        self.changes.is_empty() && self.pairs.is_empty()
    }
}

/// A subject that is new or gone, or whose results changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Name of the subject.
    pub subject: String,
    /// The figures that changed: name, old value, new value.
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

/// The figures of a subject; only `ended` if there is no summary.
fn figures(row: &CampaignRow) -> BTreeMap<&'static str, String> {
    let cells =
        row.summary.iter().flat_map(|summary| SummaryRow::COLUMNS.iter().zip(summary.cells()));
    let of_summary = cells.filter(|(name, _)| FIGURES.contains(name));
    let ended = [("ended", row.ended.to_string())];
    ended.into_iter().chain(of_summary.map(|(name, cell)| (*name, cell))).collect()
}

/// Compares two campaigns, subject by subject and pair by pair. Subjects are matched by their
/// names, and pairs by the names of the patches.
pub fn compare(old: &Side, new: &Side) -> Comparison {
    let mut comparison = compare_rows(&old.rows, &new.rows);
    let known: BTreeMap<&str, &CampaignRow> =
        old.rows.iter().map(|row| (row.name.as_str(), row)).collect();
    for row in &new.rows {
        let Some(before) = known.get(row.name.as_str()) else { continue };
        let name = &row.name;
        let has_results = |row: &CampaignRow| row.summary.is_some();
        if !has_results(before) || !has_results(row) {
            continue;
        }
        let (Some(was), Some(is)) = (old.pairs(name), new.pairs(name)) else {
            comparison.without_pairs.push(name.clone());
            continue;
        };
        let digest = |row: &CampaignRow| row.inputs.split(' ').next_back().map(str::to_owned);
        let is_same_subject = digest(before) == digest(row);
        for (pair, new) in is {
            let Some(&old) = was.get(&pair) else { continue };
            comparison.common_pairs += 1;
            if old != new {
                let subject = name.clone();
                comparison.pairs.push(PairChange { subject, pair, old, new, is_same_subject });
            }
        }
    }
    comparison.pairs.sort_by_key(PairChange::kind);
    comparison
}

fn compare_rows(old: &[CampaignRow], new: &[CampaignRow]) -> Comparison {
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
    Comparison {
        changes,
        common,
        single,
        ratio: median(ratios),
        pairs: Vec::new(),
        common_pairs: 0,
        without_pairs: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        campaign::verdicts::Kind,
        results::{Ended, PairRow, ResultsDir, RevisionRow, Status},
        subject::Revision,
    };

    fn row(name: &str, unknown: u64, seconds: f64) -> CampaignRow {
        let summary = SummaryRow { unknown, seconds, ..SummaryRow::default() };
        let ended = if unknown > 0 { Ended::Undecided } else { Ended::Decided };
        CampaignRow::new(name, "x".as_ref(), (ended, String::new()), Some(summary), "")
    }

    #[test]
    fn only_what_changed_is_told() {
        let old = [row("a", 0, 1.0), row("b", 2, 1.0), row("c", 0, 1.0), row("gone", 0, 1.0)];
        let new = [row("new", 0, 1.0), row("a", 0, 3.0), row("b", 0, 2.0), row("c", 0, 0.5)];
        let comparison = compare_rows(&old, &new);
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
    /// A campaign with one subject, whose two patches have this verdict.
    fn side(verdict: Verdict, swapped: bool, digest: &str) -> (tempfile::TempDir, Side) {
        let scratch = tempfile::tempdir().unwrap();
        let results = ResultsDir::create(scratch.path().join("subjects/a")).unwrap();
        let patches = if swapped { ["", "2.diff", "1.diff"] } else { ["", "1.diff", "2.diff"] };
        let revisions = patches.iter().zip(0..).map(|(patch, number)| RevisionRow {
            revision: Revision(number),
            patch: (*patch).to_owned(),
            status: Status::Merged,
            reason: String::new(),
            hunks: 1,
            arms: 1,
            own: 0,
        });
        let pair = |a, b, verdict| PairRow {
            a: Revision(a),
            b: Revision(b),
            verdict,
            test: None,
            output: String::new(),
            reason: String::new(),
            code: Vec::new(),
        };
        let apart = Verdict::Distinguished;
        results.write(&revisions.collect::<Vec<_>>()).unwrap();
        results.write(&[pair(0, 1, apart), pair(0, 2, apart), pair(1, 2, verdict)]).unwrap();
        let mut row = row("a", 0, 1.0);
        row.inputs = format!("0.2.0 x [] {digest}");
        let directory = scratch.path().to_owned();
        (scratch, Side { rows: vec![row], directory })
    }

    #[test]
    fn pairs_are_matched_by_their_patches_and_contradictions_come_first() {
        let told = |old: Verdict, new: Verdict| {
            let ((_old, old), (_new, new)) = (side(old, false, "s"), side(new, true, "s"));
            let comparison = compare(&old, &new);
            assert_eq!(comparison.common_pairs, 3);
            let told = |change: &PairChange| (change.kind(), change.to_string());
            comparison.pairs.iter().map(told).collect::<Vec<_>>()
        };
        use Verdict::{Distinguished, Equivalent, EquivalentUnlessFailing, Internal, Unknown};
        assert_eq!(told(Equivalent, Equivalent), []);
        let text = |change: &str| format!("a: 1.diff and 2.diff: {change}");
        for (old, new, kind, change) in [
            (Distinguished, Equivalent, Kind::Contradiction, "distinguished → equivalent"),
            (Internal, Distinguished, Kind::Contradiction, "internal → distinguished"),
            (Unknown, Equivalent, Kind::Progress, "unknown → equivalent"),
            (Distinguished, Unknown, Kind::Lost, "distinguished → unknown"),
            (
                EquivalentUnlessFailing,
                Equivalent,
                Kind::Other,
                "equivalent-unless-failing → equivalent",
            ),
        ] {
            assert_eq!(told(old, new), [(kind, text(change))]);
        }
        let ((_old, old), (_new, new)) =
            (side(Distinguished, false, "s"), side(Equivalent, false, "t"));
        let changed = compare(&old, &new).pairs.remove(0).to_string();
        assert!(changed.ends_with("equivalent (the subject or its directory has changed)"));
        let alone = Side { directory: "nowhere".into(), ..new };
        assert_eq!(compare(&old, &alone).without_pairs, ["a"]);
        let mut kinds = [Kind::Other, Kind::Progress, Kind::Contradiction, Kind::Lost];
        kinds.sort();
        assert_eq!(kinds[0], Kind::Contradiction);
    }
}
