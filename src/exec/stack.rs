//! Activations of functions.

use std::sync::Arc;

use crate::{ir::FunctionId, memory::Value};

/// An activation of a function.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// The instruction to run next; for a caller its call, or [`Frame::NOT_STARTED`].
    pub pc: u32,
    /// The registers, and behind them the constants of the function.
    pub values: Vec<Value>,
    /// Numbers of the objects that end with the function.
    pub locals: Vec<u32>,
    /// Arguments beyond the fixed ones.
    pub variadic: Vec<VariadicArgument>,
    /// Bytes of the local variables of the function and its callers, those of small arrays of
    /// variable length left out: they may end before the function does.
    pub room: u64,
}

impl Frame {
    /// The `pc` of a frame that runs from its start once the frame above it returns.
    pub const NOT_STARTED: u32 = u32::MAX;
}

/// An argument behind the ellipsis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VariadicArgument {
    /// Its value.
    pub value: Value,
    /// Its width in bits.
    pub width: u32,
    /// For an aggregate passed on the stack: its size in bytes (`value` is the address of the
    /// callee's copy).
    pub byval: Option<u64>,
    /// Whether it is passed in a floating-point register.
    pub float: bool,
}

/// The callers of the running function. A clone shares all of them, each until it runs again.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    innermost: Option<Arc<Caller>>,
    depth: usize,
}

/// A caller, or the room for one.
#[derive(Debug, Default)]
pub(super) struct Caller {
    pub frame: Frame,
    below: Option<Arc<Caller>>,
}

impl Callers {
    /// How many callers there are.
    pub fn len(&self) -> usize {
        self.depth
    }

    /// Whether there is no caller: the entry is running.
    pub fn is_empty(&self) -> bool {
        self.depth == 0
    }

    /// The callers, the innermost first.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> {
        let callers = std::iter::successors(self.innermost.as_deref(), |c| c.below.as_deref());
        callers.map(|caller| &caller.frame)
    }

    /// Adds a new innermost caller, which nothing else uses yet.
    pub(super) fn push(&mut self, mut caller: Arc<Caller>) {
        let unique = Arc::get_mut(&mut caller).expect("nothing else uses a new caller");
        unique.below = self.innermost.take();
        self.innermost = Some(caller);
        self.depth += 1;
    }

    /// Removes the innermost caller, which may be shared.
    pub(super) fn pop(&mut self) -> Option<Arc<Caller>> {
        let mut caller = self.innermost.take()?;
        self.innermost = match Arc::get_mut(&mut caller) {
            Some(unique) => unique.below.take(),
            None => caller.below.clone(),
        };
        self.depth -= 1;
        Some(caller)
    }

    /// Whether these are the callers of an earlier moment, none of which has run since.
    pub fn same(&self, earlier: &Self) -> bool {
        match (&self.innermost, &earlier.innermost) {
            (Some(now), Some(then)) => Arc::ptr_eq(now, then),
            (now, then) => now.is_none() && then.is_none(),
        }
    }
}

impl Extend<Frame> for Callers {
    /// Adds frames, the outermost first.
    fn extend<I: IntoIterator<Item = Frame>>(&mut self, frames: I) {
        for frame in frames {
            self.push(Arc::new(Caller { frame, below: None }));
        }
    }
}

impl Drop for Caller {
    /// Frees a deep stack without recursion.
    fn drop(&mut self) {
        let mut next = self.below.take();
        while let Some(mut caller) = next.and_then(Arc::into_inner) {
            next = caller.below.take();
        }
    }
}
