//! Writes at symbolic offsets, kept as a list over what was there before (the update lists of KLEE;
//! Cadar, Dunbar and Engler, OSDI 2008, section 3.3). The cost of a write does not depend on the
//! size of the object. A read asks for each write in turn whether it went to the same place.

use std::ops::Range;

use super::value::WORD;
use crate::{
    expr::{ExprId, Exprs, TableId},
    ir::address::OFFSET_BITS,
};

/// A part of an object, some of whose bytes were written at symbolic offsets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Updates {
    /// The offset in the object at which the part begins; a multiple of `step`.
    start: usize,
    /// Number of bytes in a cell; a power of two.
    step: usize,
    /// The cells before the first write.
    before: TableId,
    /// The offset at which the part ends.
    end: usize,
    /// The writes, oldest first.
    writes: Vec<Write>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Write {
    /// The offset in the object at which the cell begins, [`OFFSET_BITS`] wide.
    offset: ExprId,
    /// The new content of the cell.
    value: ExprId,
}

/// A table of these bytes in cells of `step` bytes.
pub(super) fn cells(exprs: &Exprs, bytes: &[ExprId], step: usize) -> TableId {
    let cells: Vec<ExprId> =
        bytes.chunks_exact(step).map(|bytes| join(exprs, bytes.iter().copied())).collect();
    exprs.table(&cells)
}

/// The word made of these bytes, the lowest first.
pub(super) fn join(exprs: &Exprs, bytes: impl IntoIterator<Item = ExprId>) -> ExprId {
    bytes.into_iter().reduce(|low, high| exprs.concat(high, low)).expect("at least one byte")
}

impl Updates {
    /// A part without writes yet, over these bytes from `start` on. `start` and the number of bytes
    /// are multiples of `step`.
    pub fn new(exprs: &Exprs, start: usize, bytes: &[ExprId], step: usize) -> Self {
        let before = cells(exprs, bytes, step);
        Self { start, step, before, end: start + bytes.len(), writes: Vec::new() }
    }

    /// The range of bytes of the object that the part covers.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether the part covers none of these bytes.
    #[inline(always)]
    pub fn is_apart(&self, bytes: &Range<usize>) -> bool {
        bytes.end <= self.start || self.end <= bytes.start
    }

    /// Reads the `length` bytes at `offset`, which is a multiple of `step` for certain.
    pub fn read(&self, exprs: &Exprs, offset: ExprId, length: usize, step: usize) -> ExprId {
        if step != self.step && self.step != 1 {
            let mut bytes = self.clone();
            bytes.use_cells_of(exprs, step);
            return bytes.read(exprs, offset, length, step);
        }
        let offsets = (0..length).step_by(self.step);
        join(exprs, offsets.map(|i| self.cell(exprs, behind(exprs, offset, i))))
    }

    /// Reads one byte at a known offset, whatever the size of the cells.
    pub fn byte(&self, exprs: &Exprs, offset: usize) -> ExprId {
        let byte = (offset - self.start) % self.step;
        let cell = self.cell(exprs, exprs.constant(OFFSET_BITS, (offset - byte) as u64));
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
            let offset = behind(exprs, offset, start);
            let value = exprs.extract(word, start as u32 * 8, self.step as u32 * 8);
            self.writes.push(Write { offset, value });
        }
    }

    /// The cell that begins at `offset`.
    fn cell(&self, exprs: &Exprs, offset: ExprId) -> ExprId {
        // Anything older than the latest write that certainly went here does not matter.
        let here = |write: &Write| exprs.eq(write.offset, offset);
        let certain = self.writes.iter().rposition(|write| exprs.is_true(here(write)));
        let (start, rest) = match certain {
            Some(index) => (self.writes[index].value, &self.writes[index + 1..]),
            None => {
                let distance = exprs.sub(offset, exprs.constant(OFFSET_BITS, self.start as u64));
                let shift = exprs.constant(OFFSET_BITS, u64::from(self.step.trailing_zeros()));
                (exprs.select(self.before, exprs.lshr(distance, shift)), &self.writes[..])
            }
        };
        rest.iter().fold(start, |value, write| exprs.ite(here(write), write.value, value))
    }

    /// Merges the part `next`, which begins where this one ends, into this one.
    pub fn absorb(&mut self, exprs: &Exprs, next: &Self) {
        debug_assert_eq!(self.end, next.start);
        let mut next = next.clone();
        next.use_cells_of(exprs, self.step);
        self.use_cells_of(exprs, next.step);
        let elements = |part: &Self| exprs.table_elements(part.before).to_vec();
        self.before = exprs.table(&[elements(self), elements(&next)].concat());
        self.end = next.end;
        // Where writes cannot meet, their order does not matter.
        self.writes.extend(next.writes);
    }

    /// Does what [`Object::with_updated_words`](super::Object::with_updated_words) says to one
    /// part. Words that were split into bytes are put together.
    pub fn with_words(
        &self,
        exprs: &Exprs,
        window: &Range<usize>,
        may_be: &dyn Fn(ExprId) -> bool,
        by: &dyn Fn(ExprId) -> Option<ExprId>,
    ) -> Option<Self> {
        // A word is one cell, or was split into bytes by an access of another kind.
        let cells = WORD / self.step.min(WORD);
        if self.is_apart(window) || self.step != WORD && self.step != 1 {
            return None;
        }
        let replaced = |word: &[ExprId]| -> Option<Vec<ExprId>> {
            let highest = word[cells - 1];
            if cells > 1 && !may_be(highest) {
                return None;
            }
            let new = by(join(exprs, word.iter().copied()))?;
            let width = 8 * self.step as u32;
            Some((0..cells as u32).map(|cell| exprs.extract(new, cell * width, width)).collect())
        };
        let mut changed: Option<Self> = None;
        let mut before: Option<Vec<ExprId>> = None;
        let elements = exprs.table_elements(self.before);
        let first = self.start.next_multiple_of(WORD).max(window.start / WORD * WORD);
        for start in (first..self.end.min(window.end)).step_by(WORD) {
            let at = (start - self.start) / self.step;
            if let Some(new) = elements.get(at..at + cells).and_then(replaced) {
                before.get_or_insert_with(|| elements.to_vec())[at..at + cells]
                    .copy_from_slice(&new);
            }
        }
        if let Some(before) = before {
            changed.get_or_insert_with(|| self.clone()).before = exprs.table(&before);
        }
        for (at, writes) in self.writes.windows(cells).enumerate() {
            let next = |i: usize| behind(exprs, writes[0].offset, i);
            if (1..cells).any(|i| writes[i].offset != next(i)) {
                continue;
            }
            let word: Vec<ExprId> = writes.iter().map(|write| write.value).collect();
            for (i, value) in replaced(&word).into_iter().flatten().enumerate() {
                changed.get_or_insert_with(|| self.clone()).writes[at + i].value = value;
            }
        }
        changed
    }

    /// Splits the cells into single bytes, unless they have `step` bytes already.
    fn use_cells_of(&mut self, exprs: &Exprs, step: usize) {
        if step == self.step || self.step == 1 {
            return;
        }
        let split =
            |word: ExprId| (0..self.step).map(move |byte| exprs.extract(word, byte as u32 * 8, 8));
        let elements = exprs.table_elements(self.before).to_vec();
        let bytes: Vec<ExprId> = elements.into_iter().flat_map(split).collect();
        let writes = self.writes.iter().flat_map(|write| {
            let bytes = split(write.value).enumerate();
            bytes.map(|(byte, value)| Write { offset: behind(exprs, write.offset, byte), value })
        });
        let writes = writes.collect();
        *self = Self { step: 1, before: cells(exprs, &bytes, 1), writes, ..*self };
    }
}

/// `offset + bytes`.
fn behind(exprs: &Exprs, offset: ExprId, bytes: usize) -> ExprId {
    exprs.add(offset, exprs.constant(OFFSET_BITS, bytes as u64))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{
        expr::{Assignment, Bv, ExprId, Exprs},
        ir::address::OFFSET_BITS,
        memory::{Byte, Object, Segment},
    };

    const SIZE: usize = 16;

    #[derive(Clone, Debug)]
    enum Access {
        /// Writes `2^log` bytes at the value of the variable times `2^log`, reduced to the bounds.
        Write {
            variable: usize,
            log: u32,
            value: u64,
        },
        Read {
            variable: usize,
            log: u32,
        },
        WriteByte {
            offset: usize,
            value: u8,
        },
        Fill {
            value: u8,
        },
    }

    fn access() -> impl Strategy<Value = Access> {
        prop_oneof![
            (0..3_usize, 0..4_u32, any::<u64>()).prop_map(|(variable, log, value)| Access::Write {
                variable,
                log,
                value
            }),
            (0..3_usize, 0..4_u32).prop_map(|(variable, log)| Access::Read { variable, log }),
            (0..SIZE, any::<u8>()).prop_map(|(offset, value)| Access::WriteByte { offset, value }),
            any::<u8>().prop_map(|value| Access::Fill { value }),
        ]
    }

    proptest! {
        /// Whatever is written at symbolic and known offsets in words of several sizes, every read
        /// gives what an array of bytes would hold.
        #[test]
        fn reads_see_the_latest_write(
            accesses in proptest::collection::vec(access(), 1..24),
            indices in proptest::array::uniform3(any::<u8>()),
            symbolic in any::<bool>(),
        ) {
            let exprs = Exprs::new();
            let variables = [0, 1, 2].map(|i| exprs.input(&format!("i{i}"), 8));
            let mut assignment = Assignment::default();
            for (variable, index) in variables.iter().zip(indices) {
                let id = exprs.as_variable(*variable).unwrap();
                assignment.0.insert(id, Bv::new(8, index.into()));
            }
            let value = |e: ExprId| exprs.evaluate(e, &assignment).to_u64().unwrap();
            let mut object = Object::zeroed(Segment::Heap, SIZE);
            let mut plain = [0_u8; SIZE];
            if symbolic {
                object.set_byte(&exprs, 3, Byte::Symbolic(variables[0]));
                plain[3] = indices[0];
            }
            let place = |variable: usize, log: u32| {
                let cells = (SIZE >> log) as u64;
                let cell = exprs.and(variables[variable], exprs.constant(8, cells - 1));
                let step = exprs.constant(OFFSET_BITS, 1 << log);
                let offset = exprs.mul(exprs.zext(cell, OFFSET_BITS), step);
                (offset, (u64::from(indices[variable]) & (cells - 1)) as usize)
            };
            for access in accesses {
                match access {
                    Access::Write { variable, log, value } => {
                        let (offset, cell) = place(variable, log);
                        let length = 1 << log;
                        let word = exprs.constant(8 * length as u32, value);
                        object.update(&exprs, offset, word, length, length);
                        plain[cell * length..][..length]
                            .copy_from_slice(&value.to_le_bytes()[..length]);
                    }
                    Access::Read { variable, log } => {
                        let (offset, cell) = place(variable, log);
                        let length = 1 << log;
                        let read = value(object.select(&exprs, offset, length, length));
                        prop_assert_eq!(
                            &read.to_le_bytes()[..length],
                            &plain[cell * length..][..length]
                        );
                    }
                    Access::WriteByte { offset, value } => {
                        object.write(&exprs, offset, &[value]);
                        plain[offset] = value;
                    }
                    Access::Fill { value } => {
                        object.write(&exprs, 0, &[value; SIZE]);
                        plain = [value; SIZE];
                    }
                }
            }
            for (offset, expected) in plain.into_iter().enumerate() {
                let byte = object.byte(&exprs, offset).expr(&exprs).unwrap();
                prop_assert_eq!(value(byte), u64::from(expected));
            }
        }
    }
}
