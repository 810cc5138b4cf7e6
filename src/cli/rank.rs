//! `psychic rank RESULTS`: orders the patches.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use super::{exit::SUCCESS, say, scores::scores};
use crate::{
    merge,
    rank::{Criterion, Evidence, Walk, Weights, ranking, read_answers},
    report::{Document, RevisionEntry, shorten},
    results::{RankingRow, ResultsDir},
    subject::Revision,
};

const AFTER_HELP: &str = "\
Patches that are wrong on fewer of the tests whose right outcome was said (`psychic ask`) come first.
Among equals, the order is that of the mean of these criteria, each from 0 to 1, with their weights:
  errors  4   no error on a test on which the original has none
  effect  4   some test tells the patch from the original
  prior   2   the score of --scores, if there is one
  change  1   few tests tell the patch from the original
  class   1   many patches do the same
  size    1   the patch adds and removes few lines";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct RankArgs {
    /// A results directory of `psychic diff`
    results: PathBuf,
    /// Scores of the patches, larger is better: CSV with the columns `patch` (or `revision`) and
    /// `score`, or JSON, {"PATCH": SCORE, ...} or a list of {"patch": ..., "score": ...}
    #[arg(long, value_name = "FILE")]
    scores: Option<PathBuf>,
    /// Set the weight of a criterion; 0 leaves it out; may be repeated
    #[arg(long, value_name = "NAME=WEIGHT", value_parser = weight)]
    weight: Vec<(Criterion, f64)>,
    /// The revisions known to be correct, to see at which place the first of them comes
    #[arg(long, value_name = "N,N,...", value_delimiter = ',')]
    correct: Vec<Revision>,
}

/// The numbers of first places whose share of correct patches is shown.
const PRECISION_AT: [usize; 4] = [1, 3, 5, 10];

pub(super) fn run(args: &RankArgs) -> anyhow::Result<u8> {
    let results = ResultsDir::open(&args.results)?;
    let document = Document::read(results.path())?;
    let mut evidence = evidence(&document);
    let mut walk = Walk::new(&document.tree, &evidence.clusterings);
    walk.repeat(&read_answers(&results)?).with_context(|| {
        format!(
            "{}: answers of other results; `psychic ask --restart` begins anew",
            results.path().display()
        )
    })?;
    evidence.answers = walk.answers().to_vec();
    if let Some(file) = &args.scores {
        // The tool that made the patches knows nothing of those that were set aside.
        let all = document.revisions.iter().map(|entry| &entry.row);
        let all = all.filter(|row| row.revision != Revision::ORIGINAL);
        let names = all.map(|row| (row.revision, row.patch.clone())).collect();
        evidence.priors = scores(file, &names)?;
        evidence.priors.retain(|revision, _| evidence.patches.contains_key(revision));
    }
    let mut weights = Weights::default();
    for (criterion, weight) in &args.weight {
        weights.set(*criterion, *weight);
    }
    for revision in &args.correct {
        ensure!(
            evidence.patches.contains_key(revision),
            "--correct: {revision} is no patch that takes part; see revisions.csv"
        );
    }
    let correct: BTreeSet<Revision> = args.correct.iter().copied().collect();
    let rows = ranking(&evidence, &weights);
    results.write(&rows)?;
    let labels = document.labels();
    let names: Vec<String> = rows.iter().map(|row| labels.revision(row.revision)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    for (row, name) in rows.iter().zip(&names) {
        let name = shorten(name, width);
        let mark = if correct.contains(&row.revision) { "*" } else { " " };
        let why = row.reasons.join("; ");
        say::line(&format!("{:>4}{mark} {:.3}  {name:<width$}  {why}", row.rank, row.score))?;
    }
    for line in placement(&rows, &correct, &document) {
        say::line(&line)?;
    }
    Ok(SUCCESS)
}

/// What the results say of the patches that take part.
fn evidence(document: &Document) -> Evidence {
    let patches = document
        .revisions
        .iter()
        .filter(|entry| entry.row.status.takes_part() && entry.row.revision != Revision::ORIGINAL);
    let fails = document.tests.iter().flat_map(|test| {
        let fails = test
            .outcomes
            .iter()
            .filter(|entry| !entry.outcome.finding.is_empty() || entry.outcome.signal.is_some());
        fails.map(|entry| (test.row.test, entry.cluster))
    });
    let size = |entry: &RevisionEntry| {
        Some((entry.row.revision, merge::changed_lines(entry.diff.as_ref()?).ok()?))
    };
    Evidence {
        clusterings: document.clusterings(),
        classes: document.classes.clone(),
        errors: fails.collect::<BTreeSet<_>>(),
        sizes: patches.clone().filter_map(size).collect(),
        patches: patches.map(|entry| (entry.row.revision, entry.row.patch.clone())).collect(),
        ..Evidence::default()
    }
}

/// How well the order agrees with what is known to be correct.
fn placement(
    rows: &[RankingRow],
    correct: &BTreeSet<Revision>,
    document: &Document,
) -> Vec<String> {
    let is_correct = |row: &&RankingRow| correct.contains(&row.revision);
    let Some(first) = rows.iter().find(is_correct) else { return Vec::new() };
    let mut lines = vec![format!("first correct patch: place {} of {}", first.rank, rows.len())];
    let at: Vec<String> = PRECISION_AT
        .iter()
        .filter(|places| **places <= rows.len())
        .map(|places| {
            let found = rows.iter().take(*places).filter(is_correct).count();
            format!("{found}/{places}")
        })
        .collect();
    lines.push(format!("correct among the first: {}", at.join(", ")));
    for class in &document.classes {
        let labels: Vec<&Revision> = correct.iter().filter(|r| class.contains(**r)).collect();
        if !labels.is_empty() {
            let all = say::count(class.len() as u64, "revision");
            lines.push(format!("class of {all} ({class}): {} correct", labels.len()));
        }
    }
    lines
}

/// Understands `NAME=WEIGHT`.
fn weight(text: &str) -> Result<(Criterion, f64), String> {
    let (name, weight) = text.split_once('=').ok_or("not NAME=WEIGHT")?;
    let criterion = Criterion::ALL.into_iter().find(|criterion| criterion.name() == name);
    let names = Criterion::ALL.map(Criterion::name).join(", ");
    let criterion = criterion.ok_or_else(|| format!("{name:?} is none of {names}"))?;
    let weight = weight.parse::<f64>().ok().filter(|weight| weight.is_finite() && *weight >= 0.0);
    Ok((criterion, weight.ok_or("a weight is a number from 0")?))
}
