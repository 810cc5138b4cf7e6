//! Logs every query as an SMT-LIB 2 file that any solver can replay.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tracing::warn;

use super::{Decided, Decorator, Query, Solver, Verdict};
use crate::expr::Exprs;

/// Writes each query to a separate file `NNNNNN.smt2` with the verdict as its `:status`, even if
/// others write to the directory, too.
pub struct Logging {
    directory: PathBuf,
    /// The smallest number that may be free.
    next: u64,
    /// Whether writing has failed. The failure was reported, and nothing more is written.
    broken: bool,
}

impl Logging {
    /// Logs into `directory`, which is created if necessary.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory, next: 1, broken: false }
    }

    fn write(&mut self, exprs: &Exprs, query: Query<'_>, verdict: &Verdict) {
        let status = match verdict {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat => "unsat",
            Verdict::Unknown(_) => "unknown",
        };
        let constraints: Vec<_> = query.constraints().collect();
        let script = format!("(set-info :status {status})\n{}", exprs.smtlib(&constraints));
        let written = fs::create_dir_all(&self.directory)
            .and_then(|()| new_file(&self.directory, &mut self.next))
            .and_then(|mut file| file.write_all(script.as_bytes()));
        if let Err(error) = written {
            warn!("no further queries are logged: {}: {error}", self.directory.display());
            self.broken = true;
        }
    }
}

/// Creates the first file from number `next` on that does not exist yet, and sets `next` to the
/// number after it.
fn new_file(directory: &Path, next: &mut u64) -> io::Result<File> {
    loop {
        let file = directory.join(format!("{next:06}.smt2"));
        *next += 1;
        match File::create_new(file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made,
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
