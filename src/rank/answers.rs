//! `answers.json`: the answers of a walk. A later walk goes on from them, and rankings use them.

use std::{fs, io, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::walk::Answered;
use crate::results::{ResultsDir, ResultsError};

const FILE: &str = "answers.json";

/// Why `answers.json` cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AnswersError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file does not hold answers.
    #[error("{}: not answers of `psychic ask`: {source}; `psychic ask --restart` begins anew", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
}

#[derive(Deserialize, Serialize)]
struct Answers {
    answers: Vec<Answered>,
}

/// Reads the answers that an earlier walk has left with the results; none if there was no walk.
///
/// # Errors
/// See [`AnswersError`].
pub fn read_answers(results: &ResultsDir) -> Result<Vec<Answered>, AnswersError> {
    let path = results.path().join(FILE);
    let text = match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|source| AnswersError::Io { path: path.clone(), source })?,
    };
    let read: Answers =
        serde_json::from_str(&text).map_err(|source| AnswersError::Shape { path, source })?;
    Ok(read.answers)
}

/// Leaves the answers of a walk with the results.
///
/// # Errors
/// The file cannot be written.
pub fn write_answers(results: &ResultsDir, answers: &[Answered]) -> Result<(), ResultsError> {
    let answers = Answers { answers: answers.to_vec() };
    // It consists of numbers, words and texts: JSON can hold it all.
    let text = serde_json::to_string_pretty(&answers).unwrap_or_default() + "\n";
    results.write_file(FILE, text.as_bytes()).map(drop)
}
