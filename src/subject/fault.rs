//! What is wrong with `subject.toml`, before its line is known.

/// A value in `subject.toml` that has no meaning, or with which no sources were found.
pub(super) struct Fault {
    /// The key, by which the line in `subject.toml` is found.
    pub(super) key: &'static str,
    pub(super) message: String,
}

/// The fault of a key, with its message.
pub(super) fn fault(key: &'static str, message: impl Into<String>) -> Fault {
    Fault { key, message: message.into() }
}
