//! How steps end.

use super::coverage::Way;
use crate::{env::Stop, ir::Pc};

/// Where execution goes after an instruction.
pub(super) enum Next {
    /// To the instruction behind it.
    Advance,
    /// To another one of the same function.
    Jump(Pc, Way),
    /// The running function has changed.
    Frame,
}

/// Why a run of one state ends.
pub(super) enum End {
    /// The state stops.
    Stop(Stop),
    /// The state waits for others.
    Join,
    /// The quantum is used up.
    Quantum,
}
