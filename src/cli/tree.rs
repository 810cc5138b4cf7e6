//! `psychic tree CLUSTERS.csv|RESULTS`.

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::bail;
use clap::{Args, ValueEnum};

use super::{
    exit::{SUCCESS, UNDECIDED},
    say,
    scores::scores,
};
use crate::{
    report::{Labels, TextStyle, Verdicts, terminal},
    results::{
        ClusterRow, Clustering, ResultsDir, RevisionRow, Table, TestRow, read_clusterings,
        read_table, write_named,
    },
    subject::{Revision, RevisionSet, config::parse_duration},
    tree::{Impurity, Objective, Options, Proven, Tree, cover, greedy, minimal},
};

#[derive(Args, Debug)]
pub(super) struct TreeArgs {
    /// A clusters.csv, or a results directory that has one
    clusters: PathBuf,
    /// Write the tree as JSON here [default: tree.json in a results directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop looking for a smaller tree after this long
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "60s")]
    time_budget: Duration,
    /// What matters most: height, the most questions; expected, their mean; tests, the number of
    /// different tests
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = ObjectiveArg::Height)]
    objective: ObjectiveArg,
    /// How likely each patch is to be right: scores, 0 or more, as `psychic rank --scores` takes them
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,
    /// Ask everybody the same, with as few tests as possible: one test for each level
    #[arg(long, conflicts_with_all = ["objective", "prior", "greedy"])]
    oblivious: bool,
    /// Take a greedy tree (CART) instead of the smallest
    #[arg(long)]
    greedy: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum ObjectiveArg {
    Height,
    Expected,
    Tests,
}

/// The weight of the likeliest patch; one that no score is known of has 1.
const LIKELIEST: f64 = 1000.0;

pub(super) fn run(args: &TreeArgs) -> anyhow::Result<u8> {
    let results = args.clusters.is_dir().then(|| ResultsDir::open(&args.clusters)).transpose()?;
    let file = match &results {
        Some(results) => results.table::<ClusterRow>(),
        None => args.clusters.clone(),
    };
    let clusterings = read_clusterings(&file)?;
    let names = file.with_file_name(RevisionRow::FILE);
    let rows: Vec<RevisionRow> = if names.is_file() { read_table(&names)? } else { Vec::new() };
    // Include revisions about which no test says anything: they may even be all of them.
    let taking_part = rows.iter().filter(|row| row.status.takes_part()).map(|row| row.revision);
    let clustered = clusterings.iter().flat_map(|clustering| clustering.clusters.keys().copied());
    let revisions: RevisionSet = taking_part.chain(clustered).collect();
    if revisions.is_empty() {
        bail!("{}: no rows, so there is nothing to tell apart", file.display());
    }
    let objective = match args.objective {
        ObjectiveArg::Expected => Objective::Depth,
        ObjectiveArg::Height | ObjectiveArg::Tests => Objective::Height,
    };
    let mut options = Options { objective, time: Some(args.time_budget), ..Options::default() };
    let beside = file.with_file_name(TestRow::FILE);
    if beside.is_file() {
        let rows: Vec<TestRow> = read_table(&beside)?;
        options.sizes = rows.iter().map(|row| (row.test, row.size)).collect();
    }
    if let Some(file) = &args.prior {
        options.prior = prior(file, &revisions, &rows)?;
    }
    // An oblivious tree is at hand with its tests; otherwise, half of the time is for the tree.
    let begin = Instant::now();
    let part = if args.oblivious { 1 } else { 2 };
    let for_tests = Options { time: Some(args.time_budget / part), ..options.clone() };
    let fewest = (args.oblivious || args.objective == ObjectiveArg::Tests)
        .then(|| cover(&revisions, &clusterings, &for_tests))
        .transpose()?;
    let is_of_fewest = |clustering: &Clustering| {
        fewest.as_ref().is_none_or(|fewest| fewest.tests.contains(&clustering.test))
    };
    let used: Vec<Clustering> = clusterings.iter().filter(|c| is_of_fewest(c)).cloned().collect();
    options.time = Some(args.time_budget.saturating_sub(begin.elapsed()));
    let solution = minimal(&revisions, &used, &options)?;
    let cart = greedy(&revisions, &clusterings, Impurity::Gini)?;
    let tree: &Tree = match &fewest {
        _ if args.greedy => &cart,
        Some(fewest) if args.oblivious => &fewest.tree,
        _ => &solution.tree,
    };
    let labels = Labels::of_patches(&rows);
    let out = args.out.clone().or_else(|| Some(results?.path().join("tree.json")));
    if let Some(out) = out {
        write_named(&out, tree.to_json().as_bytes())?;
    }
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    say::line(terminal(tree, &labels, &Verdicts::default(), style).trim_end_matches('\n'))?;
    let at_least = |is_proved: bool, bound: String| match is_proved {
        true => "minimal".to_owned(),
        false => format!("at least {bound}"),
    };
    let height = match args.objective {
        ObjectiveArg::Height => {
            let is_least = solution.optimal() && tree.height() == solution.tree.height();
            format!(" ({})", at_least(is_least, solution.lower_bound.to_string()))
        }
        _ => String::new(),
    };
    let questions = format!("{:.2}", tree.expected_depth(&options.prior));
    let expected = match (args.objective, solution.proven >= Proven::Depth) {
        (ObjectiveArg::Expected, true) => format!(" ({questions} expected, minimal)"),
        (ObjectiveArg::Expected, false) => format!(" ({questions} expected, not proved minimal)"),
        _ => String::new(),
    };
    let tests = fewest
        .as_ref()
        .map(|fewest| format!(" ({})", at_least(fewest.optimal(), fewest.lower_bound.to_string())));
    say::line(&format!(
        "height {}{}{expected}, greedy {}, {} of {}, {} used{} of {}",
        tree.height(),
        if args.oblivious { "" } else { &height },
        cart.height(),
        say::count(solution.classes.len() as u64, "class"),
        say::count(revisions.len() as u64, "revision"),
        say::count(tree.tests().len() as u64, "test"),
        tests.unwrap_or_default(),
        clusterings.len(),
    ))?;
    if let Some(fewest) = fewest.as_ref().filter(|_| args.oblivious) {
        let tests: Vec<String> = fewest.tests.iter().map(ToString::to_string).collect();
        say::line(&format!("everybody is asked: {}", tests.join(", ")))?;
    }
    if !solution.together.is_empty() {
        say::line(&format!(
            "tests are silent on so many revisions that the tree would be too large: it is cut \
             off and does not separate {} that they tell apart",
            say::count(solution.together.len() as u64, "pair")
        ))?;
    }
    let is_proved = match (&fewest, args.objective) {
        (Some(fewest), _) => fewest.optimal(),
        (None, ObjectiveArg::Expected) => solution.proven >= Proven::Depth,
        (None, _) => solution.optimal(),
    };
    Ok(if is_proved && solution.together.is_empty() { SUCCESS } else { UNDECIDED })
}

/// The prior of each revision, in whole numbers, so that ties are exact.
fn prior(
    file: &Path,
    revisions: &RevisionSet,
    rows: &[RevisionRow],
) -> anyhow::Result<BTreeMap<Revision, u32>> {
    // Patches that were set aside may have a score, too.
    let mut names: BTreeMap<Revision, String> =
        revisions.iter().map(|revision| (revision, String::new())).collect();
    names.extend(rows.iter().map(|row| (row.revision, row.patch.clone())));
    let mut scores = scores(file, &names)?;
    scores.retain(|revision, _| revisions.contains(*revision));
    let most = scores.values().copied().fold(0.0, f64::max);
    if let Some((revision, score)) = scores.iter().find(|(_, score)| **score < 0.0) {
        bail!("{}: the score of {revision} is negative: {score}", file.display());
    }
    let weight = |score: f64| (score / most.max(f64::MIN_POSITIVE) * LIKELIEST).round().max(1.0);
    Ok(scores.into_iter().map(|(revision, score)| (revision, weight(score) as u32)).collect())
}
