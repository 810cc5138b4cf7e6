//! Orders of some numbers and constants.

/// The most numbers of one query (six have 4,683 orders).
pub(super) const MOST_NUMBERS: usize = 8;
/// The most different constants with which they are compared.
pub(super) const MOST_CONSTANTS: usize = 8;

/// An order of the constants and of the first numbers of a query.
#[derive(Clone, Copy, Default)]
pub(super) struct Order {
    /// The number of different values that are less, for each constant and, from [`MOST_CONSTANTS`]
    /// on, for each number.
    pub(super) ranks: [u8; MOST_CONSTANTS + MOST_NUMBERS],
    /// The number of different values.
    pub(super) values: u8,
}

impl Order {
    /// This order with one more value, which has this rank.
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
