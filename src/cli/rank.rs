//! `psychic rank SUBJECT|RESULTS`: orders the patches.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use anyhow::Context;
use clap::Args;

use super::{args::subject_or_results, exit::SUCCESS, say, scores::scores};
use crate::{
    merge,
    rank::{Criterion, Evidence, Share, Walk, Weights, ranking, read_answers},
    report::{Document, RevisionEntry, shorten},
    results::{LabelRow, RankingRow},
    session::{compared::unchanged, rows::takes_part},
    subject::{CONFIG_FILE, Revision, RevisionSet, Subject},
    tree::Tree,
};

fn after_help() -> String {
    let criterion =
        |one: Criterion| format!("\n  {:<7} {}  {}", one.name(), one.usual_weight(), one.about());
    format!(
        "\
Patches that are wrong on fewer of the tests whose right outcome is known come first. It is known from
`psychic ask`, and from [oracle] and [tests] of subject.toml. Among these, patches that are proved
equivalent to the reference come first. Among equals, the order is that of the mean of these criteria,
each from 0 to 1, with their weights:{}
Of a SUBJECT, weights, scores and labels are those in its subject.toml where no option says otherwise.",
        Criterion::ALL.map(criterion).concat()
    )
}

#[derive(Args, Debug)]
#[command(after_help = after_help())]
pub(super) struct RankArgs {
    /// A directory with a subject.toml, or a results directory of `psychic diff`
    #[arg(value_name = "SUBJECT|RESULTS")]
    place: PathBuf,
    /// Where the results of the subject are [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
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
    /// The revision whose outcomes are right, which is not ranked itself
    #[arg(long, value_name = "N")]
    reference: Option<Revision>,
}

/// The numbers of first places whose share of correct patches is shown.
const PRECISION_AT: [usize; 4] = [1, 3, 5, 10];
/// The label of patches that are known to be correct.
const CORRECT: &str = "correct";

pub(super) fn run(args: &RankArgs) -> anyhow::Result<u8> {
    let (subject, results) = subject_or_results(&args.place, args.out.as_deref())?;
    let mut document = Document::read(results.path())?;
    if let Some(subject) = &subject {
        unchanged(subject, &document, |_| true)?;
    }
    if let Some(reference) = args.reference.or(document.reference) {
        takes_part(document.revisions.iter().map(|entry| &entry.row), reference)
            .context("the reference")?;
    }
    if let Some(reference) = args.reference {
        document.take_for_right(reference);
    }
    let mut evidence = evidence(&document);
    let answers = read_answers(&results)?;
    let walked = |tree: &Tree| {
        let mut walk = Walk::new(tree, &evidence.clusterings);
        walk.repeat(&answers).map(|()| walk)
    };
    // The answers may have been given before `psychic tree` found another tree.
    let walk = walked(&document.tree_in_use(results.path())?)
        .or_else(|_| walked(&document.tree))
        .with_context(|| {
        format!(
            "{}: answers of other results or another tree; `psychic ask --restart` begins anew",
            results.path().display()
        )
    })?;
    evidence.answers = walk.answers().to_vec();
    let listed = |subject: &Subject| Some(subject.dir.join(subject.config.rank.scores.as_ref()?));
    if let Some(file) = args.scores.clone().or_else(|| subject.as_ref().and_then(listed)) {
        // The tool that made the patches knows nothing of those that were set aside.
        let all = document.revisions.iter().map(|entry| &entry.row);
        let all = all.filter(|row| row.revision != Revision::ORIGINAL);
        let names = all.map(|row| (row.revision, row.patch.clone())).collect();
        evidence.priors = scores(&file, &names)?;
        evidence.priors.retain(|revision, _| evidence.patches.contains_key(revision));
    }
    let labels = labels(args, subject.as_ref(), &evidence.patches)?;
    let rows = ranking(&evidence, &weights(args, subject.as_ref())?);
    results.write(&rows)?;
    let names = document.labels();
    let names: Vec<String> = rows.iter().map(|row| names.revision(row.revision)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    let none = BTreeSet::new();
    let correct = labels.get(CORRECT).unwrap_or(&none);
    for (row, name) in rows.iter().zip(&names) {
        let name = shorten(name, width);
        let mark = if correct.contains(&row.revision) { "*" } else { " " };
        let why = row.reasons.join("; ");
        say::line(&format!("{:>4}{mark} {:.3}  {name:<width$}  {why}", row.rank, row.score))?;
    }
    for line in placement(&rows, correct) {
        say::line(&line)?;
    }
    if !labels.is_empty() {
        let table = label_rows(&document, &labels);
        results.write(&table)?;
        for line in classes(&table) {
            say::line(&line)?;
        }
    }
    Ok(SUCCESS)
}

/// The weights of criteria: the usual ones, those of the subject, and those of the command line.
fn weights(args: &RankArgs, subject: Option<&Subject>) -> anyhow::Result<Weights> {
    let mut weights = Weights::default();
    if let Some(Subject { config, dir, .. }) = subject {
        for (name, value) in &config.rank.weights {
            let (criterion, value) = weight(&format!("{name}={value}")).map_err(|fault| {
                anyhow::anyhow!("{}: [rank.weights]: {fault}", dir.join(CONFIG_FILE).display())
            })?;
            weights.set(criterion, value);
        }
    }
    for (criterion, weight) in &args.weight {
        weights.set(*criterion, *weight);
    }
    Ok(weights)
}

/// The labels of patches that take part: those of the subject, and those of the command line.
fn labels(
    args: &RankArgs,
    subject: Option<&Subject>,
    patches: &BTreeMap<Revision, String>,
) -> anyhow::Result<BTreeMap<String, BTreeSet<Revision>>> {
    let mut labels = subject.map(|subject| subject.labels.clone()).unwrap_or_default();
    for labelled in labels.values_mut() {
        // One that was set aside is in no class.
        labelled.retain(|revision| patches.contains_key(revision));
    }
    if !args.correct.is_empty() {
        let unknown = args.correct.iter().find(|revision| !patches.contains_key(revision));
        if let Some(revision) = unknown {
            anyhow::bail!("--correct: {revision} is no patch that takes part; see revisions.csv");
        }
        labels.insert(CORRECT.to_owned(), args.correct.iter().copied().collect());
    }
    Ok(labels)
}

/// What the results say of the patches that take part.
fn evidence(document: &Document) -> Evidence {
    let is_ranked =
        |revision| ![Some(Revision::ORIGINAL), document.reference].contains(&Some(revision));
    let patches = document
        .revisions
        .iter()
        .filter(|entry| entry.row.status.takes_part() && is_ranked(entry.row.revision));
    let outcomes = || {
        let of_test = document.tests.iter();
        of_test.flat_map(|test| {
            test.outcomes.iter().map(|entry| ((test.row.test, entry.cluster), entry))
        })
    };
    let size = |entry: &RevisionEntry| {
        Some((entry.row.revision, merge::changed_lines(entry.diff.as_ref()?).ok()?))
    };
    let with_reference = document.pairs.iter().filter_map(|row| match document.reference {
        Some(reference) if row.a == reference => Some((row.b, row.verdict)),
        Some(reference) if row.b == reference => Some((row.a, row.verdict)),
        _ => None,
    });
    Evidence {
        clusterings: document.clusterings(),
        classes: document.classes.clone(),
        errors: outcomes().filter(|(_, entry)| entry.is_error()).map(|(key, _)| key).collect(),
        right: outcomes().filter_map(|(key, entry)| Some((key, entry.right?))).collect(),
        reference: with_reference.collect(),
        shares: document
            .shares
            .iter()
            .filter_map(|row| Some((row.revision, Share::of(row)?)))
            .collect(),
        sizes: patches.clone().filter_map(size).collect(),
        patches: patches.map(|entry| (entry.row.revision, entry.row.patch.clone())).collect(),
        ..Evidence::default()
    }
}

/// How well the order agrees with what is known to be correct.
fn placement(rows: &[RankingRow], correct: &BTreeSet<Revision>) -> Vec<String> {
    let is_correct = |row: &&RankingRow| correct.contains(&row.revision);
    let Some(first) = rows.iter().find(is_correct) else { return Vec::new() };
    let at: Vec<String> = PRECISION_AT
        .iter()
        .filter(|places| **places <= rows.len())
        .map(|places| {
            let found = rows.iter().take(*places).filter(is_correct).count();
            format!("{found}/{places}")
        })
        .collect();
    vec![
        format!("first correct patch: place {} of {}", first.rank, rows.len()),
        format!("correct among the first: {}", at.join(", ")),
    ]
}

/// The table of classes against labels, without empty cells.
fn label_rows(document: &Document, labels: &BTreeMap<String, BTreeSet<Revision>>) -> Vec<LabelRow> {
    let mut rows = Vec::new();
    for revisions in &document.classes {
        for (label, all) in labels {
            let labelled: RevisionSet =
                all.iter().copied().filter(|revision| revisions.contains(*revision)).collect();
            let (Some(class), false) = (revisions.first(), labelled.is_empty()) else { continue };
            let (label, revisions) = (label.clone(), revisions.clone());
            rows.push(LabelRow { class, revisions, label, labelled });
        }
    }
    rows
}

/// A line for each class with labelled patches.
fn classes(rows: &[LabelRow]) -> Vec<String> {
    let of_class = |rows: &[LabelRow]| {
        let LabelRow { revisions, .. } = &rows[0];
        let all = say::count(revisions.len() as u64, "revision");
        let counts: Vec<String> =
            rows.iter().map(|row| format!("{} {}", row.labelled.len(), row.label)).collect();
        format!("class of {all} ({revisions}): {}", counts.join(", "))
    };
    rows.chunk_by(|a, b| a.class == b.class).map(of_class).collect()
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
