//! `explanations.json`: what `psychic explain` has said about the results, and its section of the
//! page.

use std::{fs, io};

use maud::{Markup, html as markup};

use super::{
    explanation::{Explanation, Reason, Row, Step, same},
    explanation_text::{LEGEND, ROWS, WHY, mark},
};
use crate::results::{ResultsDir, ResultsError};

const FILE: &str = "explanations.json";
const PAGE: &str = "report.html";
/// How the section begins and ends on the page, whatever is in it.
const BEGIN: &str = "<section id=\"explanations\">";
const END: &str = "</section>";

/// Why an explanation could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeepError {
    /// A file cannot be read.
    #[error("{file}: {source}")]
    Read {
        /// Its name.
        file: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// What an earlier `psychic explain` left cannot be read.
    #[error("{FILE}: {0}; remove it, and explain again")]
    Shape(serde_json::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] ResultsError),
}

impl Explanation {
    /// Keeps the explanation in `explanations.json` of the results. It replaces an earlier one of
    /// the same revisions on the same test. All that are kept are shown in `report.html`, if that
    /// is there.
    ///
    /// # Errors
    /// [`KeepError`]
    pub fn keep(&self, results: &ResultsDir) -> Result<(), KeepError> {
        let read = |file: &'static str| match fs::read(results.path().join(file)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(KeepError::Read { file, source }),
        };
        let mut all: Vec<Self> = match read(FILE)? {
            Some(bytes) => serde_json::from_slice(&bytes).map_err(KeepError::Shape)?,
            None => Vec::new(),
        };
        let key = |explanation: &Self| (explanation.revisions, explanation.test);
        all.retain(|other| key(other) != key(self));
        all.push(self.clone());
        all.sort_by_key(key);
        let json = serde_json::to_string_pretty(&all).map_err(KeepError::Shape)?;
        results.write_file(FILE, (json + "\n").as_bytes())?;
        if let Some(page) = read(PAGE)?
            && let Ok(page) = String::from_utf8(page)
            && let Some(page) = with_section(&page, &section(&all).into_string())
        {
            results.write_file(PAGE, page.as_bytes())?;
        }
        Ok(())
    }
}

/// The page with `section` in place of its section about explanations.
fn with_section(page: &str, section: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{section}{after}"))
}

/// The section of the page about explanations. Without any, it says how to get one.
pub(super) fn section(all: &[Explanation]) -> Markup {
    markup! {
        section id="explanations" {
            h2 { "Explanations" }
            @if all.is_empty() {
                p.faint { "None yet: " code { "psychic explain SUBJECT A B" } " says why two revisions differ on a "
                    "test, and adds it here." }
            }
            @for explanation in all { (article(explanation)) }
        }
    }
}

fn article(explanation: &Explanation) -> Markup {
    let Explanation { revisions, names, outcomes, test, input, divergences, .. } = explanation;
    markup! {
        article.explanation id={ "explain-" (revisions[0]) "-" (revisions[1]) "-" (test) } {
            h3 { (names[0]) " and " (names[1]) " on test " (test) }
            pre { (input.join("\n")) }
            table {
                @for (name, outcome) in names.iter().zip(outcomes) {
                    tr { th scope="row" { (name) } td { code { (outcome) } } }
                }
            }
            @if let Some(when) = &explanation.when { p { (sentence(&when.text())) } }
            @if !explanation.reasons.is_empty() {
                p { (sentence(WHY)) }
                table {
                    thead { tr { th { "revision" } th { "decides" } th { "because" } } }
                    tbody { @for reason in &explanation.reasons { (why(explanation, reason)) } }
                }
            }
            @if divergences.is_empty() { p { (sentence(&explanation.no_divergence())) } }
            @for (number, rows) in divergences.iter().enumerate() {
                details open[number == explanation.deciding()] {
                    summary { (sentence(&explanation.title(number, false))) }
                    (columns(explanation, rows))
                }
            }
            @if !divergences.is_empty() {
                p.faint { (sentence(LEGEND)) " What is shown rests on the lines in colour." }
            }
            @for doubt in &explanation.doubts { p.warning { "But " (doubt) "." } }
        }
    }
}

fn why(explanation: &Explanation, reason: &Reason) -> Markup {
    markup! {
        tr {
            td { (explanation.names[reason.revision]) }
            td { code { (reason.place()) } }
            td { code { (reason.condition) } }
        }
    }
}

/// A divergence as two columns of source.
fn columns(explanation: &Explanation, rows: &[Row]) -> Markup {
    let several = explanation.has_several_files();
    let cell = |step: &Option<Step>, together: bool| {
        let Some(step) = step else { return markup! { td {} td {} } };
        let place = match several {
            true => format!("{}:{}", step.file, step.line),
            false => step.line.to_string(),
        };
        let mark = mark(step, together);
        markup! {
            td.number { (place) }
            td.alone[mark != ' '].decides[step.decides] { code { (mark) " " (step.text) } }
        }
    };
    markup! {
        div.source {
            table {
                thead {
                    tr { @for name in &explanation.names { th colspan="2" scope="col" { (name) } } }
                }
                tbody {
                    @for row in rows.iter().take(ROWS) {
                        @let together = matches!(&row.steps, [Some(a), Some(b)] if same(a, b));
                        tr { (cell(&row.steps[0], together)) (cell(&row.steps[1], together)) }
                    }
                }
            }
            @if rows.len() > ROWS { p.faint { "… " (rows.len() - ROWS) " more lines" } }
        }
    }
}

/// A phrase as a sentence.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(|first| first.to_uppercase().collect::<String>());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_replaced_and_nothing_else() {
        let page = "<p>a</p><section id=\"explanations\">none</section><section>b</section>";
        let shown = with_section(page, "<section id=\"explanations\">two</section>").unwrap();
        assert_eq!(shown, page.replace("none", "two"));
        assert_eq!(with_section("<section>b</section>", "x"), None);
    }
}
