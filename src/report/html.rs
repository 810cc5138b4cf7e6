//! Writes everything as one HTML page, in one file without links to others.

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use super::{
    data::Report,
    error::PlotError,
    explanations,
    interaction::Interaction,
    labels::{Labels, ranges, visible_line},
    matrix::{matrix, sign},
    verdicts::Verdicts,
    walk::{anchor, judged, walk},
};
use crate::{
    results::{Clustering, TestRow, Verdict},
    subject::{Revision, RevisionSet},
    tree::Proven,
};

const STYLE: &str = include_str!("report.css");

/// Writes a report as an HTML page.
///
/// # Errors
/// A picture in it cannot be drawn.
pub fn html(report: &Report) -> Result<String, PlotError> {
    let (labels, verdicts) = (report.labels(), report.verdicts());
    let [tree, clusters] = pictures(report, &labels, &verdicts)?;
    let subject = &report.summary.subject;
    let sections = markup! {
        (summary(report))
        @if let Some(interaction) = &report.interaction {
            (interaction.section(&labels, &graph(interaction)?))
        }
        section id="tree" {
            h2 { "Decision tree" }
            p { (tree_sentence(report)) }
            @for pair in report.unseparated() { p.warning { (pair) "." } }
            div.picture { (tree) }
        }
        section id="walk" {
            h2 { "Questions" }
            p { "Click on what is right to get to the next question, or to the patches that "
                "remain." }
            (walk(report, &labels, &verdicts))
        }
        section id="clusters" {
            h2 { "Clusters" }
            p { "Revisions with the same number in a column have the same outcome on "
                "that test." }
            div.picture { (clusters) }
        }
        (report.divergences_section(&labels))
        (explanations::section(&[]))
        (tests(report, &labels))
        (pairs(report, &labels, &verdicts))
        (patches(report, &labels))
        (bounds(report))
    };
    Ok(page(subject, &sections))
}

/// A page in one file: its title, as its heading too, and what is below.
pub(crate) fn page(title: &str, sections: &Markup) -> String {
    let page = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Psychic" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                (sections)
            }
        }
    };
    page.into_string()
}

/// The pictures of the tree and of the clusters.
#[cfg(feature = "plots")]
fn pictures(
    report: &Report,
    labels: &Labels,
    verdicts: &Verdicts,
) -> Result<[Markup; 2], PlotError> {
    let tree = &report.solution.tree;
    let clusters = super::draw_clusters(&report.clusterings, tree, labels, verdicts).svg()?;
    Ok([PreEscaped(super::draw_tree(tree, labels, verdicts).svg()?), PreEscaped(clusters)])
}

/// The picture of a change sequence graph.
#[cfg(feature = "plots")]
fn graph(interaction: &Interaction) -> Result<Markup, PlotError> {
    Ok(PreEscaped(super::draw_csg(interaction).svg()?))
}

/// What stands in for the picture of a change sequence graph: its edges.
#[cfg(not(feature = "plots"))]
fn graph(interaction: &Interaction) -> Result<Markup, PlotError> {
    let edges = interaction.graph.iter().map(|row| format!("{} -> {}\n", row.from, row.to));
    Ok(markup! { pre { (edges.collect::<String>()) } })
}

/// What stands in for the pictures: the tree as text, and the clusters test by test.
#[cfg(not(feature = "plots"))]
fn pictures(
    report: &Report,
    labels: &Labels,
    verdicts: &Verdicts,
) -> Result<[Markup; 2], PlotError> {
    let style = super::TextStyle::default();
    let tree = super::terminal(&report.solution.tree, labels, verdicts, style);
    let clusters = markup! {
        table {
            @for clustering in &report.clusterings {
                tr {
                    th { (clustering.test) }
                    @for group in clustering.groups().values() { td { (ranges(group)) } }
                }
            }
        }
    };
    Ok([markup! { pre { (tree) } }, clusters])
}

fn summary(report: &Report) -> Markup {
    let s = &report.summary;
    let figures: [(&str, String); 11] = [
        ("revisions", s.revisions.to_string()),
        ("patches rejected", s.rejected.to_string()),
        ("tests", s.tests.to_string()),
        ("classes", s.classes.to_string()),
        ("questions at most", s.height.to_string()),
        ("pairs told apart", s.distinguished.to_string()),
        ("differ only inside", s.internal.to_string()),
        ("proved equivalent", s.equivalent.to_string()),
        ("equivalent unless failing", s.equivalent_unless_failing.to_string()),
        ("unknown", s.unknown.to_string()),
        ("mismatches", s.mismatches.to_string()),
    ];
    markup! {
        dl.figures {
            @for (name, value) in &figures {
                div { dt { (name) } dd { (value) } }
            }
        }
        p.faint {
            (s.paths) " paths, " (s.instructions) " instructions, " (s.queries) " queries, "
            (format!("{:.1}", s.seconds)) " s, " (s.peak_mb) " MiB"
        }
    }
}

fn tree_sentence(report: &Report) -> String {
    let solution = &report.solution;
    let repeated = !solution.tree.repeated().is_empty();
    let proof = match solution.proven {
        Proven::Nothing if !solution.together.is_empty() => {
            "; it would be too large and was cut off".into()
        }
        Proven::Nothing => {
            format!("; no proof was found in time that {} would not do", solution.lower_bound)
        }
        // With revisions at several leaves, the average is not what was minimised.
        Proven::Depth | Proven::Everything if repeated => {
            ", and no tree over these tests needs fewer at most".into()
        }
        Proven::Height => ", and no tree over these tests needs fewer".into(),
        Proven::Depth | Proven::Everything => {
            ", and no tree over these tests needs fewer, at most or on average".into()
        }
    };
    let places = if repeated {
        " A revision of which a test says nothing follows every branch there, and so stands at \
         several leaves."
    } else {
        ""
    };
    format!(
        "At most {}, {:.2} on average{proof}. Leaves hold the revisions that no test tells \
         apart.{places}",
        count(solution.height, "question"),
        solution.expected_depth
    )
}

fn count(number: u32, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

fn tests(report: &Report, labels: &Labels) -> Markup {
    let asked = report.solution.tree.tests();
    let groups = |row: &TestRow| {
        let clustering = report.clusterings.iter().find(|c| c.test == row.test);
        clustering.map(Clustering::groups).unwrap_or_default()
    };
    let taking_part = report.revisions.iter().filter(|row| row.status.takes_part());
    let taking_part: RevisionSet = taking_part.map(|row| row.revision).collect();
    let silent = |row: &TestRow| -> RevisionSet {
        let clustering = report.clusterings.iter().find(|c| c.test == row.test);
        let unknown = |r: &Revision| clustering.is_some_and(|c| c.cluster(*r).is_none());
        taking_part.iter().filter(unknown).collect()
    };
    markup! {
        section id="tests" {
            h2 { "Tests" }
            table {
                thead { tr { th { "test" } th { "input" } th { "outcomes" } th { "found by" } } }
                tbody {
                    @for row in &report.tests {
                        tr.asked[asked.contains(&row.test)] {
                            td.number { (row.test) }
                            td { code { (labels.input(row.test)) } }
                            td {
                                @for (cluster, revisions) in groups(row) {
                                    div {
                                        code { (labels.outcome(row.test, cluster)) } " "
                                        (judged(report.right.get(&(row.test, cluster)).copied()))
                                        span.faint { (ranges(&revisions)) }
                                        @if let Some(seen) =
                                            report.outcomes.get(&(row.test, cluster))
                                        {
                                            (streams(&seen.stdout, &seen.stderr))
                                        }
                                    }
                                }
                                @let silent = silent(row);
                                @if !silent.is_empty() {
                                    div.faint { "no evidence of " (ranges(&silent)) }
                                }
                            }
                            td {
                                (row.found_by)
                                @if row.mismatch { " " strong.warning { "mismatch" } }
                            }
                        }
                    }
                }
            }
            p.faint { "Tests of the decision tree are marked at the left." }
        }
    }
}

/// Shows outputs of several lines line by line, folded away.
fn streams(stdout: &str, stderr: &str) -> Markup {
    let long = |text: &str| text.trim_end().contains('\n');
    markup! {
        @for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            @if long(text) {
                details { summary { (name) } pre { (lines(text)) } }
            }
        }
    }
}

fn pairs(report: &Report, labels: &Labels, verdicts: &Verdicts) -> Markup {
    let unknown: Vec<_> =
        report.pairs.iter().filter(|row| row.verdict == Verdict::Unknown).collect();
    markup! {
        section id="pairs" {
            h2 { "Pairs" }
            p {
                @for verdict in [Verdict::Distinguished, Verdict::Internal, Verdict::Equivalent,
                    Verdict::EquivalentUnlessFailing, Verdict::Unknown]
                {
                    span.key { span class={ "cell " (verdict) } { (sign(verdict)) } " " (verdict) }
                }
            }
            (matrix(report, labels, verdicts))
            @if report.summary.internal > 0 {
                p {
                    "Internal: the two are proved to do the same outside, but on some input a "
                    "function in them returns or leaves something else. "
                    a href="inner/report.html" { "What differs inside" }
                }
            }
            @if report.summary.equivalent_unless_failing > 0 {
                p {
                    "Equivalent unless failing: on every input on which neither fails, the two "
                    "do the same. On some inputs both may fail, by the same class of error or "
                    "without end, and what they would have done after that is not compared."
                }
            }
            @if !unknown.is_empty() {
                h3 { "Why pairs are unknown" }
                ul {
                    @for row in unknown {
                        li { (row.a) " and " (row.b) ": " (row.reason) }
                    }
                }
            }
        }
    }
}

fn patches(report: &Report, labels: &Labels) -> Markup {
    let patches = report.revisions.iter().filter(|row| row.revision != Revision::ORIGINAL);
    let (taking_part, rejected): (Vec<_>, Vec<_>) =
        patches.partition(|row| row.status.takes_part());
    let diff = |revision| {
        markup! {
            @if let Some(diff) = report.diffs.get(&revision) {
                pre.diff {
                    @for line in diff.lines() { span class=(diff_class(line)) { (visible_line(line)) "\n" } }
                }
            }
        }
    };
    markup! {
        section id="patches" {
            h2 { "Patches" }
            @for row in &taking_part {
                details id=(anchor(row.revision)) {
                    summary {
                        strong { (labels.revision(row.revision)) }
                        " " span.faint { (count(row.hunks, "hunk")) ", " (count(row.arms, "arm")) }
                        @if !row.reason.is_empty() { " " span.faint { (row.reason) } }
                    }
                    (diff(row.revision))
                }
            }
            @if !rejected.is_empty() {
                h3 { "Rejected" }
                @for row in &rejected {
                    details {
                        summary {
                            strong { (labels.revision(row.revision)) }
                            " " span.warning { (row.reason) }
                        }
                        (diff(row.revision))
                    }
                }
            }
        }
    }
}

fn diff_class(line: &str) -> &'static str {
    match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => "file",
        Some(b'+') => "added",
        Some(b'-') => "removed",
        Some(b'@') => "hunk",
        _ => "same",
    }
}

fn lines(text: &str) -> String {
    text.lines().map(|line| visible_line(line) + "\n").collect()
}

fn bounds(report: &Report) -> Markup {
    markup! {
        @if !report.bounds.is_empty() {
            section id="bounds" {
                h2 { "Bounds and assumptions" }
                ul { @for bound in &report.bounds { li { (bound) } } }
            }
        }
        @if !report.stats.is_empty() {
            section id="stats" {
                h2 { "Where the time went" }
                table {
                    thead {
                        tr {
                            th { "phase" } th { "count" } th { "seconds" } th { "cache hits" }
                            th { "cache misses" }
                        }
                    }
                    tbody {
                        @for row in &report.stats {
                            tr {
                                td { (row.phase) } td.number { (row.count) }
                                td.number { (format!("{:.3}", row.seconds)) }
                                td.number { (row.cache_hits) } td.number { (row.cache_misses) }
                            }
                        }
                    }
                }
            }
        }
    }
}
