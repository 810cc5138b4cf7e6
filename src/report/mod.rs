//! Presents results to people: the decision tree as text, DOT, TikZ, SVG, PDF and PNG, the clusters
//! as a matrix, and one page of HTML with everything.
//!
//! A report knows what is in a results directory, and nothing about how it was obtained.

#[cfg(feature = "plots")]
mod chart;
#[cfg(feature = "plots")]
mod cluster_plot;
mod csg;
#[cfg(feature = "plots")]
mod csg_plot;
mod data;
#[cfg(feature = "plots")]
mod distance_plot;
mod distances;
mod divergences;
mod document;
mod dot;
mod error;
mod explanation;
mod explanation_text;
mod explanations;
mod html;
mod interaction;
mod junit;
mod labels;
#[cfg(feature = "plots")]
mod layout;
mod matrix;
#[cfg(feature = "plots")]
mod pdf;
#[cfg(feature = "plots")]
mod pictures;
mod question;
mod repeated;
#[cfg(test)]
mod sample;
mod sarif;
mod scalar;
#[cfg(feature = "plots")]
mod scene;
mod separation;
mod terminal;
#[cfg(feature = "plots")]
mod time_plot;
#[cfg(feature = "plots")]
mod tree_plot;
mod verdicts;
mod walk;
mod write;

#[cfg(feature = "plots")]
pub use cluster_plot::draw_clusters;
pub use csg::csg_dot;
#[cfg(feature = "plots")]
pub use csg_plot::draw_csg;
pub use data::Report;
#[cfg(feature = "plots")]
pub use distance_plot::draw_distances;
pub use distances::{Dendrogram, Distances};
pub use document::{
    DOCUMENT_FILE, Document, DocumentError, OutcomeEntry, RevisionEntry, TestEntry,
};
pub use dot::dot;
pub use error::{PlotError, ReportError};
pub use explanation::{Explanation, Ran, Reason, Row, Step, When};
pub use explanations::KeepError;
pub use html::html;
pub(crate) use html::page;
pub use interaction::Interaction;
pub use junit::junit;
pub use labels::{
    Labels, OutcomeDescription, TestDescription, escaped, patch_name, ranges, readable, shorten,
    visible, visible_line,
};
#[cfg(feature = "plots")]
pub use pictures::{Drawn, Pictures};
pub use question::question;
pub use sarif::{Place, Places, sarif};
pub use scalar::{ScalarRange, ScalarRanges, scalar_ranges};
#[cfg(feature = "plots")]
pub use scene::Scene;
pub use separation::{Unseparated, WhyUnseparated};
pub use terminal::{TextStyle, terminal};
#[cfg(feature = "plots")]
pub use time_plot::{draw_cactus, draw_progress};
#[cfg(feature = "plots")]
pub use tree_plot::{draw_tree, tikz};
pub use verdicts::{Leaf, LeafKind, Verdicts};

#[cfg(test)]
mod tests;
