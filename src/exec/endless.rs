//! Proofs that a loop never ends although something changes in every round: counters, sums, output.
//!
//! What changed between two visits of the head of a loop is a guess at what each round changes. The
//! guess is tested: those bytes and registers get unknown values, and one more round runs. Suppose
//! that the round decides nothing and that nothing else has changed at its end. Then any round
//! leads to a next one, by induction: where control goes, what is read of the input and which
//! errors occur depends only on what stays the same. Whatever else has changed joins the guess, a
//! few times.
//!
//! A person sees only the beginning of an endless run ([`crate::errors::ENDLESS_PREFIX`]). So a
//! loop that prints goes on until that much is there. If each round prints the same, the rest is
//! printed without running.

use super::{Executor, Frame, State, executor::Checkpoint, state::Moment, step::Next};
use crate::{
    env::libc::stream::Piece,
    errors::ENDLESS_PREFIX,
    expr::ExprId,
    ir::address,
    memory::{Byte, Value},
};

/// The prefix of the names of unknown values. No name in C begins like this.
const ANY: &str = "?any.";
/// The most instructions of a round.
const ROUND: u32 = 1 << 16;
/// A path is long from this number of backward jumps on. Programs with their libc have more of
/// them.
const LONG: u64 = 1 << 11;
const LONG_WHOLE: u64 = 1 << 15;
/// The number of backward jumps between checks whether an endless loop has printed enough.
const LOOKS: u64 = 512;
/// The most guesses that are tested. Each extends the one before.
const GUESSES: u32 = 6;

/// What a round of a loop changes.
#[derive(Default)]
struct Changing {
    /// Addresses of bytes, ascending.
    bytes: Vec<u64>,
    /// Registers of the running function, ascending.
    registers: Vec<usize>,
}

impl Changing {
    /// Adds `more`; returns whether any of it is new.
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
    /// To be called at a backward jump, with `top.pc` at its target. Returns whether the state
    /// provably comes there again and again, although something changes in each round, and the
    /// rounds print nothing or enough to be cut.
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
        for _ in 0..GUESSES {
            let Some(after) = self.round(&changing) else {
                self.part_for_good();
                return false;
            };
            let Some(more) = self.changes(&after, &here) else { return false };
            if !changing.extend(more) {
                let prints = self.prints(&after);
                self.print_on(&after);
                self.state.loops.prints = Some(prints);
                return self.shows_enough(prints);
            }
        }
        false
    }

    /// Whether the round that has led to `after` prints to standard output, and whether to standard
    /// error.
    fn prints(&self, after: &State) -> [bool; 2] {
        let (now, then) = (&self.state.world, &after.world);
        [(&now.stdout, &then.stdout), (&now.stderr, &then.stderr)]
            .map(|(now, then)| !then.is_unchanged_since(now))
    }

    /// Prints what all further rounds print, up to where output is cut. This is the text of the
    /// round that has led to `after`, again and again, if the text mentions nothing that changes.
    fn print_on(&mut self, after: &State) {
        let exprs = &self.program.exprs;
        let is_known = |piece: &&Piece| {
            let variables = piece.value().map(|value| exprs.variables(value)).unwrap_or_default();
            variables.iter().all(|id| !exprs.variable_name(*id).starts_with(ANY))
        };
        let (now, then) = (&mut self.state.world, &after.world);
        for (text, then) in [(&mut now.stdout, &then.stdout), (&mut now.stderr, &then.stderr)] {
            let Some(round) = then.pieces_since(text) else { continue };
            let least: usize = round.iter().map(|piece| piece.least_length(exprs)).sum();
            if least > 0 && round.iter().all(is_known) {
                let rounds = ENDLESS_PREFIX.div_ceil(least);
                (0..rounds).for_each(|_| round.iter().for_each(|piece| text.push(exprs, piece)));
            }
        }
    }

    /// Whether each output to which rounds print (`prints`) is long enough to be cut.
    fn shows_enough(&self, prints: [bool; 2]) -> bool {
        let texts = [&self.state.world.stdout, &self.state.world.stderr];
        texts.iter().zip(prints).all(|(text, prints)| {
            !prints || text.is_longer_than(&self.program.exprs, ENDLESS_PREFIX)
        })
    }

    /// Parts revisions for good if they part and meet again in every round of a long loop. For one
    /// revision alone, it may be possible to prove that it never ends.
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

    /// What has changed since an earlier visit. `None` if more has changed than bytes and
    /// registers, or if something that was written no longer is: reading it is an error.
    fn changes(&self, now: &State, then: &Moment) -> Option<Changing> {
        let is_same = now.callers.same(&then.callers)
            && now.apart.is_empty()
            && now.world.differs_in_text_only(&then.world);
        let bytes = now.memory.changes(&self.program.exprs, &then.memory).filter(|_| is_same)?;
        let flow = self.program.flows.of(&self.program.module, now.top.function);
        let live = flow.live(now.top.pc);
        let registers: Vec<usize> = (0..now.top.values.len())
            .filter(|index| live.contains(*index))
            .filter(|index| now.top.values[*index] != then.top.values[*index])
            .collect();
        let is_written = registers.iter().all(|index| now.top.values[*index] != Value::Undefined);
        is_written.then_some(Changing { bytes, registers })
    }

    /// The state after one more round in which everything in `changing` is unknown. `None` if the
    /// round decides something or does not come back to the head of the loop.
    fn round(&mut self, changing: &Changing) -> Option<State> {
        let exprs = &self.program.exprs;
        let flow = self.program.flows.of(&self.program.module, self.state.top.function);
        let mut ghost = self.state.clone();
        ghost.joins.clear();
        let unknown = |number: usize, width: u32| -> ExprId {
            exprs.input(&format!("{ANY}{number}:{width}"), width)
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
        let conditions = ghost.path_condition.len();
        let before = (self.siblings.len(), self.halted.len(), self.paths, self.forks, self.asked);
        let state = std::mem::replace(&mut self.state, ghost);
        (self.decides_nothing, self.depends_on_revision) = (true, false);
        let comes_back = self.comes_back();
        self.decides_nothing = false;
        let after = std::mem::replace(&mut self.state, state);
        let decided = self.siblings.len() > before.0 || self.halted.len() > before.1;
        self.siblings.truncate(before.0);
        self.halted.truncate(before.1);
        (self.paths, self.forks, self.asked) = (before.2, before.3, before.4);
        self.checkpoint = Checkpoint::NoCall;
        (comes_back && !decided && after.path_condition.len() == conditions).then_some(after)
    }

    /// Runs until control is back where it is now. Returns whether it gets there within [`ROUND`]
    /// instructions.
    fn comes_back(&mut self) -> bool {
        let program = self.program;
        let Frame { function: head, pc: at, .. } = self.state.top;
        let depth = self.state.callers.len();
        for _ in 0..ROUND {
            let Frame { function, pc, .. } = self.state.top;
            let inst = &program.module.functions[function.0 as usize].code[pc as usize];
            match self.step(inst) {
                Ok(Next::Advance) => self.state.top.pc += 1,
                Ok(Next::Jump(target, _)) => {
                    self.state.top.pc = target.0;
                    let place = (self.state.top.function, self.state.callers.len());
                    if target.0 == at && place == (head, depth) {
                        return true;
                    }
                }
                Ok(Next::Frame) => {}
                Err(_) => return false,
            }
        }
        false
    }
}
