//! `psychic plot RESULTS`.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::Args;

use super::{exit::SUCCESS, say};
use crate::{
    report::{Distances, Labels, Pictures, Verdicts, dot},
    results::{
        ClusterRow, PairRow, ResultsDir, RevisionRow, StatsRow, read_clusterings, read_table,
    },
    tree::Tree,
};

#[derive(Args, Debug)]
pub(super) struct PlotArgs {
    /// A results directory with clusters.csv and tree.json
    results: PathBuf,
    /// Where the pictures go [default: the results directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &PlotArgs) -> anyhow::Result<u8> {
    let results = ResultsDir::open(&args.results)?;
    let out = ResultsDir::create(args.out.clone().unwrap_or_else(|| args.results.clone()))?;
    let clusterings = read_clusterings(&results.table::<ClusterRow>())?;
    let path = results.path().join("tree.json");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} (`psychic tree` makes it)", path.display()))?;
    let tree = Tree::from_json(&text).with_context(|| path.display().to_string())?;
    let names = results.table::<RevisionRow>();
    let labels = if names.is_file() {
        Labels::of_patches(&read_table::<RevisionRow>(&names)?)
    } else {
        Labels::default()
    };
    let pairs = results.table::<PairRow>();
    let verdicts =
        if pairs.is_file() { Verdicts::new(&read_table(&pairs)?) } else { Verdicts::default() };
    let distances = Distances::new(&tree.revisions(), &clusterings);
    let stats = results.table::<StatsRow>();
    let stats = if stats.is_file() { read_table(&stats)? } else { Vec::new() };
    let (labels, verdicts, tree) = (&labels, &verdicts, &tree);
    say::line(
        &out.write_file("tree.dot", dot(tree, labels, verdicts).as_bytes())?.display().to_string(),
    )?;
    let pictures = Pictures {
        tree,
        clusterings: &clusterings,
        distances: &distances,
        stats: &stats,
        labels,
        verdicts,
    };
    let drawn = pictures.write(&out)?;
    for (name, error) in drawn.too_large {
        say::aside(&format!("psychic: {name}: {error}"));
    }
    for path in drawn.files {
        say::line(&path.display().to_string())?;
    }
    Ok(SUCCESS)
}
