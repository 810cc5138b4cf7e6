//! What a run tells while it is under way.

use std::path::Path;

use crate::results::RevisionRow;

/// Something that a run has begun, or how far it is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A package is configured and built, which takes minutes, once.
    Preparing {
        /// Its source tree.
        package: &'a str,
    },
    /// The patches are merged into one program.
    Merging {
        /// How many there are.
        patches: usize,
        /// The subject.
        subject: &'a str,
    },
    /// The meta program that an earlier merge left is taken as it is, by a stage that runs alone.
    Taken {
        /// Where it is.
        meta: &'a Path,
    },
    /// A patch does not apply, does not compile, or cannot be a part of the program.
    SetAside(&'a RevisionRow),
    /// All revisions are built as one program.
    Building {
        /// How many there are.
        revisions: usize,
    },
    /// From now on something can be found.
    Built,
    /// There is no bitcode of the C library: calls of its functions that have no model are unsupported.
    NoLibc,
    /// Exploring, pairing and replaying begins.
    Exploring,
    /// Inputs that were given run on every revision.
    Trying {
        /// How many have run.
        tests: usize,
    },
    /// Exploring goes on.
    Explored {
        /// States that ended.
        paths: usize,
        /// States that wait.
        waiting: usize,
        /// Tests found.
        tests: usize,
        /// Pairs that are neither told apart nor proved.
        open: usize,
    },
    /// The regions of the input are walked, for the lowest tree.
    Walking,
}

/// Is told of a run; `()` does nothing of it, and a closure takes the events.
pub trait Observer {
    /// Takes note.
    fn observe(&mut self, event: Event<'_>);
}

impl Observer for () {
    fn observe(&mut self, _: Event<'_>) {}
}

impl<F: FnMut(Event<'_>)> Observer for F {
    fn observe(&mut self, event: Event<'_>) {
        self(event);
    }
}
