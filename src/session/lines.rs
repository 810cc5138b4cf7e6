//! Which lines of two texts are the same.

use diffy::{DiffOptions, Line};

/// The lines of a text, held against those of another one.
pub(super) struct Lines {
    /// For each line, the number of the other text's line beside it, from 0, and whether it is the
    /// same line.
    beside: Vec<(usize, bool)>,
}

impl Lines {
    /// Holds the lines of `text` against those of `other`. How lines end makes no difference.
    pub(super) fn new(text: &str, other: &str) -> Self {
        let whole = |text: &str| text.lines().map(|line| format!("{line}\n")).collect::<String>();
        let (text, other) = (whole(text), whole(other));
        let count = text.lines().count();
        if text == other {
            return Self { beside: (0..count).map(|line| (line, true)).collect() };
        }
        // With all lines as context there is one hunk, which has all of them.
        let patch = DiffOptions::new().set_context_len(count).create_patch(&text, &other);
        let mut beside: Vec<(usize, bool)> = Vec::new();
        // The lines that were deleted and inserted since the last common one.
        let (mut there, mut deleted, mut inserted) = (0, 0, 0);
        let settle =
            |beside: &mut Vec<(usize, bool)>, there, deleted: &mut usize, inserted: &mut usize| {
                let last = inserted.saturating_sub(1);
                beside.extend((0..*deleted).map(|index| (there + index.min(last), false)));
                let after = there + *inserted;
                (*deleted, *inserted) = (0, 0);
                after
            };
        for line in patch.hunks().iter().flat_map(|hunk| hunk.lines()) {
            match line {
                Line::Context(_) => {
                    there = settle(&mut beside, there, &mut deleted, &mut inserted);
                    beside.push((there, true));
                    there += 1;
                }
                Line::Delete(_) => deleted += 1,
                Line::Insert(_) => inserted += 1,
            }
        }
        settle(&mut beside, there, &mut deleted, &mut inserted);
        Self { beside }
    }

    /// The same line of the other text, if it has it. Both are from 0.
    pub(super) fn twin(&self, line: usize) -> Option<usize> {
        self.beside.get(line).filter(|(_, is_same)| *is_same).map(|(other, _)| *other)
    }

    /// The line of the other text that is the same, stands in its place, or follows it. Both are from
    /// 1.
    pub(super) fn beside(&self, line: u32) -> u32 {
        let index = (line as usize).saturating_sub(1);
        self.beside.get(index).map_or(line, |(other, _)| *other as u32 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_beside_its_twin_its_replacement_or_what_follows() {
        let lines = Lines::new("head\na\nif (x > 5)\nb\nnew\nc\n", "a\r\nif (x > 6)\r\nb\r\nc\r\n");
        let beside: Vec<u32> = (1..=6).map(|line| lines.beside(line)).collect();
        assert_eq!(beside, [1, 1, 2, 3, 4, 4]);
        let twins: Vec<Option<usize>> = (0..6).map(|line| lines.twin(line)).collect();
        assert_eq!(twins, [None, Some(0), None, Some(2), None, Some(3)]);
    }

    #[test]
    fn what_is_only_in_the_other_text_moves_the_lines() {
        let lines = Lines::new("a\nb\n", "x\na\ny\nb\n");
        assert_eq!((lines.beside(1), lines.beside(2)), (2, 4));
        let same = Lines::new("a\nb", "a\nb\n");
        assert_eq!((same.beside(2), same.twin(1)), (2, Some(1)));
    }
}
