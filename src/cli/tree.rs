//! `psychic tree CLUSTERS.csv|RESULTS`.

use std::{
    collections::BTreeMap,
    fmt,
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
        ClusterRow, Clustering, ResultsDir, RevisionRow, Table, TestId, TestRow, read_clusterings,
        read_table, write_named,
    },
    subject::{Revision, RevisionSet, config::parse_duration},
    tree::{Cover, Impurity, Objective, Options, Proven, Tree, cover, greedy, minimal},
};

const AFTER_HELP: &str = "\
Exit code: 0 if the tree is what was asked for, 1 if it is cut off or not proved to be the smallest
within the time, 2 if there is no tree.";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct TreeArgs {
    /// A clusters.csv, or a results directory that has one
    clusters: PathBuf,
    /// Write the tree as JSON here [default: tree.json in a results directory]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop looking for a smaller tree, or for the greedy one, after this long
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
    let given = Given::read(args)?;
    let found = Found::search(&given, args)?;
    let beside = given.results.as_ref().map(|results| results.path().join("tree.json"));
    if let Some(out) = args.out.clone().or(beside) {
        write_named(&out, found.tree.to_json().as_bytes())?;
    }
    let labels = Labels::of_patches(&given.rows);
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    let text = terminal(&found.tree, &labels, &Verdicts::default(), style);
    say::line(text.trim_end_matches('\n'))?;
    say::line(&found.summary(&given, args))?;
    if args.oblivious {
        let tests: Vec<String> = found.asked.iter().map(ToString::to_string).collect();
        say::line(&format!("everybody is asked: {}", tests.join(", ")))?;
    }
    if found.together > 0 {
        say::line(&format!(
            "tests are silent on so many revisions that the tree would be too large: it is cut \
             off and does not separate {} that they tell apart",
            say::count(found.together as u64, "pair")
        ))?;
    }
    Ok(if found.is_done(args) { SUCCESS } else { UNDECIDED })
}

/// What is to be told apart, by what, and how to choose among trees.
struct Given {
    results: Option<ResultsDir>,
    rows: Vec<RevisionRow>,
    revisions: RevisionSet,
    clusterings: Vec<Clustering>,
    options: Options,
}

impl Given {
    fn read(args: &TreeArgs) -> anyhow::Result<Self> {
        let results =
            args.clusters.is_dir().then(|| ResultsDir::open(&args.clusters)).transpose()?;
        let file = match &results {
            Some(results) => results.table::<ClusterRow>(),
            None => args.clusters.clone(),
        };
        let clusterings = read_clusterings(&file)?;
        let names = file.with_file_name(RevisionRow::FILE);
        let rows: Vec<RevisionRow> = if names.is_file() { read_table(&names)? } else { Vec::new() };
        // Include revisions about which no test says anything: they may even be all of them.
        let taking_part = rows.iter().filter(|row| row.status.takes_part()).map(|row| row.revision);
        let clustered = clusterings.iter().flat_map(|c| c.clusters.keys().copied());
        let revisions: RevisionSet = taking_part.chain(clustered).collect();
        if revisions.is_empty() {
            bail!("{}: no rows, so there is nothing to tell apart", file.display());
        }
        let objective = match args.objective {
            ObjectiveArg::Expected => Objective::Depth,
            ObjectiveArg::Height | ObjectiveArg::Tests => Objective::Height,
        };
        let mut options = Options { objective, ..Options::default() };
        let beside = file.with_file_name(TestRow::FILE);
        if beside.is_file() {
            let rows: Vec<TestRow> = read_table(&beside)?;
            options.sizes = rows.iter().map(|row| (row.test, row.size)).collect();
        }
        if let Some(file) = &args.prior {
            options.prior = prior(file, &revisions, &rows)?;
        }
        Ok(Self { results, rows, revisions, clusterings, options })
    }
}

/// The tree, and what is proved about it.
struct Found {
    tree: Tree,
    /// The number of pairs that the tree leaves together because it is cut off.
    together: usize,
    /// The number of classes.
    classes: usize,
    /// The tests of an oblivious tree, in their order.
    asked: Vec<TestId>,
    /// What is proved of that which matters most.
    proof: Proof,
    /// The height of the greedy tree.
    greedy: String,
}

/// What is proved of the height of a tree, of its expected number of questions, or of its number of
/// tests.
enum Proof {
    Minimal,
    AtLeast(u64),
    Nothing,
}

impl Found {
    fn search(given: &Given, args: &TreeArgs) -> anyhow::Result<Self> {
        let Given { revisions, clusterings, options, .. } = given;
        let begin = Instant::now();
        // One of several searches that are still to come has this part of the time that is left.
        let part = |of: u32| Some(args.time_budget.saturating_sub(begin.elapsed()) / of);
        let within = |time| Options { time, ..options.clone() };
        let together = |tree: &Tree| tree.together(clusterings).len();
        let for_cart = part(if args.greedy { 1 } else { 4 });
        let cart = greedy(revisions, clusterings, Impurity::Gini, for_cart)?;
        let greedy = cart.as_ref().map_or("none in time".into(), |cart| match together(cart) {
            0 => cart.height().to_string(),
            _ => format!("{} (cut off)", cart.height()),
        });
        let (tree, classes, asked, proof) = if args.oblivious {
            let fewest = cover(revisions, clusterings, &within(part(1)))?;
            let proof = Proof::of_tests(&fewest, &fewest.tree);
            (fewest.tree, fewest.classes, fewest.tests, proof)
        } else {
            let fewest = (args.objective == ObjectiveArg::Tests)
                .then(|| cover(revisions, clusterings, &within(part(2))))
                .transpose()?;
            let is_used = |clustering: &&Clustering| {
                fewest.as_ref().is_none_or(|fewest| fewest.tests.contains(&clustering.test))
            };
            let used: Vec<Clustering> = clusterings.iter().filter(is_used).cloned().collect();
            let solution = minimal(revisions, &used, &within(part(1)))?;
            let cost = |tree: &Tree| options.cost(tree, clusterings);
            let tree = match cart {
                Some(cart) if args.greedy => cart,
                None if args.greedy => bail!(
                    "no greedy tree is found within {} s (--time-budget)",
                    args.time_budget.as_secs_f64()
                ),
                Some(cart) if fewest.is_none() && cost(&cart) < cost(&solution.tree) => cart,
                _ => solution.tree.clone(),
            };
            // The tree leaves as few pairs together, and costs as little in what matters most.
            let is_as_good = cost(&tree)[..2] == cost(&solution.tree)[..2];
            let proof = match (&fewest, args.objective) {
                (Some(fewest), _) => Proof::of_tests(fewest, &tree),
                (None, ObjectiveArg::Expected) => match solution.proven >= Proven::Depth {
                    true if is_as_good => Proof::Minimal,
                    _ => Proof::Nothing,
                },
                (None, _) if solution.optimal() && is_as_good => Proof::Minimal,
                (None, _) => Proof::AtLeast(solution.lower_bound.into()),
            };
            (tree, solution.classes, Vec::new(), proof)
        };
        let (together, classes) = (together(&tree), classes.len());
        Ok(Self { tree, together, classes, asked, proof, greedy })
    }

    /// Whether the tree is whole, and proved to be what was asked for.
    fn is_done(&self, args: &TreeArgs) -> bool {
        self.together == 0 && (args.greedy || matches!(self.proof, Proof::Minimal))
    }

    fn summary(&self, given: &Given, args: &TreeArgs) -> String {
        let is_of_tests = args.oblivious || args.objective == ObjectiveArg::Tests;
        let (mut height, mut expected, mut tests) = Default::default();
        match args.objective {
            _ if is_of_tests => tests = format!(" ({})", self.proof),
            ObjectiveArg::Expected => {
                let questions = self.tree.expected_depth(&given.options.prior);
                // With revisions at several leaves, the mean is not what is minimised.
                let is_other =
                    matches!(self.proof, Proof::Minimal) && !self.tree.repeated().is_empty();
                let over = if is_other { " over the branches" } else { "" };
                expected = format!(" ({questions:.2} expected, {}{over})", self.proof);
            }
            _ => height = format!(" ({})", self.proof),
        }
        if self.together > 0 {
            height = " (cut off)".to_owned();
        }
        format!(
            "height {}{height}{expected}, greedy {}, {} of {}, {} used{tests} of {}",
            self.tree.height(),
            self.greedy,
            say::count(self.classes as u64, "class"),
            say::count(given.revisions.len() as u64, "revision"),
            say::count(self.tree.tests().len() as u64, "test"),
            given.clusterings.len(),
        )
    }
}

impl Proof {
    fn of_tests(fewest: &Cover, tree: &Tree) -> Self {
        match fewest.optimal() && tree.tests().len() == fewest.tests.len() {
            true => Self::Minimal,
            false => Self::AtLeast(fewest.lower_bound as u64),
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Minimal => f.write_str("minimal"),
            Self::AtLeast(bound) => write!(f, "at least {bound}"),
            Self::Nothing => f.write_str("not proved minimal"),
        }
    }
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
