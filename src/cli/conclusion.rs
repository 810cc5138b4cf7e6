//! The text that concludes a run.

use std::{collections::BTreeMap, path::Path};

use super::say::count;
use crate::{
    merge::{is_note, with_name},
    report::{Report, visible},
    results::{RevisionRow, Status, UNFINISHED, Verdict},
    session::{BUILD, Findings, INNER, MISMATCHES, UNREACHED},
};

/// How many of the pairs that the tree does not separate are named one by one, at most.
const UNSEPARATED: usize = 8;

/// What the verdict "equivalent unless failing" means.
const UNLESS_FAILING: &str = "they do the same on every input on which neither fails; on some \
                              inputs both may fail, by the same class of error or without end";

/// What the verdict "internal" means.
const INSIDE: &str = "they are proved to do the same outside, and a function does not do the same";

/// What is to be known first of proofs about nothing.
const EMPTY: &str = "warning: no input within the bounds reaches what the patches change, so nothing \
                     is proved about the patches: give the program other inputs";

/// The lines that conclude a run whose results go to `out`.
pub(super) fn conclusion(findings: &Findings, out: &Path) -> String {
    let place = match findings.stands_back {
        true => out.join(UNFINISHED),
        false => out.to_owned(),
    };
    let mut text = lines(findings.report(), &place);
    if findings.stands_back {
        let stay = "has the results of an earlier run still, which knows more";
        text.push_str(&format!("\n{} {stay}", out.display()));
    }
    text
}

fn lines(report: &Report, place: &Path) -> String {
    let s = &report.summary;
    let mut lines = vec![format!(
        "{}, {}: {} distinguished, {}{} equivalent, {}{} unknown; \
         {}, tree of height {}{}; {}, {:.1} s to build, {:.1} s",
        count(s.revisions, "revision"),
        count(s.classes, "class"),
        count(s.distinguished, "pair"),
        match s.internal {
            0 => String::new(),
            some => format!("{some} internal, "),
        },
        s.equivalent,
        match s.equivalent_unless_failing {
            0 => String::new(),
            some => format!("{some} equivalent unless failing, "),
        },
        s.unknown,
        count(s.tests, "test"),
        s.height,
        if report.solution.optimal() {
            " (minimal)".into()
        } else {
            format!(" (at least {})", s.lower_bound)
        },
        count(s.paths, "path"),
        report.stats.iter().find(|row| row.phase == BUILD).map_or(0.0, |row| row.seconds),
        s.seconds,
    )];
    let rejected = report.revisions.iter().filter(|row| row.status == Status::Rejected);
    match report.interaction {
        // They are parts of a patch, each of which may need others.
        Some(_) if rejected.clone().next().is_some() => lines.push(format!(
            "{} set aside; revisions.csv says why",
            count(rejected.count() as u64, "subset")
        )),
        _ => lines.extend(rejected.map(set_aside)),
    }
    lines.extend(notes(report));
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    for row in report.pairs.iter().filter(|row| row.verdict == Verdict::Unknown) {
        *reasons.entry(&row.reason).or_default() += 1;
    }
    lines.extend(reasons.iter().map(|(why, n)| format!("{} unknown: {why}", count(*n, "pair"))));
    if s.equivalent_unless_failing > 0 {
        let alike = count(s.equivalent_unless_failing, "pair");
        lines.push(format!("{alike} equivalent unless failing: {UNLESS_FAILING}"));
    }
    if s.internal > 0 {
        let inside = count(s.internal, "pair");
        lines.push(format!("{inside} internal: {INSIDE}; see {INNER}/report.html"));
    }
    let unseparated = report.unseparated();
    lines.extend(unseparated.iter().take(UNSEPARATED).map(ToString::to_string));
    if let Some(more @ 1..) = unseparated.len().checked_sub(UNSEPARATED) {
        lines.push(format!("and {}: see report.html", count(more as u64, "more pair")));
    }
    if s.mismatches > 0 {
        lines.push(format!(
            "{} on which replay contradicts the engine: see {MISMATCHES}",
            count(s.mismatches, "test")
        ));
    }
    if report.bounds.iter().any(|bound| bound == UNREACHED) {
        lines.insert(0, EMPTY.to_owned());
    }
    if !report.bounds.is_empty() {
        lines.push(format!("bounds: {}", report.bounds.join("; ")));
    }
    lines.push(format!("files: {}", place.display()));
    lines.join("\n")
}

/// What is to be said about revisions that take part, such as `applied with white space ignored: 2
/// tidy, 5 null-check`. Each note is one line.
fn notes(report: &Report) -> Vec<String> {
    let labels = report.labels();
    let mut about: Vec<(&str, Vec<String>)> = Vec::new();
    for row in report.revisions.iter().filter(|row| row.status != Status::Rejected) {
        for note in row.reason.split("; ").filter(|reason| is_note(reason)) {
            let label = labels.revision(row.revision);
            match about.iter_mut().find(|(known, _)| *known == note) {
                Some((_, revisions)) => revisions.push(label),
                None => about.push((note, vec![label])),
            }
        }
    }
    let line = |(note, revisions): &(&str, Vec<String>)| {
        visible(&format!("{note}: {}", revisions.join(", ")))
    };
    about.iter().map(line).collect()
}

/// Says which patch was set aside, and why.
pub(super) fn set_aside(row: &RevisionRow) -> String {
    let text = with_name(&row.patch, &row.reason);
    // The compiler's messages have several lines.
    let lines: Vec<String> = text.lines().map(visible).collect();
    format!("set aside: {}", lines.join("\n"))
}
