//! Results for eyes: the decision tree as text, DOT, TikZ, SVG and PNG, the clusters as a matrix,
//! and one page of HTML with everything.
//!
//! A report knows the files of a results directory and nothing of how they were obtained.

#[cfg(feature = "plots")]
mod cluster_plot;
mod dot;
mod html;
mod labels;
#[cfg(feature = "plots")]
mod layout;
#[cfg(test)]
mod sample;
#[cfg(feature = "plots")]
mod scene;
mod separation;
mod terminal;
#[cfg(feature = "plots")]
mod tree_plot;
mod verdicts;

use std::collections::BTreeMap;

#[cfg(feature = "plots")]
pub use cluster_plot::{clusters_png, clusters_svg};
pub use dot::dot;
pub use html::html;
pub use labels::{
    Labels, OutcomeDescription, TestDescription, patch_name, ranges, readable, shorten, visible,
};
pub use separation::{Unseparated, WhyUnseparated};
pub use terminal::{TextStyle, terminal};
#[cfg(feature = "plots")]
pub use tree_plot::{tikz, tree_png, tree_svg};
pub use verdicts::{Leaf, LeafKind, Verdicts};

use crate::{
    results::{
        Clustering, PairRow, ResultsDir, ResultsError, RevisionRow, StatsRow, SummaryRow, TestId,
        TestRow,
    },
    subject::Revision,
    tree::Solution,
};

/// Marks a revision that stands at several leaves.
const REPEATED: &str = " *";

/// Explains the mark.
const REPEATED_NOTE: &str = "* at several leaves: a test on the way says nothing of it";

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The fonts that the program carries cannot be read.
    #[error("the fonts within the program cannot be read: it was not built rightly")]
    Font,
    /// A PNG would not fit in memory.
    #[error("a picture of {width} x {height} is too large for PNG: take the SVG")]
    TooLarge {
        /// Pixels of the SVG from left to right.
        width: i32,
        /// Pixels of the SVG from top to bottom.
        height: i32,
    },
    /// plotters failed, or the encoder of PNG.
    #[error("drawing failed: {message}")]
    Plotters {
        /// What it said.
        message: String,
    },
}

/// Why a report is not written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

/// All that a report shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// One row about the whole run.
    pub summary: SummaryRow,
    /// Where the time went.
    pub stats: Vec<StatsRow>,
    /// The patches and what became of them.
    pub revisions: Vec<RevisionRow>,
    /// Texts of the patches.
    pub diffs: BTreeMap<Revision, String>,
    /// The tests.
    pub tests: Vec<TestRow>,
    /// Their inputs.
    pub inputs: BTreeMap<TestId, TestDescription>,
    /// The outcomes of each test by their cluster.
    pub outcomes: BTreeMap<(TestId, Revision), OutcomeDescription>,
    /// The clusterings of the tests.
    pub clusterings: Vec<Clustering>,
    /// What is known about every two revisions.
    pub pairs: Vec<PairRow>,
    /// The decision tree.
    pub solution: Solution,
    /// Under which bounds and assumptions all this holds, a sentence each.
    pub bounds: Vec<String>,
}

impl Report {
    /// What everything is called.
    pub fn labels(&self) -> Labels {
        let inputs = self.inputs.iter();
        Labels {
            inputs: inputs.map(|(test, input)| (*test, input.input.clone())).collect(),
            outcomes: self.outcomes.clone(),
            ..Labels::of_patches(&self.revisions)
        }
    }

    /// What is known about every two revisions.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.pairs)
    }

    /// The decision tree as text.
    pub fn terminal(&self, style: TextStyle) -> String {
        terminal(&self.solution.tree, &self.labels(), &self.verdicts(), style)
    }

    /// Writes `summary.csv`, `stats.csv`, `tree.json`, `.dot` and `report.html`, and with the feature
    /// `plots` `tree.tex`, `.svg` and `.png`, `clusters.svg` and `.png`.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn. A picture that is only too large
    /// for PNG is left out.
    pub fn write_all(&self, results: &ResultsDir) -> Result<(), ReportError> {
        let (tree, labels, verdicts) = (&self.solution.tree, self.labels(), self.verdicts());
        results.write(std::slice::from_ref(&self.summary))?;
        results.write(&self.stats)?;
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

#[cfg(test)]
mod tests;
