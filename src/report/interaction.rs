//! Which changes of a patch interact, as text and as a section of the report.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use maud::{Markup, html as markup};

use super::labels::{Labels, aligned, shorten};
use crate::{
    results::{
        ChangeRow, CriticalRow, CsgRow, InteractionRow, Introduced, SequenceRow, SubsetRow, TestId,
    },
    subject::Revision,
};

/// The greatest width of a line, in columns.
const WIDTH: usize = 100;
/// The most sets of changes that are shown.
const MOST: usize = 20;

/// Which changes of a patch interact, and on which tests.
#[derive(Clone, Debug, Default)]
pub struct Interaction {
    /// The changes.
    pub changes: Vec<ChangeRow>,
    /// The changes that each revision has.
    pub subsets: Vec<SubsetRow>,
    /// The edges of the change sequence graph.
    pub graph: Vec<CsgRow>,
    /// The line of source that each node of the graph is, or begins with.
    pub texts: BTreeMap<String, String>,
    /// The changes that interact, for each test.
    pub interactions: Vec<InteractionRow>,
    /// The changes that each test runs, and what it shows.
    pub sequences: Vec<SequenceRow>,
    /// The critical sequences.
    pub critical: Vec<CriticalRow>,
    /// What was left out.
    pub bounds: Vec<String>,
    /// The revision whose outcomes are right; without one, errors are wrong.
    pub reference: Option<Revision>,
}

/// Changes that interact on some test on which no smaller part of them does.
struct Found<'a> {
    changes: &'a [String],
    first: &'a InteractionRow,
    tests: usize,
    outputs: BTreeSet<&'a str>,
}

/// How many tests there are of some kind, and what they show.
struct Counted {
    name: &'static str,
    tests: usize,
    differ: usize,
    errors: usize,
    critical: usize,
}

impl Interaction {
    /// The number of sets of changes that interact on some test on which no smaller part does.
    pub fn sets(&self) -> u32 {
        self.found().len() as u32
    }

    fn found(&self) -> Vec<Found<'_>> {
        let mut by_changes: BTreeMap<(usize, &[String]), Found<'_>> = BTreeMap::new();
        for row in &self.interactions {
            let changes = row.changes.as_slice();
            let found = by_changes.entry((changes.len(), changes)).or_insert_with(|| Found {
                changes,
                first: row,
                tests: 0,
                outputs: BTreeSet::new(),
            });
            found.tests += 1;
            found.outputs.extend(row.outputs.iter().map(String::as_str));
        }
        by_changes.into_values().collect()
    }

    fn counted(&self, name: &'static str, of: impl Fn(&SequenceRow) -> bool) -> Counted {
        let count = |also: &dyn Fn(&SequenceRow) -> bool| {
            self.sequences.iter().filter(|row| of(row) && also(row)).count()
        };
        Counted {
            name,
            tests: count(&|_| true),
            differ: count(&|row| row.differs),
            errors: count(&|row| row.error.is_some()),
            critical: count(&|row| row.error.is_some() && row.critical),
        }
    }

    /// Counts tests by whether they are critical, and those that test changes in isolation.
    fn tables(&self) -> [Vec<Counted>; 2] {
        [
            vec![
                self.counted("non critical", |row| !row.critical),
                self.counted("critical", |row| row.critical),
            ],
            vec![
                self.counted("change sequences", |_| true),
                self.counted("changes in isolation", |row| row.isolated),
            ],
        ]
    }

    /// Says which outcomes are taken for wrong.
    fn oracle(&self) -> String {
        match self.reference {
            Some(reference) => format!("revision {reference} is right"),
            None => "an error is wrong".to_owned(),
        }
    }

    fn errors(&self, kind: Introduced) -> Vec<TestId> {
        let of_kind = self.sequences.iter().filter(|row| row.error == Some(kind));
        of_kind.map(|row| row.test).collect()
    }

    /// Describes the interaction for a terminal. The text ends with a newline.
    ///
    /// ```text
    /// changes 1, 5 (needs 1), 7 (needs 1)
    /// 1, 5, 7 interact on 9 of 48 tests, in finding, return
    ///   test 1   fs = "11-"   runs 1, 5, 7
    /// ```
    pub fn text(&self, labels: &Labels) -> String {
        let mut text = String::new();
        let changes: Vec<String> = self
            .changes
            .iter()
            .map(|row| match row.needs.is_empty() {
                true => row.change.clone(),
                false => format!("{} (needs {})", row.change, row.needs.join(" ")),
            })
            .collect();
        _ = writeln!(text, "changes {}", changes.join(", "));
        for bound in &self.bounds {
            _ = writeln!(text, "  {bound}");
        }
        let found = self.found();
        if found.is_empty() {
            _ = writeln!(text, "no changes interact on any test");
        }
        for found in found.iter().take(MOST) {
            let outputs: Vec<&str> = found.outputs.iter().copied().collect();
            let may = if found.first.potential { "" } else { "; not seen from dependences" };
            let line = format!(
                "{} interact on {} of {} tests, in {}{may}",
                found.changes.join(", "),
                found.tests,
                self.sequences.len(),
                outputs.join(", "),
            );
            _ = writeln!(text, "{}", shorten(&line, WIDTH));
            let test = found.first.test;
            let line = format!(
                "test {test}   {}   runs {}",
                labels.input(test),
                run(&found.first.sequence)
            );
            _ = writeln!(text, "  {}", shorten(&line, WIDTH - 2));
        }
        if let Some(more @ 1..) = found.len().checked_sub(MOST) {
            _ = writeln!(text, "and {more} more: see interactions.csv");
        }
        _ = writeln!(text, "\nerrors of the patch, where {}", self.oracle());
        let kinds = Introduced::ALL.iter().map(|kind| (kind, self.errors(*kind)));
        for (kind, tests) in kinds.filter(|(_, tests)| !tests.is_empty()) {
            let line = format!("{kind} on {}: e.g. {}", count(tests.len()), labels.input(tests[0]));
            _ = writeln!(text, "  {}", shorten(&line, WIDTH - 2));
        }
        for row in &self.critical {
            _ = writeln!(
                text,
                "  change interaction error: critical sequence <{}>, {} of {} that run it, first test {}",
                row.sequence.join(", "),
                row.errors,
                count(row.tests as usize),
                row.test,
            );
        }
        if self.sequences.iter().all(|row| row.error.is_none()) {
            _ = writeln!(text, "  none");
        } else if self.critical.is_empty() {
            _ = writeln!(text, "  no critical sequence: one change or none is in all of them");
        }
        for (title, table) in ["sequences", "tests for"].iter().zip(self.tables()) {
            _ = writeln!(text);
            let head = [*title, "tests", "differ", "errors", "interaction errors"];
            let mut lines = vec![head.map(str::to_owned)];
            lines.extend(table.iter().map(Counted::cells));
            text.push_str(&aligned(&lines, 1));
        }
        text
    }

    /// The section of the report.
    pub(super) fn section(&self, labels: &Labels, graph: &Markup) -> Markup {
        let found = self.found();
        markup! {
            section id="interaction" {
                h2 { "Interaction of changes" }
                p { "The revisions are subsets of the changes of one patch. Changes interact on a test if "
                    "leaving one of them out alters what another one does to an output." }
                @for bound in &self.bounds { p.warning { (bound) "." } }
                table {
                    thead { tr { th { "change" } th { "file" } th { "removes" } th { "adds" } th { "needs" } } }
                    tbody {
                        @for row in &self.changes {
                            tr {
                                td { (row.change) }
                                td { code { (row.file) } }
                                td.number { (row.old_lines) }
                                td.number { (row.new_lines) }
                                td { (row.needs.join(", ")) }
                            }
                        }
                    }
                }
                @if found.is_empty() { p { "No changes interact on any test." } }
                @else {
                    table {
                        thead { tr { th { "interact" } th { "tests" } th { "outputs" } th { "first test" } th { "runs" } th { "potential" } } }
                        tbody {
                            @for found in &found {
                                tr {
                                    td { (found.changes.join(", ")) }
                                    td.number { (found.tests) }
                                    td { (found.outputs.iter().copied().collect::<Vec<_>>().join(", ")) }
                                    td { (found.first.test) " " code { (labels.input(found.first.test)) } }
                                    td { (run(&found.first.sequence)) }
                                    td { (if found.first.potential { "yes" } else { "no" }) }
                                }
                            }
                        }
                    }
                }
                p { "Errors of the patch, where " (self.oracle()) ": "
                    @for kind in Introduced::ALL { (kind) " on " (count(self.errors(*kind).len())) ". " } }
                @for row in &self.critical {
                    p.warning { "Change interaction error: critical sequence ⟨" (row.sequence.join(", "))
                        "⟩, " (row.errors) " of " (count(row.tests as usize)) " that run it." }
                }
                @for (title, table) in ["sequences", "tests for"].iter().zip(self.tables()) {
                    table {
                        thead { tr { th { (title) } th { "tests" } th { "differ" } th { "errors" } th { "interaction errors" } } }
                        tbody {
                            @for line in table.iter().map(Counted::cells) {
                                tr { @for cell in line { td { (cell) } } }
                            }
                        }
                    }
                }
                h3 { "Change sequence graph" }
                div.picture { (graph) }
            }
        }
    }
}

impl Counted {
    fn cells(&self) -> [String; 5] {
        [
            self.name.to_owned(),
            self.tests.to_string(),
            self.differ.to_string(),
            self.errors.to_string(),
            self.critical.to_string(),
        ]
    }
}

/// A sequence, or that there is none.
fn run(sequence: &[String]) -> String {
    if sequence.is_empty() { "none".to_owned() } else { sequence.join(", ") }
}

fn count(tests: usize) -> String {
    format!("{tests} test{}", if tests == 1 { "" } else { "s" })
}
