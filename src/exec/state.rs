//! States: one symbolic process each, for a set of revisions.

use std::{cmp::Ordering, sync::Arc};

pub use super::{join::Join, jump::JumpTarget};
use super::{
    lockstep::Lockstep,
    share::Share,
    stack::{Callers, Frame},
};
use crate::{
    env::{Effects, Halt, World},
    expr::{Assignment, ExprId},
    ir::Place,
    memory::Memory,
    subject::RevisionSet,
};

/// What made a state fork.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ForkKind {
    /// The revisions went different ways.
    Meta,
    /// Inputs went different ways: the path conditions exclude each other.
    Input,
}

/// A node of the execution tree: the way a state came, shared with its relatives.
#[derive(Debug)]
pub struct Branch {
    parent: Option<Arc<Branch>>,
    kind: ForkKind,
    index: u32,
    depth: u32,
    share: Share,
}

impl Branch {
    /// The root of an execution tree.
    pub fn root() -> Arc<Self> {
        let (kind, share) = (ForkKind::Input, Share::ROOT);
        Arc::new(Self { parent: None, kind, index: 0, depth: 0, share })
    }

    /// The child of that index of a fork of that kind.
    pub fn child(self: &Arc<Self>, kind: ForkKind, index: u32) -> Arc<Self> {
        let share = match kind {
            ForkKind::Meta => self.share,
            ForkKind::Input => self.share.part(index),
        };
        Arc::new(Self { parent: Some(self.clone()), kind, index, depth: self.depth + 1, share })
    }

    /// Whether revisions parted on the way.
    pub fn has_meta_fork(&self) -> bool {
        std::iter::successors(Some(self), |branch| branch.parent.as_deref())
            .any(|branch| branch.kind == ForkKind::Meta)
    }

    /// What it stands for.
    pub fn share(&self) -> Share {
        self.share
    }

    /// Number of forks on the way.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The two children of the lowest common ancestor on the ways to `a` and `b`; `None`
    /// where one is an ancestor of the other.
    fn divergence<'a>(mut a: &'a Arc<Self>, mut b: &'a Arc<Self>) -> Option<(&'a Self, &'a Self)> {
        while a.depth > b.depth {
            a = a.parent.as_ref()?;
        }
        while b.depth > a.depth {
            b = b.parent.as_ref()?;
        }
        if Arc::ptr_eq(a, b) {
            return None;
        }
        loop {
            match (&a.parent, &b.parent) {
                (Some(up_a), Some(up_b)) if Arc::ptr_eq(up_a, up_b) => return Some((a, b)),
                (Some(up_a), Some(up_b)) => (a, b) = (up_a, up_b),
                _ => return None,
            }
        }
    }

    /// The child of a fork on the revision that states of these revisions become together, of which
    /// others of the fork are no part. It comes behind them all.
    pub(super) fn together(self: &Arc<Self>, revisions: &RevisionSet) -> Arc<Self> {
        let first = revisions.first().unwrap_or_default().0;
        self.child(ForkKind::Meta, Self::TOGETHER + first)
    }

    /// There are fewer groups of revisions than this.
    const TOGETHER: u32 = 1 << 31;

    /// The kind of fork at which the ways to `a` and `b` parted. Where one of them has left out what
    /// its part of the input was, because it is together with others, only revisions parted.
    pub fn parted(a: &Arc<Self>, b: &Arc<Self>) -> Option<ForkKind> {
        Self::divergence(a, b).map(|(a, b)| match (a.kind, b.kind) {
            (ForkKind::Input, ForkKind::Input) => ForkKind::Input,
            _ => ForkKind::Meta,
        })
    }

    /// The order of a depth-first walk that takes children by index.
    pub fn order(a: &Arc<Self>, b: &Arc<Self>) -> Ordering {
        match Self::divergence(a, b) {
            Some((a, b)) => a.index.cmp(&b.index),
            None => a.depth.cmp(&b.depth),
        }
    }
}

impl Drop for Branch {
    /// Frees a long chain without recursion.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut branch) = next.and_then(Arc::into_inner) {
            next = branch.parent.take();
        }
    }
}

/// A state: what [`crate::exec::Executor`] runs and forks.
#[derive(Clone, Debug)]
pub struct State {
    /// The running function.
    pub top: Frame,
    /// Its callers.
    pub callers: Callers,
    /// The memory.
    pub memory: Memory,
    /// The world outside.
    pub world: World,
    /// Revisions that have done something else to it.
    pub apart: Vec<(RevisionSet, Effects)>,
    /// Conditions on the input, oldest first; always satisfiable.
    pub path: Vec<ExprId>,
    /// An input that satisfies `path`.
    pub model: Arc<Assignment>,
    /// The revisions that the state stands for.
    pub revisions: RevisionSet,
    /// The way it came.
    pub branch: Arc<Branch>,
    /// LLVM instructions run since the start, but for those since [`State::run_from`].
    pub instructions: u64,
    /// Tokens of typed input that it had read in a call that was put off last
    /// ([`crate::env::Stop::Later`]).
    pub put_off_at: u32,
    /// How often it was put off because the solver takes long for what it asks now.
    pub waits: u32,
    /// [`State::instructions`] when it was put off last: until it has come further, it may ask what it
    /// asked before.
    pub waited_at: u64,
    /// The instruction of the running function to which control came last by a jump, a call or
    /// a return; it has run straight on since.
    pub run_from: u32,
    /// Number of variables made for uninitialised memory.
    pub uninitialised: u32,
    /// Values already tried for symbolic values that have to become concrete now.
    pub concretisations: Concretisations,
    /// The exit code of a program that runs what it left for its end.
    pub exit: Option<ExprId>,
    /// Calls of `setjmp` that may be returned to.
    pub jumps: Vec<JumpTarget>,
    /// It has asked which revision runs.
    pub asked: bool,
    /// What was made of its being unaffected.
    pub claim: Claim,
    /// The condition under which revisions differ in it, which may hold, as it last turned out.
    pub differs: Option<ExprId>,
    /// Where it waits for revisions that parted from it, the next such place last.
    pub joins: Vec<Arc<Join>>,
    /// Watches for a loop that changes nothing.
    pub loops: LoopWatch,
    /// It is one of a run in lockstep ([`super::lockstep()`]).
    pub(super) lockstep: Option<Box<Lockstep>>,
}

/// That a state is unaffected is a proof, and is tried: some such states go on, and must never ask.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Claim {
    /// It was not said of the state.
    #[default]
    None,
    /// It parted from one that goes on, which is enough, or it is one only by what the solver says.
    Believed,
    /// It goes on.
    Tried,
}

/// Values already tried for the symbolic values that one run of an instruction has to make
/// concrete.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concretisations {
    /// How many.
    pub count: u32,
    /// [`State::instructions`] and the number of the instruction while it runs.
    pub at: (u64, u32),
}

/// An earlier moment of the same path, to compare with (Brent's cycle finding: the moment is
/// taken anew whenever the number of jumps backwards has doubled).
#[derive(Clone, Debug, Default)]
pub struct LoopWatch {
    /// Jumps backwards so far.
    pub jumps: u64,
    moment: Option<Arc<Moment>>,
    /// Attempts to prove that it never ends since that moment ([`super::endless`]).
    attempts: u32,
    /// It is proved that it never ends: it runs on until enough is there of standard output and
    /// standard error, those of them that grow.
    pub(super) prints: Option<[bool; 2]>,
}

#[derive(Debug)]
pub(super) struct Moment {
    pub top: Frame,
    pub callers: Callers,
    pub memory: Memory,
    pub world: World,
    apart: Vec<(RevisionSet, Effects)>,
    conditions: usize,
}

impl LoopWatch {
    /// Two states have become one: a moment of one of them alone is none of both.
    pub(super) fn meet(&mut self, other: &Self) {
        self.jumps = self.jumps.max(other.jumps);
        let same = match (&self.moment, &other.moment) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        if !same {
            self.moment = None;
        }
        self.prints = None;
    }
}

impl State {
    /// Tokens of typed input that it has read, or had when it was put off.
    pub fn tokens(&self) -> u32 {
        self.world.stdin.tokens().max(self.put_off_at)
    }

    /// Jumps backwards below this number are not looked at.
    const WATCH_FROM: u64 = 1024;
    /// Attempts to prove that a state never ends, for each moment that it is compared with.
    const ATTEMPTS: u32 = 4;

    /// To be called at a jump backwards, with `top.pc` at its target: whether the state is
    /// exactly what it was at an earlier moment, and so runs forever.
    pub fn repeats(&mut self) -> bool {
        self.loops.jumps += 1;
        if self.loops.jumps < Self::WATCH_FROM {
            return false;
        }
        if let Some(moment) = &self.loops.moment
            && moment.top.pc == self.top.pc
            && moment.conditions == self.path.len()
            && moment.top.values == self.top.values
            && self.is_at(moment)
        {
            return true;
        }
        // A moment in a function that has returned does not come again.
        let has_returned = |moment: &Moment| moment.callers.len() > self.callers.len();
        let is_gone = self.loops.moment.as_deref().is_some_and(has_returned);
        if self.loops.jumps.is_power_of_two() || is_gone {
            self.loops.attempts = 0;
            self.loops.moment = Some(Arc::new(self.moment()));
        }
        false
    }

    /// What it is now, to compare with later.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            top: self.top.clone(),
            callers: self.callers.clone(),
            memory: self.memory.clone(),
            world: self.world.clone(),
            apart: self.apart.clone(),
            conditions: self.path.len(),
        }
    }

    /// The earlier moment, if it was at the same place and nothing was decided since.
    pub(super) fn moment_to_compare(&self) -> Option<Arc<Moment>> {
        let moment = self.loops.moment.as_ref()?;
        let is_here = self.loops.attempts < Self::ATTEMPTS
            && moment.top.pc == self.top.pc
            && moment.top.function == self.top.function
            && moment.conditions == self.path.len()
            && moment.apart.is_empty();
        is_here.then(|| moment.clone())
    }

    /// Counts an attempt to prove that the state never ends.
    pub(super) fn count_attempt(&mut self) {
        self.loops.attempts += 1;
    }

    fn is_at(&self, moment: &Moment) -> bool {
        let mut effects = self.apart.iter().zip(&moment.apart);
        self.apart.len() == moment.apart.len()
            && effects.all(|((a, now), (b, then))| a == b && now.is_unchanged_since(then))
            && self.top.function == moment.top.function
            && self.callers.same(&moment.callers)
            && self.world.same(&moment.world)
            && self.memory.same(&moment.memory)
    }
}

/// A state that has ended.
#[derive(Clone, Debug)]
pub struct HaltState {
    /// How it ended.
    pub halt: Halt,
    /// The source line where it ended.
    pub place: Option<Place>,
    /// The revisions that behave like this.
    pub revisions: RevisionSet,
    /// On these inputs.
    pub path: Vec<ExprId>,
    /// Of which this is one ([`State::model`]), if nothing was left undecided; which one is not the same in
    /// each run.
    pub model: Arc<Assignment>,
    /// The way it came.
    pub branch: Arc<Branch>,
    /// What it took in and gave out.
    pub world: World,
    /// Instructions run.
    pub instructions: u64,
}

impl HaltState {
    /// Whether the outcome is known exactly, so that a proof may rest on it.
    pub fn is_exact(&self) -> bool {
        !matches!(self.halt, Halt::Incomplete(_) | Halt::Silent | Halt::Outside)
            && self.world.is_followed()
    }

    /// Whether what is seen is known, too, for each input.
    pub fn is_predictable(&self) -> bool {
        self.is_exact() && self.world.approximations.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Revision;

    #[test]
    fn relatives_part_at_their_lowest_common_fork() {
        let root = Branch::root();
        let (a, b) = (root.child(ForkKind::Meta, 0), root.child(ForkKind::Meta, 1));
        let (c, d) = (a.child(ForkKind::Input, 0), a.child(ForkKind::Input, 1));
        assert_eq!(Branch::parted(&c, &b), Some(ForkKind::Meta));
        assert_eq!(Branch::parted(&c, &d), Some(ForkKind::Input));
        assert_eq!(Branch::parted(&c, &a), None);
        assert_eq!(Branch::order(&d, &b), Ordering::Less);
        assert_eq!(Branch::order(&d, &c), Ordering::Greater);
        assert_eq!(Branch::order(&c, &c), Ordering::Equal);
        // Some revisions are together again, of one that is not only a part of the input is.
        let (x, y) =
            (a.child(ForkKind::Input, 0), a.together(&RevisionSet::from_iter([Revision(0)])));
        assert_eq!(Branch::parted(&x, &y), Some(ForkKind::Meta));
        assert_eq!(Branch::parted(&y, &x), Some(ForkKind::Meta));
        assert_eq!(Branch::order(&x, &y), Ordering::Less);
    }

    #[test]
    fn a_long_way_is_dropped_without_recursion() {
        let mut branch = Branch::root();
        for _ in 0..1_000_000 {
            branch = branch.child(ForkKind::Input, 0);
        }
        drop(branch);
    }
}
