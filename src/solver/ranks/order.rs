//! Orders of some numbers and constants.

/// Numbers of one query (six have 4,683 orders).
pub(super) const MOST_NUMBERS: usize = 8;
/// Different constants that they are compared with.
pub(super) const MOST_CONSTANTS: usize = 8;

/// An order of the constants and of the first numbers of a query.
#[derive(Clone, Copy, Default)]
pub(super) struct Order {
    /// For each constant, and from [`MOST_CONSTANTS`] on for each number: how many different values
    /// are less.
    pub(super) ranks: [u8; MOST_CONSTANTS + MOST_NUMBERS],
    /// How many different values there are.
    pub(super) values: u8,
}

impl Order {
    /// This order with one more value, of this rank.
    pub(super) fn with_value(mut self, rank: u8) -> Self {
        for known in &mut self.ranks {
            *known += u8::from(*known >= rank);
        }
        self.values += 1;
        self
    }

    pub(super) fn with_rank(mut self, place: usize, rank: u8) -> Self {
        self.ranks[place] = rank;
        self
    }
}
