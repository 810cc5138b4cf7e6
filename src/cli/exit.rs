//! Exit codes.

/// Exit code: every pair was decided, or the stage did its work.
pub(super) const SUCCESS: u8 = 0;

/// Exit code: something is undecided (a pair, a path, the smallest tree), or a replay did not show
/// what was predicted.
pub(super) const UNDECIDED: u8 = 1;

/// Exit code: nothing could be done; one message says why.
pub(super) const FAILURE: u8 = 2;

/// Exit code: the run was interrupted; what was found is on disk.
pub(super) const INTERRUPTED: u8 = 130;
