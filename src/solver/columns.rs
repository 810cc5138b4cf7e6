//! The values of terms with one variable.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::expr::{ExprId, Exprs, LANES, Lanes};

/// The width of the widest variable, in bits: its values are the lanes of one [`Lanes`].
pub(super) const WIDEST: u32 = LANES.ilog2();
/// How many columns, of 2 KiB each, are remembered before all of them are forgotten.
const MOST_COLUMNS: usize = 1 << 15;

/// The columns of terms with one variable of at most [`WIDEST`] bits: the value of the term for
/// each value of the variable. `None` for a term that has no lanes.
#[derive(Default)]
pub(super) struct Columns(FxHashMap<ExprId, Option<Arc<Lanes>>>);

impl Columns {
    /// Whether there are so many columns that the caller should start again without any.
    pub(super) fn are_full(&self) -> bool {
        self.0.len() > MOST_COLUMNS
    }

    /// The column of a term with one variable, which has at most [`WIDEST`] bits. Lanes beyond the
    /// last value of the variable are meaningless.
    pub(super) fn of(&mut self, exprs: &Exprs, e: ExprId) -> Option<Arc<Lanes>> {
        exprs.post_order(
            &[e],
            &mut self.0,
            |columns, e| exprs.as_u64(e).is_some() || columns.contains_key(&e),
            |columns, e| {
                let mut column: Lanes = std::array::from_fn(|value| value as u64);
                let is_known = exprs.as_variable(e).is_some() || {
                    let of = |operand| columns.get(&operand)?.as_deref();
                    exprs.lanes(e, of, &mut column).is_some()
                };
                columns.insert(e, is_known.then(|| Arc::new(column)));
            },
        );
        self.0.get(&e)?.clone()
    }
}
