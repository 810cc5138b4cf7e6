//! TBD

use crate::expr::Exprs;
