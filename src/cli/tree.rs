//! `psychic tree CLUSTERS.csv|RESULTS`.

use std::{io::IsTerminal, path::PathBuf, time::Duration};

use clap::Args;

use super::{SUCCESS, UNDECIDED};
use crate::{
    report::{Labels, TextStyle, Verdicts, patch_name, terminal},
    subject::{
        RevisionSet,
        config::parse_duration,
        results::{
            ClusterRow, ResultsDir, RevisionRow, Table, TestRow, read_clusterings, read_table,
            write_whole,
        },
    },
    tree::{Impurity, Options, Tree, greedy, minimal},
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
    /// Take a greedy tree (CART) instead of the smallest
    #[arg(long)]
    greedy: bool,
}

pub(super) fn run(args: &TreeArgs) -> anyhow::Result<u8> {
    let results = args.clusters.is_dir().then(|| ResultsDir::open(&args.clusters)).transpose()?;
    let file = match &results {
        Some(results) => results.table::<ClusterRow>(),
        None => args.clusters.clone(),
    };
    let clusterings = read_clusterings(&file)?;
    let revisions: RevisionSet =
        clusterings.iter().flat_map(|clustering| clustering.clusters.keys().copied()).collect();
    let mut options = Options { time: Some(args.time_budget), ..Options::default() };
    let beside = file.with_file_name(TestRow::FILE);
    if beside.is_file() {
        let rows: Vec<TestRow> = read_table(&beside)?;
        options.sizes = rows.iter().map(|row| (row.test, row.size)).collect();
    }
    let solution = minimal(&revisions, &clusterings, &options)?;
    let cart = greedy(&revisions, &clusterings, Impurity::Gini)?;
    let tree: &Tree = if args.greedy { &cart } else { &solution.tree };
    let mut labels = Labels::default();
    let names = file.with_file_name(RevisionRow::FILE);
    if names.is_file() {
        let rows: Vec<RevisionRow> = read_table(&names)?;
        labels.patches = rows
            .iter()
            .filter(|row| !row.patch.is_empty())
            .map(|row| (row.revision, patch_name(&row.patch)))
            .collect();
    }
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    print!("{}", terminal(tree, &labels, &Verdicts::default(), style));
    println!(
        "height {} ({}), greedy {}, {} classes of {} revisions, {} tests used of {}",
        tree.height(),
        if solution.optimal() {
            "minimal".into()
        } else {
            format!("at least {}", solution.lower_bound)
        },
        cart.height(),
        solution.classes.len(),
        revisions.len(),
        tree.tests().len(),
        clusterings.len(),
    );
    let out = args.out.clone().or_else(|| Some(results?.path().join("tree.json")));
    if let Some(out) = out {
        write_whole(&out, tree.to_json().as_bytes())?;
    }
    Ok(if solution.optimal() { SUCCESS } else { UNDECIDED })
}
