//! Writes the queries that verdicts rest on, each with its answer, so that another solver can
//! decide them again.
//!
//! The layer lies below [`super::slicing`] and above everything that answers without the back end.
//! So it writes the whole query, whichever layer answers it, except for those conditions of the
//! path that no chain of common variables connects with the goals. If the rest is unsatisfiable, so
//! is the whole.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use sha2::{Digest, Sha256};
use tracing::warn;

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::Exprs;

/// Where queries are written, and which of them.
#[derive(Clone, Debug)]
pub struct Recording {
    directory: PathBuf,
    /// The prefix of the file names.
    prefix: &'static str,
    /// Whether only unsatisfiable queries are written. The models of an exploration are evaluated
    /// on their conditions and prove nothing else.
    refutations_only: bool,
    /// Whether some query could not be written.
    broken: Arc<AtomicBool>,
}

impl Recording {
    /// For an exploration: writes the branches that no input takes. `directory` must exist.
    pub fn of_exploration(directory: PathBuf) -> Self {
        Self { directory, prefix: "path", refutations_only: true, broken: Arc::default() }
    }

    /// For comparisons of halt states: writes the refuted ones and those that have an input, to the
    /// same directory.
    #[must_use]
    pub fn of_pairs(&self) -> Self {
        Self { prefix: "pair", refutations_only: false, ..self.clone() }
    }

    /// Whether every query could be written.
    pub fn is_complete(&self) -> bool {
        !self.broken.load(Ordering::Relaxed)
    }

    fn write(&self, exprs: &Exprs, query: Query<'_>, verdict: &Verdict) {
        let status = match verdict {
            Verdict::Unsat => "unsat",
            Verdict::Sat(_) if !self.refutations_only => "sat",
            Verdict::Sat(_) | Verdict::Unknown(_) => return,
        };
        let constraints: Vec<_> = query.constraints().collect();
        let script = format!("(set-info :status {status})\n{}", exprs.smtlib(&constraints));
        // The name is a hash of the content, so workers that ask the same question write one file.
        let name = format!("{:x}", Sha256::digest(&script));
        let file = self.directory.join(format!("{}-{}.smt2", self.prefix, &name[..16]));
        if file.exists() {
            return;
        }
        if let Err(error) = fs::write(&file, script)
            && !self.broken.swap(true, Ordering::Relaxed)
        {
            warn!("not every query is written: {}: {error}", file.display());
        }
    }
}

impl Decorator for Recording {
    const NAME: &'static str = "record";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let verdict = below.check(exprs, query);
        self.write(exprs, query, &verdict);
        (verdict, false)
    }
}
