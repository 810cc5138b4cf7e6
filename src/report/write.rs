//! The files of a report.

#[cfg(feature = "plots")]
use super::{
    cluster_plot::{clusters_png, clusters_svg},
    error::PlotError,
    labels::Labels,
    tree_plot::{tikz, tree_png, tree_svg},
    verdicts::Verdicts,
};
use super::{
    data::Report,
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

    /// Writes `summary.csv`, `stats.csv`, `results.json`, `tree.json`, `tree.dot` and `report.html`. With the
    /// feature `plots`, also writes `tree.tex`, `tree.svg`, `tree.png`, `clusters.svg` and
    /// `clusters.png`. A PNG that would be too large is left out.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
    pub fn write_all(&self, results: &ResultsDir) -> Result<(), ReportError> {
        let (tree, labels, verdicts) = (&self.solution.tree, self.labels(), self.verdicts());
        results.write(std::slice::from_ref(&self.summary))?;
        results.write(&self.stats)?;
        results.write_file(DOCUMENT_FILE, self.document().to_json().as_bytes())?;
        results.write_file("tree.json", tree.to_json().as_bytes())?;
        results.write_file("tree.dot", dot(tree, &labels, &verdicts).as_bytes())?;
        results.write_file("report.html", html(self)?.as_bytes())?;
        #[cfg(feature = "plots")]
        self.write_pictures(results, &labels, &verdicts)?;
        Ok(())
    }

    #[cfg(feature = "plots")]
    fn write_pictures(
        &self,
        results: &ResultsDir,
        labels: &Labels,
        verdicts: &Verdicts,
    ) -> Result<(), ReportError> {
        let tree = &self.solution.tree;
        results.write_file("tree.tex", tikz(tree, labels, verdicts).as_bytes())?;
        results.write_file("tree.svg", tree_svg(tree, labels, verdicts)?.as_bytes())?;
        let clusters = clusters_svg(&self.clusterings, tree, labels, verdicts)?;
        results.write_file("clusters.svg", clusters.as_bytes())?;
        let pictures = [
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
