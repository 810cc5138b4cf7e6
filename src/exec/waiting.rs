//! States that wait for each other.

use std::sync::Arc;

use super::{join_place::Join, state::State};

/// States that wait at a place.
#[derive(Debug)]
pub(super) struct Waiting {
    pub(super) join: Arc<Join>,
    pub(super) states: Vec<State>,
}
