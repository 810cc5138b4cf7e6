//! How revisions at several leaves are marked.

/// The mark of a revision that stands at several leaves.
pub(super) const REPEATED: &str = " *";

/// The text that explains [`REPEATED`].
pub(super) const REPEATED_NOTE: &str = "* at several leaves: a test on the way says nothing of it";
