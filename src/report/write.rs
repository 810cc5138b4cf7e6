//! The files of a report.

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
    /// `report.html`. With the feature `plots`, also writes the pictures. A PNG that would be too
    /// large is left out.
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
        super::pictures::Pictures {
            tree,
            clusterings: &self.clusterings,
            distances: &distances,
            stats: &self.stats,
            labels: &labels,
            verdicts: &verdicts,
        }
        .write(results)?;
        Ok(())
    }
}
