//! The pictures of a comparison, and the files that they are written to.

use std::path::PathBuf;

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

/// What there is to draw.
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
    /// Writes `tree.tex`, and as SVG, PDF and PNG `tree`, `clusters`, `distances` and, if anything was
    /// told apart, `progress`.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
    pub fn write(&self, results: &ResultsDir) -> Result<Drawn, ReportError> {
        let Self { tree, labels, verdicts, .. } = self;
        let mut drawn = Drawn::default();
        let tex = tikz(tree, labels, verdicts);
        drawn.files.push(results.write_file("tree.tex", tex.as_bytes())?);
        drawn.write("tree", &draw_tree(tree, labels, verdicts), results)?;
        let clusters = draw_clusters(self.clusterings, tree, labels, verdicts);
        drawn.write("clusters", &clusters, results)?;
        drawn.write("distances", &draw_distances(self.distances, labels), results)?;
        if let Some(progress) = draw_progress(self.stats) {
            drawn.write("progress", &progress, results)?;
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
    Drawn::default().write("csg", &draw_csg(interaction), results)
}

impl Drawn {
    fn write(
        &mut self,
        name: &str,
        scene: &Scene,
        results: &ResultsDir,
    ) -> Result<(), ReportError> {
        let mut file = |ending: &str, bytes: &[u8]| {
            results.write_file(&format!("{name}.{ending}"), bytes).map(|path| self.files.push(path))
        };
        file("svg", scene.svg()?.as_bytes())?;
        file("pdf", &scene.pdf()?)?;
        match scene.png() {
            Ok(png) => file("png", &png)?,
            Err(error @ PlotError::TooLarge { .. }) => {
                self.too_large.push((format!("{name}.png"), error));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
