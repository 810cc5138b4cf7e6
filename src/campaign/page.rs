//! The page over all subjects of a campaign.

#[cfg(feature = "plots")]
use maud::PreEscaped;
use maud::{Markup, html};

use super::{median::median, row::CampaignRow};
use crate::{
    report::{self, PlotError},
    results::{Ended, SummaryRow},
};

/// The seconds of the subjects that were decided.
pub(super) fn times(rows: &[CampaignRow]) -> Vec<f64> {
    let decided = rows.iter().filter(|row| row.ended == Ended::Decided);
    decided.filter_map(|row| Some(row.summary.as_ref()?.seconds)).collect()
}

/// The page, in one file: figures, the times, and a table with links to the report of each subject.
///
/// # Errors
/// The picture in it cannot be drawn.
pub fn page(rows: &[CampaignRow]) -> Result<String, PlotError> {
    let sections = html! {
        (figures(rows))
        section id="times" {
            h2 { "Times" }
            p { "How many subjects are decided if each may take so many seconds." }
            div.picture { (picture(rows)?) }
        }
        section id="subjects" { h2 { "Subjects" } (table(rows)) }
    };
    Ok(report::page("Campaign", &sections))
}

#[cfg(feature = "plots")]
fn picture(rows: &[CampaignRow]) -> Result<Markup, PlotError> {
    Ok(PreEscaped(report::draw_cactus(&times(rows)).svg()?))
}

/// What stands in for the picture: the times themselves.
#[cfg(not(feature = "plots"))]
fn picture(rows: &[CampaignRow]) -> Result<Markup, PlotError> {
    let mut times = times(rows);
    times.sort_by(f64::total_cmp);
    Ok(html! { p { @for time in times { (format!("{time:.1} ")) } } })
}

fn figures(rows: &[CampaignRow]) -> Markup {
    let count = |ended: Ended| rows.iter().filter(|row| row.ended == ended).count().to_string();
    let of = |value: fn(&SummaryRow) -> f64| {
        let known = rows.iter().filter_map(|row| row.summary.as_ref());
        median(known.map(value)).map_or_else(|| "–".to_owned(), shown)
    };
    let figures = [
        ("subjects", rows.len().to_string()),
        ("decided", count(Ended::Decided)),
        ("undecided", count(Ended::Undecided)),
        ("failed", count(Ended::Failed)),
        ("interrupted", count(Ended::Interrupted)),
        ("median revisions", of(|row| row.revisions.into())),
        ("median classes", of(|row| row.classes.into())),
        ("median height", of(|row| row.height.into())),
        ("median tests", of(|row| row.tests.into())),
        ("median seconds", of(|row| row.seconds)),
    ];
    html! { dl.figures { @for (name, value) in figures { div { dt { (name) } dd { (value) } } } } }
}

/// A number with a digit after the point if it has any there.
fn shown(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn table(rows: &[CampaignRow]) -> Markup {
    html! {
        table {
            thead {
                tr {
                    th { "subject" } th { "ended" }
                    @for name in ["revisions", "classes", "height", "told apart", "equivalent",
                        "unless failing", "unknown", "tests", "seconds", "MiB"] {
                        th.number { (name) }
                    }
                }
            }
            tbody { @for row in rows { (line(row)) } }
        }
    }
}

fn line(row: &CampaignRow) -> Markup {
    let name = escaped(&row.name);
    let numbers = row.summary.as_ref().map(|summary| {
        [
            summary.revisions.to_string(),
            summary.classes.to_string(),
            summary.height.to_string(),
            summary.distinguished.to_string(),
            summary.equivalent.to_string(),
            summary.equivalent_unless_failing.to_string(),
            summary.unknown.to_string(),
            summary.tests.to_string(),
            format!("{:.1}", summary.seconds),
            summary.peak_mb.to_string(),
        ]
    });
    html! {
        tr {
            @if let Some(numbers) = numbers {
                td { a href=(format!("subjects/{name}/report.html")) { (row.name) } }
                td { (row.ended) }
                @for number in numbers { td.number { (number) } }
            } @else {
                td { a href=(format!("logs/{name}.log")) { (row.name) } }
                td { (row.ended) }
                td.warning colspan="10" { (row.reason) }
            }
        }
    }
}

/// A name as a part of a URL.
fn escaped(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let part = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_says_why_and_what_is_known_is_linked() {
        let summary = SummaryRow { revisions: 4, seconds: 1.25, ..SummaryRow::default() };
        let row = |name: &str, ended, reason: &str, summary| {
            CampaignRow::new(name, "p".as_ref(), (ended, reason.to_owned()), summary, "")
        };
        let rows = [
            row("a b", Ended::Decided, "", Some(summary)),
            row("bad", Ended::Failed, "a.c:1: <oops>", None),
        ];
        let page = page(&rows).unwrap();
        for part in [
            "href=\"subjects/a%20b/report.html\"",
            "href=\"logs/bad.log\"",
            "a.c:1: &lt;oops&gt;",
            "<dt>median seconds</dt><dd>1.2</dd>",
            "<dt>failed</dt><dd>1</dd>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }
}
