//! `psychic tree CLUSTERS.csv|RESULTS`.

use std::{io::IsTerminal, path::PathBuf, time::Duration};

use anyhow::bail;
use clap::Args;

use super::{
    exit::{SUCCESS, UNDECIDED},
    say,
};
use crate::{
    report::{Labels, TextStyle, Verdicts, terminal},
    results::{
        ClusterRow, ResultsDir, RevisionRow, Table, TestRow, read_clusterings, read_table,
        write_whole,
    },
    subject::{RevisionSet, config::parse_duration},
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
    let names = file.with_file_name(RevisionRow::FILE);
    let rows: Vec<RevisionRow> = if names.is_file() { read_table(&names)? } else { Vec::new() };
    // Include revisions about which no test says anything: they may even be all of them.
    let taking_part = rows.iter().filter(|row| row.status.takes_part()).map(|row| row.revision);
    let clustered = clusterings.iter().flat_map(|clustering| clustering.clusters.keys().copied());
    let revisions: RevisionSet = taking_part.chain(clustered).collect();
    if revisions.is_empty() {
        bail!("{}: no rows, so there is nothing to tell apart", file.display());
    }
    let mut options = Options { time: Some(args.time_budget), ..Options::default() };
    let beside = file.with_file_name(TestRow::FILE);
    if beside.is_file() {
        let rows: Vec<TestRow> = read_table(&beside)?;
        options.sizes = rows.iter().map(|row| (row.test, row.size)).collect();
    }
    let solution = minimal(&revisions, &clusterings, &options)?;
    let cart = greedy(&revisions, &clusterings, Impurity::Gini)?;
    let tree: &Tree = if args.greedy { &cart } else { &solution.tree };
    let labels = Labels::of_patches(&rows);
    let out = args.out.clone().or_else(|| Some(results?.path().join("tree.json")));
    if let Some(out) = out {
        write_whole(&out, tree.to_json().as_bytes())?;
    }
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    say::line(terminal(tree, &labels, &Verdicts::default(), style).trim_end_matches('\n'))?;
    say::line(&format!(
        "height {} ({}), greedy {}, {} of {}, {} used of {}",
        tree.height(),
        if solution.optimal() {
            "minimal".into()
        } else {
            format!("at least {}", solution.lower_bound)
        },
        cart.height(),
        say::count(solution.classes.len() as u64, "class"),
        say::count(revisions.len() as u64, "revision"),
        say::count(tree.tests().len() as u64, "test"),
        clusterings.len(),
    ))?;
    if !solution.together.is_empty() {
        say::line(&format!(
            "tests are silent on so many revisions that the tree would be too large: it is cut \
             off and does not separate {} that they tell apart",
            say::count(solution.together.len() as u64, "pair")
        ))?;
    }
    Ok(if solution.optimal() { SUCCESS } else { UNDECIDED })
}
