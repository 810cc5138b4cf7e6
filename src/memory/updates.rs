//! Writes at symbolic offsets, kept as a list over what was there before (the update lists of
//! KLEE; Cadar, Dunbar and Engler, OSDI 2008, section 3.3): a write costs the same however
//! large the object is, a read asks each write in turn whether it went to the same place.

use crate::{
    expr::{ExprId, Exprs, TableId},
    ir::address::OFFSET_BITS,
};

/// The content of an object some of whose bytes were written at symbolic offsets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Updates {
    /// Bytes of a cell; a power of two that divides the size of the object.
    step: usize,
    /// The cells before the first write.
    before: TableId,
    /// The writes, oldest first.
    writes: Vec<Write>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Write {
    /// Number of the cell, [`OFFSET_BITS`] wide.
    cell: ExprId,
    /// Its new content.
    value: ExprId,
}

/// The cells of `step` bytes that these bytes make.
pub(super) fn cells(exprs: &Exprs, bytes: &[ExprId], step: usize) -> TableId {
    let cells: Vec<ExprId> =
        bytes.chunks_exact(step).map(|bytes| join(exprs, bytes.iter().copied())).collect();
    exprs.table(&cells)
}

/// The word that these bytes make, the lowest first.
pub(super) fn join(exprs: &Exprs, bytes: impl IntoIterator<Item = ExprId>) -> ExprId {
    bytes.into_iter().reduce(|low, high| exprs.concat(high, low)).expect("at least one byte")
}

impl Updates {
    /// No writes yet over these bytes.
    pub fn new(exprs: &Exprs, bytes: &[ExprId], step: usize) -> Self {
        Self { step, before: cells(exprs, bytes, step), writes: Vec::new() }
    }

    /// The `length` bytes at `offset`, which is a multiple of `step` for certain.
    pub fn read(&self, exprs: &Exprs, offset: ExprId, length: usize, step: usize) -> ExprId {
        if step != self.step && self.step != 1 {
            let mut bytes = self.clone();
            bytes.use_cells_of(exprs, step);
            return bytes.read(exprs, offset, length, step);
        }
        let offsets = (0..length).step_by(self.step);
        join(exprs, offsets.map(|i| self.cell(exprs, self.number(exprs, offset, i))))
    }

    /// The same for one byte at a known offset, whatever the cells are.
    pub fn byte(&self, exprs: &Exprs, offset: usize) -> ExprId {
        let (cell, byte) = (offset / self.step, offset % self.step);
        let cell = self.cell(exprs, exprs.constant(OFFSET_BITS, cell as u64));
        exprs.extract(cell, byte as u32 * 8, 8)
    }

    /// Writes the `length` bytes of `word` at `offset`, which is a multiple of `step` for
    /// certain.
    pub fn write(
        &mut self,
        exprs: &Exprs,
        offset: ExprId,
        word: ExprId,
        length: usize,
        step: usize,
    ) {
        self.use_cells_of(exprs, step);
        for start in (0..length).step_by(self.step) {
            let cell = self.number(exprs, offset, start);
            let value = exprs.extract(word, start as u32 * 8, self.step as u32 * 8);
            self.writes.push(Write { cell, value });
        }
    }

    /// The number of the cell `start` bytes behind `offset`.
    fn number(&self, exprs: &Exprs, offset: ExprId, start: usize) -> ExprId {
        let shift = exprs.constant(OFFSET_BITS, u64::from(self.step.trailing_zeros()));
        let start = exprs.constant(OFFSET_BITS, (start / self.step) as u64);
        exprs.add(exprs.lshr(offset, shift), start)
    }

    fn cell(&self, exprs: &Exprs, cell: ExprId) -> ExprId {
        // What stands behind the latest write that certainly went here does not matter.
        let here = |write: &Write| exprs.eq(write.cell, cell);
        let certain = self.writes.iter().rposition(|write| exprs.is_true(here(write)));
        let (start, rest) = match certain {
            Some(index) => (self.writes[index].value, &self.writes[index + 1..]),
            None => (exprs.select(self.before, cell), &self.writes[..]),
        };
        rest.iter().fold(start, |value, write| exprs.ite(here(write), write.value, value))
    }

    /// Cells of `step` bytes if they are that already, else of one byte.
    fn use_cells_of(&mut self, exprs: &Exprs, step: usize) {
        if step == self.step || self.step == 1 {
            return;
        }
        let split =
            |word: ExprId| (0..self.step).map(move |byte| exprs.extract(word, byte as u32 * 8, 8));
        let elements = exprs.table_elements(self.before).to_vec();
        let bytes: Vec<ExprId> = elements.into_iter().flat_map(split).collect();
        let writes = self.writes.iter().flat_map(|write| {
            let scale = exprs.constant(OFFSET_BITS, self.step as u64);
            let first = exprs.mul(write.cell, scale);
            split(write.value).enumerate().map(move |(byte, value)| {
                let cell = exprs.add(first, exprs.constant(OFFSET_BITS, byte as u64));
                Write { cell, value }
            })
        });
        *self = Self { step: 1, before: cells(exprs, &bytes, 1), writes: writes.collect() };
    }
}
