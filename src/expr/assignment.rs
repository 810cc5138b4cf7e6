//! Values of variables.

use std::collections::BTreeMap;

use super::{bv::Bv, id::VariableId};

/// Values for variables; a variable without one counts as zero.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Assignment(pub BTreeMap<VariableId, Bv>);
