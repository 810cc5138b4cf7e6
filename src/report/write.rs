//! The files of a report.

use super::{
    csg::csg_dot,
    data::Report,
    distances::Distances,
    document::DOCUMENT_FILE,
    dot::dot,
    error::ReportError,
    html::html,
    interaction::Interaction,
    terminal::{TextStyle, terminal},
};
use crate::results::ResultsDir;

/// The directory with the diffs of subsets of the changes of a patch.
const SUBSETS: &str = "subsets/";

impl Report {
    /// The decision tree as text.
    pub fn terminal(&self, style: TextStyle) -> String {
        terminal(&self.solution.tree, &self.labels(), &self.verdicts(), style)
    }

    /// Writes `summary.csv`, `stats.csv`, `distances.csv`, `results.json`, `tree.json`, `tree.dot`
    /// and `report.html`. With the feature `plots`, also writes the pictures. A PNG that would be
    /// too large is left out.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
    pub fn write_all(&self, results: &ResultsDir) -> Result<(), ReportError> {
        let (tree, labels, verdicts) = (&self.solution.tree, self.labels(), self.verdicts());
        let distances = Distances::new(&tree.revisions(), &self.clusterings);
        let texts = || {
            results.write(std::slice::from_ref(&self.summary))?;
            results.write(&self.stats)?;
            results.write(&distances.rows)?;
            results.write_file(DOCUMENT_FILE, self.document().to_json().as_bytes())?;
            results.write_file("tree.json", tree.to_json().as_bytes())?;
            results.write_file("tree.dot", dot(tree, &labels, &verdicts).as_bytes())?;
            results.write_file("report.html", html(self)?.as_bytes())?;
            let Some(interaction) = &self.interaction else { return Ok(()) };
            self.write_interaction(interaction, results)
        };
        #[cfg(feature = "plots")]
        let pictures = || {
            let pictures = super::pictures::Pictures {
                tree,
                clusterings: &self.clusterings,
                distances: &distances,
                stats: &self.stats,
                labels: &labels,
                verdicts: &verdicts,
            };
            pictures.write(results).map(drop)
        };
        #[cfg(not(feature = "plots"))]
        let pictures = || Ok(());
        let (texts, pictures): (Result<_, ReportError>, Result<_, ReportError>) =
            rayon::join(texts, pictures);
        texts.and(pictures)
    }

    /// Writes the tables about the changes of a patch, their graph, and the diffs of their subsets.
    fn write_interaction(
        &self,
        interaction: &Interaction,
        results: &ResultsDir,
    ) -> Result<(), ReportError> {
        results.write(&interaction.changes)?;
        results.write(&interaction.subsets)?;
        results.write(&interaction.graph)?;
        results.write(&interaction.interactions)?;
        results.write(&interaction.sequences)?;
        results.write(&interaction.critical)?;
        results.write_file("csg.dot", csg_dot(interaction).as_bytes())?;
        #[cfg(feature = "plots")]
        super::pictures::write_csg(interaction, results)?;
        for row in self.revisions.iter().filter(|row| row.patch.starts_with(SUBSETS)) {
            if let Some(diff) = self.diffs.get(&row.revision) {
                results.write_file(&row.patch, diff.as_bytes())?;
            }
        }
        Ok(())
    }
}
