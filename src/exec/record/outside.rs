//! What calls of functions outside the program's code use, change and show.

use super::{
    recorder::{Basis, Recorder, add},
    steps::{Channel, Executed, RunStep, Shown},
};
use crate::{
    env::libc::stream::Stream,
    expr::ExprId,
    ir::{Inst, address},
    memory::Byte,
};

/// The number of words behind an argument's address that are searched for further addresses.
const WORDS: u64 = 4;

/// What a call outside the program may change, as it was before the call.
pub(super) struct Before {
    stdout: Stream,
    stderr: Stream,
    outputs: usize,
    /// Addresses of parts of objects, with the bytes there.
    used: Vec<(u64, Vec<Byte>)>,
}

impl Recorder<'_> {
    /// What a call outside the program may use or change. The objects are those that its arguments
    /// point to, and those that the first words there point to.
    pub(super) fn before(&self, inst: &Inst) -> Before {
        let world = &self.executor.state.world;
        let mut parts: Vec<(u64, u64)> = Vec::new();
        let Inst::Call(call) = inst else { unreachable!("only calls lead outside") };
        let pointers = call.args.iter().filter(|argument| argument.width == 64);
        for address in pointers.filter_map(|argument| self.values().value(argument.value)) {
            let Some(part) = self.object(address) else { continue };
            parts.push(part);
            let words =
                (0..WORDS).map(|word| address + 8 * word).filter(|at| at + 8 <= part.0 + part.1);
            parts.extend(words.filter_map(|at| self.object(self.word(at)?)));
        }
        let used = parts.into_iter().map(|(at, length)| (at, self.bytes(at, length))).collect();
        Before {
            stdout: world.stdout.clone(),
            stderr: world.stderr.clone(),
            outputs: world.outputs.len(),
            used,
        }
    }

    fn bytes(&self, address: u64, length: u64) -> Vec<Byte> {
        let exprs = &self.executor.program.exprs;
        let Ok(object) = self.executor.state.memory.object(address) else { return Vec::new() };
        let first = address::offset(address);
        let end = object.capacity().min(first + length);
        (first..end).map(|offset| object.byte(exprs, offset as usize)).collect()
    }

    /// The number in the eight bytes at an address.
    fn word(&self, address: u64) -> Option<u64> {
        let bytes = self.bytes(address, 8);
        let bytes: Option<Vec<u8>> = bytes.into_iter().map(|byte| self.byte(byte)).collect();
        Some(u64::from_le_bytes(bytes?.try_into().ok()?))
    }

    fn byte(&self, byte: Byte) -> Option<u8> {
        match byte {
            Byte::Concrete(byte) => Some(byte),
            Byte::Symbolic(e) => {
                let value = self.executor.program.exprs.evaluate(e, self.seed).to_u64()?;
                Some(value as u8)
            }
            Byte::Uninitialised => None,
        }
    }

    /// Notes what a call outside the program has used, changed and shown.
    pub(super) fn after(&mut self, step: RunStep, before: Before) {
        let exprs = &self.executor.program.exprs;
        let world = self.executor.state.world.clone();
        let texts = [
            (Channel::Stdout, &world.stdout, &before.stdout),
            (Channel::Stderr, &world.stderr, &before.stderr),
        ];
        let mut is_shown = false;
        for (channel, now, then) in texts {
            let mut text: Vec<(u8, Option<ExprId>)> = Vec::new();
            for piece in now.pieces_since(then).unwrap_or_default() {
                let mut alone = Stream::default();
                alone.push(exprs, piece);
                let bytes = alone.render(exprs, self.seed);
                text.extend(bytes.into_iter().map(|byte| (byte, piece.value())));
            }
            let bytes: Vec<u8> = text.iter().map(|(byte, _)| *byte).collect();
            let sources = self.sources(&bytes, &before);
            is_shown |= !text.is_empty() && sources.is_some();
            let alone = self.record.steps[step as usize].clone();
            for (index, (byte, value)) in text.into_iter().enumerate() {
                let step = match &sources {
                    None => step,
                    Some(sources) => {
                        let data = sources[index].clone();
                        self.push(Executed { data, ..alone.clone() })
                    }
                };
                self.record.shown.push(Shown { channel: channel.clone(), byte, value, step });
            }
        }
        for output in &world.outputs[before.outputs.min(world.outputs.len())..] {
            let value = output.bytes.iter().copied().rev().map(|byte| byte.expr(exprs));
            let value = value.reduce(|high, low| Some(exprs.concat(high?, low?))).flatten();
            let value = value.filter(|value| exprs.as_bv(*value).is_none());
            let alone = self.record.steps[step as usize].clone();
            let at = before.used.iter().find(|(_, bytes)| bytes.starts_with(&output.bytes));
            let at = at.map(|(at, _)| *at);
            is_shown |= at.is_some();
            for (index, byte) in output.bytes.iter().enumerate() {
                let step = match at {
                    None => step,
                    Some(at) => {
                        let data = self.memory.get(&(at + index as u64)).cloned();
                        self.push(Executed { data: data.unwrap_or_default(), ..alone.clone() })
                    }
                };
                let byte = self.byte(*byte).unwrap_or_default();
                let channel = Channel::Output(output.name.clone());
                self.record.shown.push(Shown { channel, byte, value, step });
            }
        }
        for (at, then) in before.used {
            let now = self.bytes(at, then.len() as u64);
            for (address, (now, then)) in (at..).zip(now.into_iter().zip(then)) {
                // A byte that the call shows as it is was noted above.
                if !is_shown && let Some(writers) = self.memory.get(&address) {
                    let data = &mut self.record.steps[step as usize].data;
                    writers.iter().filter(|writer| **writer != step).for_each(|w| add(data, *w));
                }
                if now != then {
                    self.memory.insert(address, Basis::from_elem(step, 1));
                }
            }
        }
    }

    /// The steps that wrote the bytes that a call has shown as they were in memory. The bytes are
    /// at one address, or at several that follow each other with their lengths in memory
    /// (`struct iovec`).
    fn sources(&self, shown: &[u8], before: &Before) -> Option<Vec<Basis>> {
        let has = |bytes: &[Byte], shown: &[u8]| {
            bytes.len() >= shown.len()
                && bytes.iter().zip(shown).all(|(byte, shown)| self.byte(*byte) == Some(*shown))
        };
        let writers = |at: u64, length: usize| {
            (at..at + length as u64)
                .map(|at| self.memory.get(&at).cloned().unwrap_or_default())
                .collect::<Vec<_>>()
        };
        if shown.is_empty() {
            return None;
        }
        if let Some((at, _)) = before.used.iter().find(|(_, bytes)| has(bytes, shown)) {
            return Some(writers(*at, shown.len()));
        }
        let scattered = |(first, _): &(u64, Vec<Byte>)| {
            let (mut found, mut at) = (Vec::new(), *first);
            while found.len() < shown.len() {
                let (base, length) = (self.word(at)?, self.word(at + 8)? as usize);
                let rest = &shown[found.len()..];
                let length = length.min(rest.len());
                let part = self.bytes(base, length as u64);
                if length > 0 && !has(&part, &rest[..length]) {
                    return None;
                }
                found.extend(writers(base, length));
                at += 16;
            }
            Some(found)
        };
        before.used.iter().find_map(scattered)
    }
}
