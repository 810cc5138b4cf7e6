//! Queries that verdicts rest on, each with its answer, for another solver to decide again.
//!
//! The layer lies below [`super::slicing`] and above everything that answers without the back
//! end: what is written is the whole question, whoever answered it, but without the conditions of
//! a path that have no variable in common with what was asked of it. If what is left cannot be
//! satisfied, neither can the whole.

use std::{
    fs,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use sha2::{Digest, Sha256};

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::Exprs;

/// Where such queries go, and which of them.
#[derive(Clone, Debug)]
pub struct Recording {
    directory: PathBuf,
    /// What names of files begin with.
    prefix: &'static str,
    /// Models prove nothing in an exploration: they are evaluated on their conditions.
    refutations_only: bool,
    /// Something could not be written.
    broken: Arc<AtomicBool>,
}

impl Recording {
    /// Of an exploration: ways that no input takes. The directory has to exist.
    pub fn of_exploration(directory: PathBuf) -> Self {
        Self { directory, prefix: "path", refutations_only: true, broken: Arc::default() }
    }

    /// Of comparisons of halt states, in the same directory: refuted, or with an input.
    #[must_use]
    pub fn of_pairs(&self) -> Self {
        Self { prefix: "pair", refutations_only: false, ..self.clone() }
    }

    /// Whether everything could be written.
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
        // Named by what it says: the same question is written once, and by any number of workers.
        let name = format!("{:x}", Sha256::digest(&script));
        let file = self.directory.join(format!("{}-{}.smt2", self.prefix, &name[..16]));
        if file.exists() {
            return;
        }
        if let Err(error) = fs::write(&file, script)
            && !self.broken.swap(true, Ordering::Relaxed)
        {
            eprintln!("not every query is written: {}: {error}", file.display());
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
