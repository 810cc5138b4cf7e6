//! The pictures of a comparison, and the files that they are written to.

use std::path::PathBuf;

use rayon::prelude::*;

use super::{
    cluster_plot::draw_clusters,
    csg_plot::draw_csg,
    distance_plot::draw_distances,
    distances::Distances,
    error::{PlotError, ReportError},
    interaction::Interaction,
    labels::Labels,
    scene::Scene,
    time_plot::draw_progress,
    tree_plot::{draw_tree, tikz},
    verdicts::Verdicts,
};
use crate::{
    results::{Clustering, ResultsDir, StatsRow},
    tree::Tree,
};

/// The data of the pictures.
pub struct Pictures<'a> {
    /// The decision tree.
    pub tree: &'a Tree,
    /// The clusterings of the tests.
    pub clusterings: &'a [Clustering],
    /// How far revisions are from each other.
    pub distances: &'a Distances,
    /// The rows of `stats.csv`.
    pub stats: &'a [StatsRow],
    /// Names and descriptions of the revisions, tests and outcomes.
    pub labels: &'a Labels,
    /// The verdict on each pair of revisions.
    pub verdicts: &'a Verdicts,
}

/// The files of pictures.
#[derive(Debug, Default)]
pub struct Drawn {
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// The names of those that would be too large, with the reasons.
    pub too_large: Vec<(String, PlotError)>,
}

impl Pictures<'_> {
    /// Writes `tree.tex`, and these pictures as SVG, PDF and PNG: `tree`, `clusters`, `distances`
    /// and, if anything was told apart, `progress`.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
    pub fn write(&self, results: &ResultsDir) -> Result<Drawn, ReportError> {
        let Self { tree, labels, verdicts, .. } = self;
        let tex = tikz(tree, labels, verdicts);
        let scenes: [(&str, &(dyn Fn() -> Option<Scene> + Sync)); 4] = [
            ("tree", &|| Some(draw_tree(tree, labels, verdicts))),
            ("clusters", &|| Some(draw_clusters(self.clusterings, tree, labels, verdicts))),
            ("distances", &|| Some(draw_distances(self.distances, labels))),
            ("progress", &|| draw_progress(self.stats)),
        ];
        let files = scenes.par_iter().filter_map(|(name, draw)| Some((*name, Files::of(&draw()?))));
        let files: Vec<(&str, Result<Files, PlotError>)> = files.collect();
        let mut drawn = Drawn::default();
        drawn.files.push(results.write_file("tree.tex", tex.as_bytes())?);
        for (name, files) in files {
            drawn.write(name, files?, results)?;
        }
        Ok(drawn)
    }
}

/// Writes `csg` as SVG, PDF and PNG.
///
/// # Errors
/// A file cannot be written, or the picture cannot be drawn.
pub(super) fn write_csg(
    interaction: &Interaction,
    results: &ResultsDir,
) -> Result<(), ReportError> {
    Drawn::default().write("csg", Files::of(&draw_csg(interaction))?, results)
}

/// A picture in each format.
struct Files {
    svg: String,
    pdf: Vec<u8>,
    png: Result<Vec<u8>, PlotError>,
}

impl Files {
    fn of(scene: &Scene) -> Result<Self, PlotError> {
        let png = match scene.png() {
            Err(error) if !matches!(error, PlotError::TooLarge { .. }) => return Err(error),
            png => png,
        };
        Ok(Self { svg: scene.svg()?, pdf: scene.pdf()?, png })
    }
}

impl Drawn {
    fn write(&mut self, name: &str, files: Files, results: &ResultsDir) -> Result<(), ReportError> {
        let mut file = |ending: &str, bytes: &[u8]| {
            results.write_file(&format!("{name}.{ending}"), bytes).map(|path| self.files.push(path))
        };
        file("svg", files.svg.as_bytes())?;
        file("pdf", &files.pdf)?;
        match files.png {
            Ok(png) => file("png", &png)?,
            Err(error) => self.too_large.push((format!("{name}.png"), error)),
        }
        Ok(())
    }
}
