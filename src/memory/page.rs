//! A page of the tree in which objects are found.

use triomphe::Arc;

use super::object::{Object, Segment};

/// Number of bits of an index that choose a slot of one page.
pub(super) const BITS: u32 = 5;

pub(super) const WIDTH: usize = 1 << BITS;

/// The contents of an object number or, in an inner page, of all numbers below the slot.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) enum Slot {
    #[default]
    Never,
    Dead(Segment),
    /// A variable that is defined elsewhere: nothing is known about it.
    External,
    Live(Arc<Object>),
    /// A page of slots for the numbers below. These slots differ.
    Page(Arc<Page>),
}

pub(super) type Page = [Slot; WIDTH];
