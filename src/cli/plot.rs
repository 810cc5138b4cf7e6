//! `psychic plot RESULTS`.

use std::{fs, path::PathBuf};

use anyhow::Context;
use clap::Args;

use super::{exit::SUCCESS, say};
use crate::{
    report::{
        Distances, Labels, PlotError, Verdicts, clusters_png, clusters_svg, distances_png,
        distances_svg, dot, tikz, tree_png, tree_svg,
    },
    results::{ClusterRow, PairRow, ResultsDir, RevisionRow, read_clusterings, read_table},
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
    let clusters = clusters_svg(&clusterings, &tree, &labels, &verdicts)?;
    let mut written = vec![
        out.write_file("tree.dot", dot(&tree, &labels, &verdicts).as_bytes())?,
        out.write_file("tree.tex", tikz(&tree, &labels, &verdicts).as_bytes())?,
        out.write_file("tree.svg", tree_svg(&tree, &labels, &verdicts)?.as_bytes())?,
        out.write_file("clusters.svg", clusters.as_bytes())?,
        out.write_file("distances.svg", distances_svg(&distances, &labels)?.as_bytes())?,
    ];
    let pictures = [
        ("tree.png", tree_png(&tree, &labels, &verdicts)),
        ("clusters.png", clusters_png(&clusterings, &tree, &labels, &verdicts)),
        ("distances.png", distances_png(&distances, &labels)),
    ];
    for (name, picture) in pictures {
        match picture {
            Ok(png) => written.push(out.write_file(name, &png)?),
            Err(error @ PlotError::TooLarge { .. }) => eprintln!("psychic: {name}: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
    for path in written {
        say::line(&path.display().to_string())?;
    }
    Ok(SUCCESS)
}
