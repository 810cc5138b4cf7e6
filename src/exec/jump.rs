//! `setjmp` and `longjmp` (C11 7.13): a place in a running function to come back to.
//!
//! The buffer identifies the place. After a jump back, the function's variables hold what they held
//! at the jump, as in code that has them in memory. (C11 leaves open the values of variables that
//! have changed in between and are not volatile.)

use super::{Executor, jump_target::JumpTarget, step::Next};
use crate::{
    env::{Stop, offset},
    expr::Exprs,
    ir::{Call, Inst},
    memory::Value,
};

/// A function of `<setjmp.h>`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Jump {
    /// `setjmp` and its kind.
    Set,
    /// `longjmp` and its kind.
    Back,
}

impl Jump {
    /// The function of `<setjmp.h>` that is called `name`, if there is one.
    pub(super) fn of(name: &str) -> Option<Self> {
        match name {
            "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" => Some(Self::Set),
            "longjmp" | "_longjmp" | "siglongjmp" => Some(Self::Back),
            _ => None,
        }
    }
}

impl Executor<'_> {
    /// Runs a call of a function of `<setjmp.h>`.
    pub(super) fn jump(&mut self, jump: Jump, call: &Call) -> Result<Next, Stop> {
        let argument =
            |at: usize| call.args.get(at).map_or(Value::Undefined, |a| self.get(a.value));
        let (buffer, value) = (argument(0), argument(1));
        let second = offset(&self.program.exprs, buffer, 8);
        if jump == Jump::Back {
            let value = self.long_jump_value(value)?;
            let what = "place to jump back to";
            let words = [buffer, second].map(|at| self.load_bits(at, 64));
            let [first, second] = words;
            let words = [self.concretise(first?, 64, what)?, self.concretise(second?, 64, what)?];
            return self.jump_back(words, value);
        }
        let top = &self.state.top;
        let depth = self.state.callers.len() as u32;
        let target = JumpTarget { depth, function: top.function, pc: top.pc };
        let [first_word, second_word] = target.words();
        self.store_bits(buffer, 64, Value::Int(first_word))?;
        self.store_bits(second, 64, Value::Int(second_word))?;
        if !self.state.jumps.contains(&target) {
            self.state.jumps.push(target);
        }
        if let Some(result) = call.results.first() {
            self.set(*result, Value::Int(0));
        }
        Ok(Next::Advance)
    }

    /// What `setjmp` returns if `longjmp` was given `value`: never zero.
    fn long_jump_value(&mut self, value: Value) -> Result<Value, Stop> {
        let value = self.expr(value, 32);
        let value = self.without_revision(value)?;
        let exprs: &Exprs = &self.program.exprs;
        let zero = exprs.eq(value, exprs.constant(32, 0));
        Ok(Value::from_expr(exprs, exprs.ite(zero, exprs.constant(32, 1), value)))
    }

    fn jump_back(&mut self, words: [u64; 2], value: Value) -> Result<Next, Stop> {
        let target = self.state.jumps.iter().copied().find(|target| target.words() == words);
        let Some(target) = target else {
            return Err(Stop::unsupported("a longjmp to a function that has returned"));
        };
        while self.state.callers.len() > target.depth as usize {
            self.return_to_caller();
        }
        self.forget_jumps();
        let code = &self.program.module.functions[target.function.0 as usize].code;
        if let Some(Inst::Call(call)) = code.get(target.pc as usize)
            && let Some(result) = call.results.first()
        {
            self.set(*result, value);
        }
        self.state.top.pc = target.pc + 1;
        Ok(Next::Frame)
    }

    /// Forgets the places in functions that have returned.
    pub(super) fn forget_jumps(&mut self) {
        let depth = self.state.callers.len();
        self.state.jumps.retain(|target| target.depth as usize <= depth);
    }
}
