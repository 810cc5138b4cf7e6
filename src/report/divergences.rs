//! Divergences as text: where revisions go different ways, on which inputs, and what these show.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    data::Report,
    labels::{Labels, columns, shorten, visible},
};
use crate::{
    results::{DivergenceRow, Phase, Shown},
    subject::Revision,
};

/// The greatest width of a line, in columns.
const WIDTH: usize = 100;
/// The least width of an outcome, in columns.
const LEAST: usize = 12;
/// The most inputs that are shown for one divergence.
const INPUTS: usize = 4;

/// Describes divergences for a terminal: each with its inputs, and a table of how many there are of each
/// kind (table 3 of "Shadow of a doubt"). The text ends with a newline.
///
/// ```text
/// 1 plus
///   divergence 1   toy.c:8   old to 9, new to 14
///     x = 0   concolic, regression   old return = 0; new out-of-bounds
/// ```
pub fn divergences(rows: &[DivergenceRow], report: &Report) -> String {
    let labels = &report.labels();
    let Some(first) = rows.first() else { return "no divergence was found\n".into() };
    let mut text = String::new();
    let mut by_revision: BTreeMap<Revision, BTreeMap<u32, Vec<&DivergenceRow>>> = BTreeMap::new();
    for row in rows {
        let of_revision = by_revision.entry(row.new).or_default();
        of_revision.entry(row.divergence).or_default().push(row);
    }
    for (revision, points) in &by_revision {
        _ = writeln!(text, "{}", labels.revision(*revision));
        for (number, inputs) in points {
            _ = writeln!(text, "  divergence {number}   {}", place(inputs[0]));
            for row in inputs.iter().take(INPUTS) {
                _ = writeln!(text, "    {}", shorten(&input(row, report), WIDTH - 4));
            }
            if let Some(more @ 1..) = inputs.len().checked_sub(INPUTS) {
                _ = writeln!(text, "    and {more} more: see {}", FILE);
            }
        }
    }
    let revisions: Vec<Revision> = by_revision.into_keys().collect();
    _ = writeln!(text, "\ndivergent inputs, against {}", labels.revision(first.old));
    table(&mut text, rows, &revisions, labels);
    text
}

const FILE: &str = <DivergenceRow as crate::results::Table>::FILE;

/// Where the two part.
fn place(row: &DivergenceRow) -> String {
    let file = visible(&row.file);
    let at = match (row.old_line, row.new_line) {
        (0, _) => "somewhere".to_owned(),
        (old, new) if old == new => format!("{file}:{old}"),
        (old, new) => format!("{file}:{old}, in the new file {new}"),
    };
    match (row.old_to, row.new_to) {
        (Some(old), Some(new)) => format!("{at}   old to {old}, new to {new}"),
        _ => format!("{at}   one of the two has code of its own"),
    }
}

/// An input, and what it shows.
fn input(row: &DivergenceRow, report: &Report) -> String {
    let Some(test) = row.test else { return format!("{}, not run", row.phase) };
    let labels = report.labels();
    let text = format!("{}   {}, {}", labels.input(test), row.phase, row.shown);
    let clustering = report.clusterings.iter().find(|clustering| clustering.test == test);
    let cluster = |revision| clustering.and_then(|clustering| clustering.cluster(revision));
    match (cluster(row.old), cluster(row.new)) {
        (Some(old), Some(new)) if old == new => {
            format!("{text}: both {}", labels.outcome(test, old))
        }
        (Some(old), Some(new)) => {
            let room = WIDTH.saturating_sub(columns(&text) + columns("    : old ; new "));
            let both = labels.outcomes(test, &[old, new], (room / 2).max(LEAST));
            format!("{text}: old {}; new {}", both[0], both[1])
        }
        _ => text,
    }
}

/// How many divergent inputs of each kind every phase has found.
fn table(text: &mut String, rows: &[DivergenceRow], revisions: &[Revision], labels: &Labels) {
    let kinds: Vec<Shown> = Shown::ALL
        .iter()
        .copied()
        .filter(|kind| rows.iter().any(|row| row.shown == *kind))
        .collect();
    let mut lines: Vec<Vec<String>> = Vec::new();
    let mut head = vec!["revision".to_owned(), "phase".into(), "inputs".into(), "run".into()];
    head.extend(kinds.iter().map(ToString::to_string));
    lines.push(head);
    for revision in revisions {
        for phase in Phase::ALL {
            let of_phase = || rows.iter().filter(|row| row.new == *revision && row.phase == *phase);
            if of_phase().next().is_none() {
                continue;
            }
            let count = |is: &dyn Fn(&DivergenceRow) -> bool| {
                of_phase().filter(|row| is(row)).count().to_string()
            };
            let mut line = vec![
                labels.revision(*revision),
                phase.to_string(),
                count(&|_| true),
                count(&|row| row.test.is_some()),
            ];
            line.extend(kinds.iter().map(|kind| count(&|row| row.shown == *kind)));
            lines.push(line);
        }
    }
    let width = |column: usize| lines.iter().map(|line| columns(&line[column])).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in &lines {
        let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, width))| {
            let room = " ".repeat(width - columns(cell));
            if column < 2 { format!("{cell}{room}") } else { format!("{room}{cell}") }
        });
        _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}
