//! Why there is no report or picture.

use crate::results::ResultsError;

/// Why a picture cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The fonts that are built into the program cannot be read.
    #[error("the fonts built into the program cannot be read: its build is broken")]
    Font,
    /// The picture has too many pixels for a PNG.
    #[error("a picture of {width} x {height} is too large for PNG: use the SVG or PDF")]
    TooLarge {
        /// Width of the SVG, in pixels.
        width: i32,
        /// Height of the SVG, in pixels.
        height: i32,
    },
    /// A library that draws or encodes failed.
    #[error("drawing failed: {message}")]
    Drawing {
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
