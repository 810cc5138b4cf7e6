//! Divergences as text and on the page: where revisions go different ways, on which inputs, and
//! what these show. Those at the same place of the code stand together: a place may have thousands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use maud::{Markup, html as markup};

use super::{
    data::Report,
    labels::{Labels, aligned, columns, shorten, visible},
    walk::anchor,
};
use crate::{
    results::{DivergenceRow, Phase, Shown, Table},
    subject::Revision,
};

/// The greatest width of a line of text, in columns.
const WIDTH: usize = 100;
/// The least width of an outcome, in columns.
const LEAST: usize = 12;
/// The greatest width of an outcome on the page, in columns.
const CELL: usize = 60;
/// The most inputs of a place that the page does not fold.
const OPEN: usize = 16;
/// The most inputs that the text shows for one place.
const INPUTS: usize = 4;

impl Report {
    /// Describes divergences for a terminal: the places in the code with their inputs, and a table
    /// that counts the divergences of each kind (table 3 of "Shadow of a doubt"). The text ends
    /// with a newline; it is empty if no divergences were looked for.
    ///
    /// ```text
    /// 1 plus
    ///   toy.c:8, old to 9, new to 14
    ///     x = 0   concolic, regression: old return = 0; new out-of-bounds
    /// ```
    pub fn divergences_text(&self) -> String {
        let Some(rows) = &self.divergences else { return String::new() };
        let labels = &self.labels();
        let Some(first) = rows.first() else { return "no divergence was found\n".into() };
        let mut text = String::new();
        for (revision, places) in by_revision(rows) {
            _ = writeln!(text, "{}", labels.revision(revision));
            for inputs in places {
                _ = writeln!(text, "  {}{}", place(inputs[0]), several(&inputs));
                for row in inputs.iter().take(INPUTS) {
                    _ = writeln!(text, "    {}", shorten(&self.shows(row, labels), WIDTH - 4));
                }
                if let Some(more @ 1..) = inputs.len().checked_sub(INPUTS) {
                    _ = writeln!(text, "    and {more} more: see {}", DivergenceRow::FILE);
                }
            }
        }
        _ = writeln!(text, "\ndivergent inputs, against {}", labels.revision(first.old));
        text.push_str(&aligned(&counts(rows, labels), 2));
        text
    }

    /// The section of the page about divergences; nothing if none were looked for.
    pub(super) fn divergences_section(&self, labels: &Labels) -> Markup {
        let Some(rows) = &self.divergences else { return Markup::default() };
        markup! {
            section id="divergences" {
                h2 { "Divergences" }
                @match rows.first() {
                    None => p { "No divergence was found." }
                    Some(first) => {
                        p {
                            "A divergence is a branch at which a new revision goes another way than "
                            strong { (labels.revision(first.old)) }
                            ". Behind it the new revision was explored; each of its paths has an input, "
                            "on which all revisions ran natively."
                        }
                        (counted(&counts(rows, labels)))
                        @for (revision, places) in by_revision(rows) {
                            h3 { a href={ "#" (anchor(revision)) } { (labels.revision(revision)) } }
                            @for inputs in places { (self.at_place(&inputs, labels)) }
                        }
                    }
                }
            }
        }
    }

    /// The divergences at one place, on the page. They are folded if there are many, or if none of
    /// them shows.
    fn at_place(&self, inputs: &[&DivergenceRow], labels: &Labels) -> Markup {
        let is_seen = |row: &&DivergenceRow| !matches!(row.shown, Shown::Inside | Shown::Unknown);
        markup! {
            details open[inputs.len() <= OPEN && inputs.iter().any(is_seen)] {
                summary { code { (place(inputs[0])) } (several(inputs)) }
                table {
                    thead {
                        tr { th { "divergence" } th { "test" } th { "input" } th { "found" } th { "shows" } th { "old" } th { "new" } }
                    }
                    tbody {
                        @for row in inputs {
                            tr {
                                @let [old, new] = self.both(row, labels, CELL).unwrap_or_default();
                                td.number title=(row.condition) { (row.divergence) }
                                @match row.test {
                                    None => { td {} td.faint { "not run" } }
                                    Some(test) => {
                                        td.number { (test) }
                                        td { code { (labels.input(test)) } }
                                    }
                                }
                                td { (row.phase) }
                                td { (row.shown) }
                                td { code { (old) } }
                                td { code { (new) } }
                            }
                        }
                    }
                }
            }
        }
    }

    /// An input, and what it shows.
    fn shows(&self, row: &DivergenceRow, labels: &Labels) -> String {
        let Some(test) = row.test else { return format!("{}, not run", row.phase) };
        let text = format!("{}   {}, {}", labels.input(test), row.phase, row.shown);
        let room = WIDTH.saturating_sub(columns(&text) + columns("    : old ; new "));
        match self.both(row, labels, (room / 2).max(LEAST)) {
            Some([old, new]) if old == new => format!("{text}: both {old}"),
            Some([old, new]) => format!("{text}: old {old}; new {new}"),
            None => text,
        }
    }

    /// The outcomes of the old and of the new revision, in at most `width` columns each if they
    /// differ; `None` if one of them is not known.
    fn both(&self, row: &DivergenceRow, labels: &Labels, width: usize) -> Option<[String; 2]> {
        let test = row.test?;
        let clustering = self.clusterings.iter().find(|clustering| clustering.test == test)?;
        let (old, new) = (clustering.cluster(row.old)?, clustering.cluster(row.new)?);
        if old == new {
            let outcome = labels.outcome(test, old);
            return Some([outcome.clone(), outcome]);
        }
        labels.outcomes(test, &[old, new], width).try_into().ok()
    }
}

/// The inputs at each place where a new revision diverges, those that show most first. Places are
/// in the order in which they were found.
fn by_revision(rows: &[DivergenceRow]) -> BTreeMap<Revision, Vec<Vec<&DivergenceRow>>> {
    let mut by_revision: BTreeMap<Revision, BTreeMap<String, Vec<&DivergenceRow>>> =
        BTreeMap::new();
    for row in rows {
        let of_revision = by_revision.entry(row.new).or_default();
        of_revision.entry(place(row)).or_default().push(row);
    }
    by_revision.into_iter().map(|(revision, places)| (revision, in_order(places))).collect()
}

fn in_order<K>(places: BTreeMap<K, Vec<&DivergenceRow>>) -> Vec<Vec<&DivergenceRow>> {
    let mut places: Vec<Vec<&DivergenceRow>> = places.into_values().collect();
    places.sort_by_key(|inputs| inputs[0].divergence);
    for inputs in &mut places {
        inputs.sort_by_key(|row| Shown::ALL.iter().position(|kind| *kind == row.shown));
    }
    places
}

/// How many divergences there are at a place, if it is more than one.
fn several(inputs: &[&DivergenceRow]) -> String {
    let numbers: BTreeSet<u32> = inputs.iter().map(|row| row.divergence).collect();
    match numbers.len() {
        0 | 1 => String::new(),
        count => format!(": {count} divergences, {} inputs", inputs.len()),
    }
}

/// The place where the two revisions part.
fn place(row: &DivergenceRow) -> String {
    let file = visible(&row.file);
    let at = match (row.old_line, row.new_line) {
        (0, _) => "somewhere".to_owned(),
        (old, new) if old == new => format!("{file}:{old}"),
        (old, new) => format!("{file}:{old}, in the new file {new}"),
    };
    match (row.old_to, row.new_to) {
        (Some(old), Some(new)) if (old, new) == (row.old_line, row.new_line) => at,
        (Some(old), Some(new)) => format!("{at}, old to {old}, new to {new}"),
        _ => format!("{at}, where one of the two has code of its own"),
    }
}

/// The number of divergent inputs of each kind that every phase has found for each revision, as
/// lines of cells. The first line has the headings. From the third column on, cells are numbers.
fn counts(rows: &[DivergenceRow], labels: &Labels) -> Vec<Vec<String>> {
    let kinds: Vec<Shown> = Shown::ALL
        .iter()
        .copied()
        .filter(|kind| rows.iter().any(|row| row.shown == *kind))
        .collect();
    let mut head = vec!["revision".to_owned(), "phase".into(), "inputs".into(), "run".into()];
    head.extend(kinds.iter().map(ToString::to_string));
    let mut lines = vec![head];
    for revision in by_revision(rows).into_keys() {
        for phase in Phase::ALL {
            let of_phase = || rows.iter().filter(|row| row.new == revision && row.phase == *phase);
            if of_phase().next().is_none() {
                continue;
            }
            let count = |is: &dyn Fn(&DivergenceRow) -> bool| {
                of_phase().filter(|row| is(row)).count().to_string()
            };
            let mut line = vec![
                labels.revision(revision),
                phase.to_string(),
                count(&|_| true),
                count(&|row| row.test.is_some()),
            ];
            line.extend(kinds.iter().map(|kind| count(&|row| row.shown == *kind)));
            lines.push(line);
        }
    }
    lines
}

/// Lines of cells as a table of the page.
fn counted(lines: &[Vec<String>]) -> Markup {
    markup! {
        table {
            thead { tr { @for cell in &lines[0] { th { (cell) } } } }
            tbody {
                @for line in &lines[1..] {
                    tr {
                        @for cell in &line[..2] { td { (cell) } }
                        @for cell in &line[2..] { td.number { (cell) } }
                    }
                }
            }
        }
    }
}
