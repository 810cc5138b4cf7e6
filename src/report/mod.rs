//! Presents results to people: the decision tree as text, DOT, TikZ, SVG and PNG, the clusters as a
//! matrix, and one page of HTML with everything.
//!
//! A report knows what is in a results directory, and nothing about how it was obtained.

#[cfg(feature = "plots")]
mod cactus_plot;
#[cfg(feature = "plots")]
mod cluster_plot;
mod data;
#[cfg(feature = "plots")]
mod distance_plot;
mod distances;
mod document;
mod dot;
mod error;
mod explanation;
mod html;
mod labels;
#[cfg(feature = "plots")]
mod layout;
mod question;
mod repeated;
#[cfg(test)]
mod sample;
mod scalar;
#[cfg(feature = "plots")]
mod scene;
mod separation;
mod terminal;
#[cfg(feature = "plots")]
mod tree_plot;
mod verdicts;
mod walk;
mod write;

#[cfg(feature = "plots")]
pub use cactus_plot::cactus_svg;
#[cfg(feature = "plots")]
pub use cluster_plot::{clusters_png, clusters_svg};
pub use data::Report;
#[cfg(feature = "plots")]
pub use distance_plot::{distances_png, distances_svg};
pub use distances::{Dendrogram, Distances};
pub use document::{
    DOCUMENT_FILE, Document, DocumentError, OutcomeEntry, RevisionEntry, TestEntry,
};
pub use dot::dot;
pub use error::{PlotError, ReportError};
pub use explanation::{Explanation, Ran, Row, Step, When};
pub use html::html;
pub(crate) use html::page;
pub use labels::{
    Labels, OutcomeDescription, TestDescription, patch_name, ranges, readable, shorten, visible,
    visible_line,
};
pub use question::question;
pub use scalar::{ScalarRange, ScalarRanges, scalar_ranges};
pub use separation::{Unseparated, WhyUnseparated};
pub use terminal::{TextStyle, terminal};
#[cfg(feature = "plots")]
pub use tree_plot::{tikz, tree_png, tree_svg};
pub use verdicts::{Leaf, LeafKind, Verdicts};

#[cfg(test)]
mod tests;
