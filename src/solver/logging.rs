//! Logs every query as an SMT-LIB 2 file that any solver can replay.

use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::Exprs;

/// Writes each query to a file `NNNNNN.smt2` with the verdict as its `:status`. All workers of the
/// process share the numbering.
pub struct Logging {
    directory: PathBuf,
    /// Writing failed once, which was reported; nothing more is written.
    broken: bool,
}

static NEXT: AtomicU64 = AtomicU64::new(1);

impl Logging {
    /// Logs into `directory`, which is made if necessary.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, broken: false }
    }

    fn write(&mut self, exprs: &Exprs, query: Query<'_>, verdict: &Verdict) {
        let status = match verdict {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => "unknown",
        };
        let constraints: Vec<_> = query.constraints().collect();
        let script = format!("(set-info :status {status})\n{}", exprs.smtlib(&constraints));
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = self.directory.join(format!("{number:06}.smt2"));
        let written = fs::create_dir_all(&self.directory).and_then(|()| fs::write(&file, script));
        if let Err(error) = written {
            let file = file.display();
            _ = writeln!(io::stderr(), "no further queries are logged: {file}: {error}");
            self.broken = true;
        }
    }
}

impl Decorator for Logging {
    const NAME: &'static str = "logging";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let verdict = below.check(exprs, query);
        if !self.broken {
            self.write(exprs, query, &verdict);
        }
        (verdict, false)
    }
}
