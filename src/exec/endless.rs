//! Proofs that a loop never ends though something changes on the way: counters, sums, output.
//!
//! What changed between two visits of the head of a loop is a guess at what each round changes. It
//! is put to the test: those bytes and registers get values that nothing is known of, and one more
//! round runs. If nothing had to be decided, and only they have changed at its end, then any round
//! leads to a next one, by induction: where control goes, what is read of the input and which
//! errors occur depends on what stays the same. What else has changed joins the guess, a few times.
//!
//! Where a condition compares a counter (`for (i = 0; i < n; i--)`), nothing is decided as long as the
//! counter goes on like that: half of the way to where it overflows, so many rounds that nobody waits
//! for them ([`LONG_RUN`]). Its value is then one of those, and conditions may be asked about.
//!
//! Of a run that never ends a person sees how it begins ([`crate::env::ENDLESS_PREFIX`]): a loop
//! that prints goes on until so much is there.

use super::{Checkpoint, Executor, Frame, State, interpret::Next, state::Moment};
use crate::{
    env::{ENDLESS_PREFIX, Stop},
    expr::{ExprId, Exprs},
    ir::address,
    memory::{Byte, Value, value::signed},
    solver::{Query, Verdict},
};

/// Instructions of a round, at most.
const ROUND: u32 = 1 << 16;
/// Jumps backwards on a long path; programs with their libc have more of them.
const LONG: u64 = 1 << 11;
const LONG_WHOLE: u64 = 1 << 15;
/// Of so many jumps backwards it is looked once whether a loop that never ends has printed enough.
const LOOKS: u64 = 512;
/// How often a guess is extended.
const GUESSES: u32 = 6;
/// Instructions after which a run counts as one that never ends, where it is proved that they come.
const LONG_RUN: u64 = 1 << 30;
/// What a counter is changed by in a round, at most.
const LARGEST_STEP: u64 = 1 << 12;

/// What a round of a loop changes.
#[derive(Default)]
struct Changing {
    /// Addresses of bytes, ascending.
    bytes: Vec<u64>,
    /// Registers of the running function, ascending.
    registers: Vec<usize>,
}

/// A round that is to show what all rounds do.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Trial {
    /// It decides nothing.
    Plain,
    /// Conditions may follow from what the counters can be.
    Counting,
}

/// What goes on growing, or falling, by the same step.
#[derive(Debug)]
struct Counter {
    place: Place,
    width: u32,
    /// As a signed number.
    now: i64,
    falls: bool,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// The address of the first byte.
    Memory(u64),
    Register(usize),
}

impl Counter {
    /// The last value that is looked at: half of the way to where it would overflow.
    fn last(&self) -> i64 {
        let end = if self.falls { i64::MIN } else { i64::MAX } >> (64 - self.width);
        self.now / 2 + end / 2
    }

    /// What it is in a state.
    fn value(&self, exprs: &Exprs, state: &State) -> Option<ExprId> {
        match self.place {
            Place::Register(register) => match state.top.values[register] {
                Value::Int(value) => Some(exprs.constant(self.width, value)),
                Value::Expr(e) => Some(e),
                Value::Undefined => None,
            },
            Place::Memory(first) => {
                let object = state.memory.object(first).ok()?;
                let offset = address::offset(first) as usize;
                let bytes = (offset..).take(self.width as usize / 8);
                let mut bytes = bytes.map(|offset| object.byte(exprs, offset).expr(exprs));
                let low = bytes.next()??;
                bytes.try_fold(low, |low, high| Some(exprs.concat(high?, low)))
            }
        }
    }
}

impl Changing {
    /// The whole of what may be counters.
    fn of(counters: &[Counter]) -> Self {
        let mut changing = Self::default();
        for counter in counters {
            match counter.place {
                Place::Memory(first) => {
                    changing.bytes.extend(first..first + u64::from(counter.width / 8));
                }
                Place::Register(register) => changing.registers.push(register),
            }
        }
        changing
    }

    /// Adds what is new of these; whether anything was.
    fn extend(&mut self, more: Self) -> bool {
        let before = self.bytes.len() + self.registers.len();
        self.bytes.extend(more.bytes);
        self.registers.extend(more.registers);
        self.bytes.sort_unstable();
        self.bytes.dedup();
        self.registers.sort_unstable();
        self.registers.dedup();
        self.bytes.len() + self.registers.len() > before
    }
}

impl Executor<'_> {
    /// To be called at a jump backwards, with `top.pc` at its target: whether it is proved that the
    /// state comes there again and again, whatever it has counted since an earlier moment.
    pub(super) fn never_ends(&mut self) -> bool {
        if let Some(prints) = self.state.loops.prints {
            return self.state.loops.jumps.is_multiple_of(LOOKS) && self.shows_enough(prints);
        }
        let Some(moment) = self.state.moment_to_compare() else { return false };
        self.state.count_attempt();
        let Some(mut changing) = self.changes(&self.state, &moment) else {
            return false;
        };
        let here = self.state.moment();
        let mut counters: Vec<Counter> = Vec::new();
        for _ in 0..GUESSES {
            let mut after = self.round(&changing, &mut counters);
            if after.is_none() && counters.is_empty() {
                counters = self.counters(&changing, &moment);
                if !counters.is_empty() {
                    changing.extend(Changing::of(&counters));
                    after = self.round(&changing, &mut counters);
                }
            }
            let Some(after) = after else {
                self.part_for_good();
                return false;
            };
            let Some(more) = self.changes(&after, &here) else { return false };
            if !changing.extend(more) {
                let prints = self.prints(&after);
                self.state.loops.prints = Some(prints);
                return self.shows_enough(prints);
            }
        }
        false
    }

    /// Whether a round prints something, to standard output and to standard error.
    fn prints(&self, after: &State) -> [bool; 2] {
        let (now, then) = (&self.state.world, &after.world);
        [(&now.stdout, &then.stdout), (&now.stderr, &then.stderr)]
            .map(|(now, then)| !then.is_unchanged_since(now))
    }

    /// Whether what the rounds print, if they do, is no longer looked at.
    fn shows_enough(&self, prints: [bool; 2]) -> bool {
        let texts = [&self.state.world.stdout, &self.state.world.stderr];
        texts.iter().zip(prints).all(|(text, prints)| {
            !prints || text.is_longer_than(&self.program.exprs, ENDLESS_PREFIX)
        })
    }

    /// Revisions that part and meet again in every round of a long loop are looked at one by one
    /// from now on: of one alone it may be proved that it never ends.
    fn part_for_good(&mut self) {
        let long = if self.state.world.is_whole { LONG_WHOLE } else { LONG };
        if !self.depends_on_revision || self.state.loops.jumps < long {
            return;
        }
        let mut alone = self.state.parted().into_iter().map(|mut state| {
            state.joins.clear();
            state
        });
        let first = alone.next().expect("a state has at least one revision");
        self.siblings.extend(alone.rev());
        self.state = first;
    }

    /// What is not as it was at an earlier visit; `None` where more has changed than can be counted,
    /// or something that was written is unwritten now: to read that is an error.
    fn changes(&self, now: &State, then: &Moment) -> Option<Changing> {
        let is_same = now.callers.same(&then.callers)
            && now.apart.is_empty()
            && now.world.differs_in_text_only(&then.world);
        let bytes = now.memory.changes(&self.program.exprs, &then.memory).filter(|_| is_same)?;
        let flow = self.program.flows.of(self.program, now.top.function);
        let live = flow.live(now.top.pc);
        let registers: Vec<usize> = (0..now.top.values.len())
            .filter(|index| live.contains(*index))
            .filter(|index| now.top.values[*index] != then.top.values[*index])
            .collect();
        let is_written = registers.iter().all(|index| now.top.values[*index] != Value::Undefined);
        is_written.then_some(Changing { bytes, registers })
    }

    /// What may be a counter of what has changed since an earlier moment: numbers that are known, and
    /// have not gone past where they overflow.
    fn counters(&self, changing: &Changing, then: &Moment) -> Vec<Counter> {
        let counter = |place: Place, width: u32, now: u64, then: u64| {
            let (now, then) = (signed(now, width), signed(then, width));
            Counter { place, width, now, falls: now < then }
        };
        let mut counters: Vec<Counter> = Vec::new();
        for address in &changing.bytes {
            let (Ok(now), Ok(earlier)) =
                (self.state.memory.object(*address), then.memory.object(*address))
            else {
                continue;
            };
            let size = if now.size() == 8 { 8 } else { 4 };
            let first = address / size * size;
            let offset = address::offset(first);
            let words = [now, earlier].map(|object| object.word(offset, size as usize));
            let place = Place::Memory(first);
            if let [Some(now), Some(then)] = words
                && counters.last().is_none_or(|last| last.place != place)
            {
                counters.push(counter(place, 8 * size as u32, now, then));
            }
        }
        let flow = self.program.flows.of(self.program, self.state.top.function);
        for register in &changing.registers {
            let values = [&self.state.top, &then.top].map(|frame| frame.values[*register].as_int());
            let width = flow.width(self.state.top.pc, *register);
            if let ([Some(now), Some(then)], Some(width @ 16..=64)) = (values, width) {
                counters.push(counter(Place::Register(*register), width, now, then));
            }
        }
        counters
    }

    /// The state after one more round in which nothing is known of what changes, or of counters only
    /// in which direction they go, if that decides nothing and goes back to the head of the loop. What
    /// turns out to be no counter is left out.
    fn round(&mut self, changing: &Changing, counters: &mut Vec<Counter>) -> Option<State> {
        let unknown = self.with_unknown(changing)?;
        loop {
            let (ghost, before) = self.with_ranges(unknown.clone(), counters)?;
            let conditions = ghost.path.len();
            let trial = if counters.is_empty() { Trial::Plain } else { Trial::Counting };
            let (after, instructions) = self.try_round(ghost, trial)?;
            if after.path.len() != conditions {
                return None;
            }
            let mut before = before.into_iter();
            let count = counters.len();
            counters.retain(|counter| {
                let before = before.next().expect("one for each counter");
                self.counts_on(counter, before, &after, instructions)
            });
            if counters.len() == count {
                return Some(after);
            }
        }
    }

    /// The state, but that nothing is known of what changes.
    fn with_unknown(&self, changing: &Changing) -> Option<State> {
        let exprs = &self.program.exprs;
        let flow = self.program.flows.of(self.program, self.state.top.function);
        let mut ghost = self.state.clone();
        ghost.joins.clear();
        let unknown = |number: usize, width: u32| -> ExprId {
            exprs.input(&format!("any.{number}:{width}"), width)
        };
        for (number, address) in changing.bytes.iter().enumerate() {
            let offset = address::offset(*address) as usize;
            let byte = Byte::Symbolic(unknown(number, 8));
            ghost.memory.object_mut(*address).ok()?.set_byte(exprs, offset, byte);
        }
        for register in &changing.registers {
            let width = flow.width(ghost.top.pc, *register)?;
            let number = changing.bytes.len() + register;
            ghost.top.values[*register] = Value::Expr(unknown(number, width));
        }
        Some(ghost)
    }

    /// A state in which counters are in their ranges, and what they are in it.
    fn with_ranges(&self, mut ghost: State, counters: &[Counter]) -> Option<(State, Vec<ExprId>)> {
        let exprs = &self.program.exprs;
        let mut values = Vec::new();
        for counter in counters {
            let value = counter.value(exprs, &ghost)?;
            let [now, last] = [counter.now, counter.last()]
                .map(|bound| exprs.constant(counter.width, bound as u64));
            let (low, high) = if counter.falls { (last, now) } else { (now, last) };
            ghost.path.extend([exprs.sle(low, value), exprs.sle(value, high)]);
            values.push(value);
        }
        Some((ghost, values))
    }

    /// Whether a counter has gone on by a step in a round of so many instructions, and stays in its
    /// range long enough.
    fn counts_on(
        &self,
        counter: &Counter,
        before: ExprId,
        after: &State,
        instructions: u64,
    ) -> bool {
        let exprs = &self.program.exprs;
        let after = counter.value(exprs, after);
        let Some(step) = after.and_then(|after| exprs.as_u64(exprs.sub(after, before))) else {
            return false;
        };
        let step = signed(step, counter.width);
        let size = step.unsigned_abs();
        let rounds = counter.now.abs_diff(counter.last()) / size.max(1);
        (1..=LARGEST_STEP).contains(&size)
            && (step < 0) == counter.falls
            && rounds.saturating_mul(instructions) >= LONG_RUN
    }

    /// Runs a state on to where it is now, and tells after how many instructions; nothing if something
    /// had to be decided.
    fn try_round(&mut self, ghost: State, trial: Trial) -> Option<(State, u64)> {
        let before = (self.siblings.len(), self.halted.len(), self.paths, self.forks, self.asked);
        let state = std::mem::replace(&mut self.state, ghost);
        (self.trial, self.depends_on_revision) = (Some(trial), false);
        let instructions = self.comes_back();
        self.trial = None;
        let after = std::mem::replace(&mut self.state, state);
        let decided = self.siblings.len() > before.0 || self.halted.len() > before.1;
        self.siblings.truncate(before.0);
        self.halted.truncate(before.1);
        (self.paths, self.forks, self.asked) = (before.2, before.3, before.4);
        self.checkpoint = Checkpoint::NoCall;
        instructions.filter(|_| !decided).map(|instructions| (after, instructions))
    }

    /// Settles a condition that the path of a trial does not have.
    pub(super) fn settle_in_trial(
        &mut self,
        trial: Trial,
        condition: ExprId,
    ) -> Result<bool, Stop> {
        let exprs = &self.program.exprs;
        if trial == Trial::Counting {
            for (holds, opposite) in [(true, exprs.not(condition)), (false, condition)] {
                let query = Query { path: &self.state.path, goals: &[opposite], model: None };
                if matches!(self.solver.check(exprs, query), Verdict::Unsat) {
                    return Ok(holds);
                }
            }
        }
        Err(Stop::Impossible)
    }

    /// Runs on to where the state is, if it is not too long; after how many instructions.
    fn comes_back(&mut self) -> Option<u64> {
        let program = self.program;
        let Frame { function: head, pc: at, .. } = self.state.top;
        let depth = self.state.callers.len();
        for round in 1..=ROUND {
            let Frame { function, pc, .. } = self.state.top;
            let inst = &program.module.functions[function.0 as usize].code[pc as usize];
            match self.step(inst) {
                Ok(Next::Advance) => self.state.top.pc += 1,
                Ok(Next::Jump(target, _)) => {
                    self.state.top.pc = target.0;
                    let place = (self.state.top.function, self.state.callers.len());
                    if target.0 == at && place == (head, depth) {
                        return Some(round.into());
                    }
                }
                Ok(Next::Frame) => {}
                Err(_) => return None,
            }
        }
        None
    }
}
