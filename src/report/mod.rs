//! Presents results to people: the decision tree as text, DOT, TikZ, SVG and PNG, the clusters as a
//! matrix, and one page of HTML with everything.
//!
//! A report knows what is in a results directory, and nothing about how it was obtained.

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

/// The mark of a revision that stands at several leaves.
const REPEATED: &str = " *";

/// The text that explains [`REPEATED`].
const REPEATED_NOTE: &str = "* at several leaves: a test on the way says nothing of it";

/// Why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The fonts that are built into the program cannot be read.
    #[error("the fonts built into the program cannot be read: its build is broken")]
    Font,
    /// The picture has too many pixels for a PNG.
    #[error("a picture of {width} x {height} is too large for PNG: use the SVG")]
    TooLarge {
        /// Width of the SVG, in pixels.
        width: i32,
        /// Height of the SVG, in pixels.
        height: i32,
    },
    /// plotters or the PNG encoder failed.
    #[error("drawing failed: {message}")]
    Plotters {
        /// The message of the library that failed.
        message: String,
    },
}

/// Why a report cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A file cannot be written.
    #[error(transparent)]
    Results(#[from] ResultsError),
    /// A picture cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

/// Everything that a report shows.
#[derive(Clone, Debug)]
pub struct Report {
    /// One row about the whole run.
    pub summary: SummaryRow,
    /// The time spent in each phase, and other figures.
    pub stats: Vec<StatsRow>,
    /// The patches and what became of them; the original is first.
    pub revisions: Vec<RevisionRow>,
    /// The patches as diffs. A patch that could not be made one has the reason instead.
    pub diffs: BTreeMap<Revision, String>,
    /// The tests.
    pub tests: Vec<TestRow>,
    /// The inputs of the tests.
    pub inputs: BTreeMap<TestId, TestDescription>,
    /// The outcomes of each test, one for each cluster.
    pub outcomes: BTreeMap<(TestId, Revision), OutcomeDescription>,
    /// The clusterings of the tests.
    pub clusterings: Vec<Clustering>,
    /// The verdict on each pair of revisions.
    pub pairs: Vec<PairRow>,
    /// The decision tree, and what is proved about it.
    pub solution: Solution,
    /// The bounds and assumptions under which the verdicts hold, a phrase each.
    pub bounds: Vec<String>,
}

impl Report {
    /// Names and descriptions of the revisions, tests and outcomes.
    pub fn labels(&self) -> Labels {
        let inputs = self.inputs.iter();
        Labels {
            inputs: inputs.map(|(test, input)| (*test, input.input.clone())).collect(),
            outcomes: self.outcomes.clone(),
            ..Labels::of_patches(&self.revisions)
        }
    }

    /// The verdict on each pair of revisions.
    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.pairs)
    }

    /// The decision tree as text.
    pub fn terminal(&self, style: TextStyle) -> String {
        terminal(&self.solution.tree, &self.labels(), &self.verdicts(), style)
    }

    /// Writes `summary.csv`, `stats.csv`, `tree.json`, `tree.dot` and `report.html`. With the
    /// feature `plots`, also writes `tree.tex`, `tree.svg`, `tree.png`, `clusters.svg` and
    /// `clusters.png`. A PNG that would be too large is left out.
    ///
    /// # Errors
    /// A file cannot be written, or a picture cannot be drawn.
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
