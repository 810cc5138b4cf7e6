//! The files of a report.

#[cfg(feature = "plots")]
use super::{
    cluster_plot::{clusters_png, clusters_svg},
    distance_plot::{distances_png, distances_svg},
    error::PlotError,
    labels::Labels,
    tree_plot::{tikz, tree_png, tree_svg},
    verdicts::Verdicts,
};
use super::{
    data::Report,
    distances::Distances,
    document::DOCUMENT_FILE,
    dot::dot,
    error::ReportError,
    html::html,
    terminal::{TextStyle, terminal},
};
use crate::results::ResultsDir;

impl Report {
    /// The decision tree as text.
    pub fn terminal(&self, style: TextStyle) -> String {
        terminal(&self.solution.tree, &self.labels(), &self.verdicts(), style)
    }

    /// Writes `summary.csv`, `stats.csv`, `distances.csv`, `results.json`, `tree.json`, `tree.dot` and
    /// `report.html`. With the feature `plots`, also writes `tree.tex`, and the tree, the clusters and
    /// the distances as SVG and PNG. A PNG that would be too large is left out.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
    pub fn write_all(&self, results: &ResultsDir) -> Result<(), ReportError> {
        let (tree, labels, verdicts) = (&self.solution.tree, self.labels(), self.verdicts());
        results.write(std::slice::from_ref(&self.summary))?;
        results.write(&self.stats)?;
        let distances = Distances::new(&tree.revisions(), &self.clusterings);
        results.write(&distances.rows)?;
        results.write_file(DOCUMENT_FILE, self.document().to_json().as_bytes())?;
        results.write_file("tree.json", tree.to_json().as_bytes())?;
        results.write_file("tree.dot", dot(tree, &labels, &verdicts).as_bytes())?;
        results.write_file("report.html", html(self)?.as_bytes())?;
        #[cfg(feature = "plots")]
        self.write_pictures(results, &labels, &verdicts, &distances)?;
        Ok(())
    }

    #[cfg(feature = "plots")]
    fn write_pictures(
        &self,
        results: &ResultsDir,
        labels: &Labels,
        verdicts: &Verdicts,
        distances: &Distances,
    ) -> Result<(), ReportError> {
        let tree = &self.solution.tree;
        results.write_file("tree.tex", tikz(tree, labels, verdicts).as_bytes())?;
        results.write_file("tree.svg", tree_svg(tree, labels, verdicts)?.as_bytes())?;
        let clusters = clusters_svg(&self.clusterings, tree, labels, verdicts)?;
        results.write_file("clusters.svg", clusters.as_bytes())?;
        results.write_file("distances.svg", distances_svg(distances, labels)?.as_bytes())?;
        let pictures = [
            ("distances.png", distances_png(distances, labels)),
            ("tree.png", tree_png(tree, labels, verdicts)),
            ("clusters.png", clusters_png(&self.clusterings, tree, labels, verdicts)),
        ];
        for (name, picture) in pictures {
            match picture {
                Ok(png) => drop(results.write_file(name, &png)?),
                Err(PlotError::TooLarge { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}
