//! A part of the original that a patch replaces, and what may stand there.

use super::source::Tokens;

/// What a meta branch chooses between at a site.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum ChangeKind {
    /// Expressions whose truth value alone is used.
    Truth,
    /// Expressions whose value is not used.
    Discarded,
    /// Initial values of a scalar variable, to whose type each is converted.
    Initial,
    /// Statements.
    Run,
    /// Items at file scope that the original does not have.
    Added,
    /// An item at file scope that the patched text does not have.
    Removed,
}

/// A part of the original that a patch replaces.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Edit {
    pub(super) kind: ChangeKind,
    /// Tokens of the original; an empty range means an insertion before the token there.
    pub(super) from: Tokens,
    /// Tokens of the patched text.
    pub(super) to: Tokens,
    /// `from` reaches the end of its list, so that whatever is appended to the list belongs
    /// inside.
    pub(super) to_end: bool,
    /// Tokens between the braces of the function's body, in the original; at file scope, `from`.
    pub(super) body: Tokens,
    /// Tokens between the braces of the function's body, in the patched text; at file scope, `to`.
    pub(super) patched_body: Tokens,
}
