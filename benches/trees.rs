//! The search for the smallest tree beside greedy induction by CART and by information gain, over
//! random clusterings and those in `results/`. Writes `results/bench/trees.csv`; README.md says how
//! to run it.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use psychic::{
    results::{Clustering, TestId, read_clusterings, write_whole},
    subject::{Revision, RevisionSet},
    tree::{Impurity, Options, Solution, Tree, greedy, minimal},
};

/// How long each search for the smallest tree may take.
const TIME: Duration = Duration::from_secs(10);
const REVISIONS: [u32; 3] = [16, 64, 256];
const TESTS: [u32; 4] = [20, 50, 100, 500];
const OUTCOMES: [u64; 3] = [2, 4, 8];
/// Where the results of subjects are, and the table.
const RESULTS: &str = "results";
const TABLE: &str = "results/bench/trees.csv";
const HEADER: &str = "source,revisions,tests,outcomes,classes,height,lower_bound,proven,expected,\
                      seconds,cart_height,cart_expected,cart_seconds,gain_height,gain_expected,\
                      gain_seconds";

/// How random outcomes are distributed.
#[derive(Clone, Copy)]
enum Source {
    /// Each outcome is as likely as any other.
    Even,
    /// Three of four revisions have the same outcome, as patches that a test hardly tells apart.
    Skewed,
}

fn main() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut table = format!("{HEADER}\n");
    let mut add = |source: &str, clusterings: &[Clustering]| {
        let row = row(source, clusterings);
        println!("{row}");
        table.push_str(&row);
        table.push('\n');
    };
    for (name, source) in [("even", Source::Even), ("skewed", Source::Skewed)] {
        for revisions in REVISIONS {
            for tests in TESTS {
                for outcomes in OUTCOMES {
                    add(name, &random(source, (revisions, tests, outcomes)));
                }
            }
        }
    }
    for (name, clusterings) in found(&top.join(RESULTS)) {
        add(&name, &clusterings);
    }
    write_whole(&top.join(TABLE), table.as_bytes()).expect("results/bench can be written to");
}

/// Random clusterings of so many revisions by so many tests of so many outcomes, the same each time.
fn random(source: Source, (revisions, tests, outcomes): (u32, u32, u64)) -> Vec<Clustering> {
    let mut seed = u64::from(revisions) << 40 | u64::from(tests) << 8 | outcomes;
    // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
    let mut next = move |below: u64| {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = seed;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ z >> 31) % below
    };
    let mut outcome = move || match source {
        Source::Skewed if next(4) != 0 => 0,
        Source::Even | Source::Skewed => next(outcomes),
    };
    let clustering = |test| {
        let all = (0..revisions).map(|revision| (Revision(revision), outcome()));
        Clustering::new(TestId(test), all.collect::<Vec<_>>())
    };
    (1..=tests).map(clustering).collect()
}

/// The clusterings below a directory of results, each with the directory it is in.
fn found(results: &Path) -> Vec<(String, Vec<Clustering>)> {
    let mut all = Vec::new();
    let mut directories = vec![results.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.ends_with("clusters.csv") {
                let name = directory.strip_prefix(results).expect("it is below").display();
                let clusterings = read_clusterings(&path).expect("a table of clusters");
                all.push((name.to_string(), clusterings));
            }
        }
    }
    all.retain(|(_, clusterings)| !clusterings.is_empty());
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all
}

fn row(source: &str, clusterings: &[Clustering]) -> String {
    let revisions: RevisionSet =
        clusterings.iter().flat_map(|clustering| clustering.clusters.keys().copied()).collect();
    let outcomes =
        |clustering: &Clustering| clustering.clusters.values().collect::<BTreeSet<_>>().len();
    let options = Options { time: Some(TIME), ..Options::default() };
    let ((solution, seconds), [cart, gain]) = (
        timed(|| minimal(&revisions, clusterings, &options).expect("a tree")),
        [Impurity::Gini, Impurity::Entropy]
            .map(|by| timed(|| greedy(&revisions, clusterings, by, None).expect("a tree"))),
    );
    let Solution { height, lower_bound, expected_depth, proven, classes, .. } = solution;
    let baseline = |(tree, seconds): (Option<Tree>, f64)| {
        let tree = tree.expect("it has all the time");
        let expected = tree.expected_depth(&options.prior);
        format!("{},{expected:.3},{seconds:.3}", tree.height())
    };
    format!(
        "{source},{},{},{},{},{height},{lower_bound},{},{expected_depth:.3},{seconds:.3},{},{}",
        revisions.len(),
        clusterings.len(),
        clusterings.iter().map(outcomes).max().unwrap_or(0),
        classes.len(),
        format!("{proven:?}").to_lowercase(),
        baseline(cart),
        baseline(gain),
    )
}

fn timed<T>(make: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    let made = make();
    (made, begin.elapsed().as_secs_f64())
}
