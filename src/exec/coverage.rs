//! Which code has run, as the interpreter notes it at the end of every straight run.

use rustc_hash::FxHashSet;

use crate::ir::{Function, FunctionId, Inst, Pc};

/// Which parts of a program have run. Marks are made only when a straight run ends, which costs a
/// store or two for each jump.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// By function, a mark for each instruction; empty for a function that was not entered.
    marks: Vec<Vec<Mark>>,
    /// Where switches have gone.
    switched: FxHashSet<(FunctionId, Pc, Pc)>,
}

/// What has happened at an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// One more than the number of the last instruction that a straight run from here has reached;
    /// 0 if no straight run began here.
    reached: u32,
    /// Whether the branch here has gone a way, by [`Way`].
    ways: [bool; 2],
}

/// How a jump found its target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Way {
    /// By a condition that does not hold, or by none.
    Otherwise,
    /// By a condition that holds.
    Then,
    /// By the value of a switch.
    Switch,
}

impl Way {
    /// The way of a branch whose condition holds or not.
    #[inline(always)]
    pub fn of(holds: bool) -> Self {
        if holds { Self::Then } else { Self::Otherwise }
    }
}

/// The marks of the running function.
pub(super) struct Running<'a> {
    function: FunctionId,
    marks: &'a mut [Mark],
    switched: &'a mut FxHashSet<(FunctionId, Pc, Pc)>,
}

impl Running<'_> {
    /// Notes that control went straight on from the instruction `from` to `to`, and that `to` has
    /// run.
    #[inline(always)]
    pub fn ran(&mut self, from: u32, to: u32) {
        let reached = &mut self.marks[from as usize].reached;
        *reached = (*reached).max(to + 1);
    }

    /// Notes that the instruction at `pc` has led to `target`.
    #[inline(always)]
    pub fn jumped(&mut self, pc: u32, way: Way, target: Pc) {
        match way {
            Way::Otherwise | Way::Then => self.marks[pc as usize].ways[way as usize] = true,
            Way::Switch => drop(self.switched.insert((self.function, Pc(pc), target))),
        }
    }
}

impl Coverage {
    /// The marks of a function, to be changed while it runs.
    #[inline]
    pub(super) fn of(&mut self, id: FunctionId, function: &Function) -> Running<'_> {
        let index = id.0 as usize;
        if self.marks.len() <= index {
            self.marks.resize_with(index + 1, Vec::new);
        }
        let marks = &mut self.marks[index];
        if marks.is_empty() {
            marks.resize(function.code.len(), Mark::default());
        }
        Running { function: id, marks, switched: &mut self.switched }
    }

    /// Adds what another worker has run.
    pub fn add(&mut self, other: &Self) {
        if self.marks.len() < other.marks.len() {
            self.marks.resize_with(other.marks.len(), Vec::new);
        }
        for (marks, others) in self.marks.iter_mut().zip(&other.marks) {
            if marks.is_empty() {
                marks.clone_from(others);
                continue;
            }
            for (mark, other) in marks.iter_mut().zip(others) {
                mark.reached = mark.reached.max(other.reached);
                mark.ways = [mark.ways[0] | other.ways[0], mark.ways[1] | other.ways[1]];
            }
        }
        self.switched.extend(&other.switched);
    }

    /// The functions that were entered, by number.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let entered = self.marks.iter().zip(0..).filter(|(marks, _)| !marks.is_empty());
        entered.map(|(_, index)| FunctionId(index))
    }

    /// Whether each instruction of a function has run; empty if the function was not entered.
    pub fn instructions(&self, id: FunctionId) -> Vec<bool> {
        let marks = self.marks.get(id.0 as usize).map_or(&[][..], |marks| marks);
        let mut behind = 0;
        (0..)
            .zip(marks)
            .map(|(pc, mark)| {
                behind = behind.max(mark.reached);
                pc < behind
            })
            .collect()
    }

    /// For each distinct place to which an instruction can lead by a condition or a value, whether
    /// it has led there. Empty unless there are several such places. A place that the compiler
    /// knows to be unreachable does not count.
    pub fn ways(&self, id: FunctionId, function: &Function, pc: Pc) -> Vec<bool> {
        let mark = self.marks.get(id.0 as usize).and_then(|marks| marks.get(pc.0 as usize));
        let ways = mark.map_or([false; 2], |mark| mark.ways);
        let mut found: Vec<(Pc, bool)> = match &function.code[pc.0 as usize] {
            Inst::Branch { then, otherwise, .. } | Inst::CompareBranch { then, otherwise, .. } => {
                vec![(*then, ways[Way::Then as usize]), (*otherwise, ways[Way::Otherwise as usize])]
            }
            Inst::Switch(switch) => {
                let targets = switch.cases.iter().map(|case| case.1).chain([switch.default]);
                targets.map(|to| (to, self.switched.contains(&(id, pc, to)))).collect()
            }
            _ => Vec::new(),
        };
        let mut seen = FxHashSet::default();
        found.retain(|(to, _)| {
            !matches!(function.code[to.0 as usize], Inst::Unreachable) && seen.insert(*to)
        });
        if found.len() > 1 {
            found.into_iter().map(|(_, taken)| taken).collect()
        } else {
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Operand, Reg, Switch};

    /// A branch to 3 or 1; a switch to 3, 4 or a place that cannot be reached.
    fn function() -> Function {
        let value = Operand::reg(Reg(0));
        let cases = vec![(1, Pc(3)), (2, Pc(4)), (5, Pc(3))];
        let switch = Switch { value, width: 8, cases, default: Pc(2) };
        let code = vec![
            Inst::Branch { condition: value, then: Pc(3), otherwise: Pc(1) },
            Inst::Switch(Box::new(switch)),
            Inst::Unreachable,
            Inst::Undefine { dst: Reg(0) },
            Inst::Return { values: Box::default() },
        ];
        Function { code, ..Function::default() }
    }

    const ID: FunctionId = FunctionId(2);

    #[test]
    fn what_lies_behind_the_end_of_a_run_has_not_run() {
        let function = function();
        let mut coverage = Coverage::default();
        assert!(coverage.instructions(ID).is_empty());
        coverage.of(ID, &function).ran(0, 0);
        coverage.of(ID, &function).ran(3, 4);
        coverage.of(ID, &function).ran(3, 3);
        assert_eq!(coverage.instructions(ID), [true, false, false, true, true]);
    }

    #[test]
    fn a_way_is_taken_from_its_own_branch_only() {
        let function = function();
        let mut coverage = Coverage::default();
        let ways = |coverage: &Coverage, pc| coverage.ways(ID, &function, Pc(pc));
        assert_eq!(ways(&coverage, 0), [false, false]);
        coverage.of(ID, &function).jumped(0, Way::Then, Pc(3));
        assert_eq!(ways(&coverage, 0), [true, false]);
        assert_eq!(ways(&coverage, 1), [false, false], "two places, the third cannot be");
        coverage.of(ID, &function).jumped(1, Way::Switch, Pc(4));
        assert_eq!(ways(&coverage, 1), [false, true]);
        assert!(ways(&coverage, 3).is_empty());
    }

    #[test]
    fn workers_add_up() {
        let function = function();
        let (mut one, mut other) = (Coverage::default(), Coverage::default());
        one.of(ID, &function).ran(0, 0);
        other.of(ID, &function).ran(3, 3);
        other.of(ID, &function).jumped(0, Way::Otherwise, Pc(1));
        other.of(ID, &function).jumped(1, Way::Switch, Pc(3));
        other.of(FunctionId(4), &function).ran(1, 1);
        one.add(&other);
        assert_eq!(one.instructions(ID), [true, false, false, true, false]);
        assert_eq!(one.ways(ID, &function, Pc(0)), [false, true]);
        assert_eq!(one.ways(ID, &function, Pc(1)), [true, false]);
        assert_eq!(one.instructions(FunctionId(4)), [false, true, false, false, false]);
    }
}
