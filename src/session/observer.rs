//! The events by which a run reports its progress.

use std::path::Path;

use serde::{Serialize, Serializer};

use super::Error;
use crate::results::RevisionRow;

/// Something that a run has begun or found out, or its progress. As JSON it is an object whose
/// `event` is the kind.
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// A package is being configured and built. This happens once, and takes minutes.
    Preparing {
        /// The name of the package's source tree.
        package: &'a str,
    },
    /// The patches are being merged into one program.
    Merging {
        /// The number of patches.
        patches: usize,
        /// The name of the subject.
        subject: &'a str,
    },
    /// A stage that runs on its own uses the meta program that an earlier merge left.
    Taken {
        /// The directory of the meta program.
        #[serde(serialize_with = "path")]
        meta: &'a Path,
    },
    /// A patch is set aside: it does not apply, does not compile, or cannot be part of the program.
    SetAside(&'a RevisionRow),
    /// All revisions are being built as one program.
    Building {
        /// The number of revisions.
        revisions: usize,
    },
    /// The build is done: from now on, the run may find something.
    Built,
    /// There is no bitcode of the C library, so calls of its functions that have no model are
    /// unsupported.
    NoLibc,
    /// Exploring, pairing and replaying begins.
    Exploring,
    /// Tests that were given or that an earlier run left are being run on every revision.
    Trying {
        /// The number of tests that have run.
        tests: usize,
    },
    /// A round of exploring is over.
    Explored {
        /// The number of states that have ended.
        paths: usize,
        /// The number of states that wait.
        waiting: usize,
        /// The number of tests found.
        tests: usize,
        /// The number of pairs that are neither told apart nor proved equivalent.
        open: usize,
    },
    /// Revisions that are proved to do the same are being compared by what their functions return
    /// and leave.
    LookingInside {
        /// The number of these revisions.
        revisions: usize,
    },
    /// The comparison by what functions return and leave has failed. What was found before stays.
    NotInside {
        /// The reason.
        #[serde(serialize_with = "shown")]
        error: &'a Error,
    },
    /// The regions of the input are being walked, for the lowest tree.
    Walking,
}

/// An error as its message.
fn shown<S: Serializer>(error: &&Error, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(error)
}

/// A path as text, even if it is not UTF-8.
fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// Receives the events of a run. `()` ignores them; a closure is called with each.
pub trait Observer {
    /// Receives one event.
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
