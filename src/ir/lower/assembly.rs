//! Inline assembly: barriers without text, and the few x86-64 instructions (in AT&T syntax) that
//! C libraries and kernels put into headers. Flags are not modelled. A program has one thread, so
//! the prefix `lock` has no effect.
//!
//! Constraints are those of LLVM's Language Reference, "Inline Asm Constraint String".

use rustc_hash::FxHashMap;

use super::lowering::{Lowering, Parts};
use super::types::{Lowered, lane_width, scalars, unsupported};
use crate::ir::{BinaryOp, Cast, Inst, Operand, Predicate, UnaryOp};
use crate::llvm::Value;

/// The place of an operand of the assembly.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
enum Location {
    /// A register that the compiler chooses, for the operand with this index.
    Chosen(usize),
    /// This register.
    Named(String),
    /// This part of memory.
    Memory { address: Operand, width: u32 },
}

/// One part of the constraint string: the constraint of one operand.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Constraint {
    output: bool,
    /// Whether a pointer to the operand is passed instead of the operand.
    indirect: bool,
    /// The output whose location the input shares.
    tied: Option<usize>,
    /// The register that the operand must be in.
    register: Option<String>,
    /// Whether the operand may be a constant in the text.
    immediate: bool,
}

/// An operand of an instruction.
#[derive(Clone, Debug, Eq, PartialEq)]
enum AsmOperand {
    At(Location, Option<u32>),
    Immediate(Operand, u32),
    /// The top of the stack, which assembly accesses only to order memory accesses.
    Stack,
}

/// The letters of constraints that a constant satisfies.
const IMMEDIATE: [char; 12] = ['i', 'n', 'e', 'I', 'J', 'K', 'L', 'M', 'N', 'O', 'Z', 's'];

fn constraints(text: &str) -> Vec<Constraint> {
    let parts = text.split(',').filter(|part| !part.is_empty() && !part.starts_with('~'));
    parts
        .map(|part| {
            let rest = part.trim_start_matches(['=', '&', '+', '%']);
            let (indirect, rest) = (rest.contains('*'), rest.trim_start_matches('*'));
            Constraint {
                output: part.starts_with('='),
                indirect,
                tied: rest.parse().ok(),
                register: rest.strip_prefix('{').and_then(|r| Some(r.strip_suffix('}')?.into())),
                immediate: !rest.starts_with('{') && rest.contains(IMMEDIATE),
            }
        })
        .collect()
}

/// The operands of one piece of inline assembly while it is lowered.
struct Assembly {
    locations: Vec<Location>,
    immediate: Vec<bool>,
    registers: FxHashMap<Location, (Parts, u32)>,
}

impl<'m> Lowering<'_, 'm> {
    /// Lowers a call of inline assembly.
    pub fn assembly(&mut self, inst: Value<'m>, assembly: Value<'m>) -> Lowered<()> {
        let (code, text) = assembly.asm();
        let constraints = constraints(&text);
        let (mut state, outputs) = self.operands(inst, &constraints)?;
        let mut repeated = false;
        // A comment ends with its line.
        let lines = code.lines().filter_map(|line| line.split('#').next());
        for statement in lines.flat_map(|line| line.split(';')) {
            let statement = statement.trim().trim_start_matches("lock").trim();
            match statement {
                "" => {}
                // `rep; nop` is another name of `pause`; nothing else may follow `rep`.
                "rep" => repeated = true,
                "nop" | "rep nop" | "rep; nop" | "pause" => repeated = false,
                "mfence" | "lfence" | "sfence" if !repeated => {}
                _ => {
                    if repeated || self.statement(statement, &mut state)?.is_none() {
                        let start = statement.split_whitespace().collect::<Vec<_>>().join(" ");
                        return unsupported(format!("inline assembly \"{start}\""));
                    }
                }
            }
        }
        let mut parts = Parts::new();
        let returned = scalars(self.source, inst.ty())?;
        for output in outputs {
            match (state.registers.get(&output), returned.get(parts.len())) {
                (Some((values, width)), Some(scalar)) if values.len() == 1 => {
                    parts.push(self.resize(Cast::Zext, values[0], *width, scalar.width));
                }
                (Some((values, _)), _) => parts.extend(values.iter().copied()),
                (None, _) => return unsupported("inline assembly that does not set its output"),
            }
        }
        if parts.len() != returned.len() {
            return unsupported(format!("inline assembly with constraints {text}"));
        }
        self.define(inst, parts);
        Ok(())
    }

    /// The locations of the operands, with the inputs stored in them, and the locations of the
    /// results in order.
    fn operands(
        &mut self,
        inst: Value<'m>,
        constraints: &[Constraint],
    ) -> Lowered<(Assembly, Vec<Location>)> {
        let mut state = Assembly {
            locations: Vec::new(),
            immediate: constraints.iter().map(|constraint| constraint.immediate).collect(),
            registers: FxHashMap::default(),
        };
        let mut outputs = Vec::new();
        let arguments = inst.arguments();
        let mut next = 0;
        for (index, constraint) in constraints.iter().enumerate() {
            let argument = (!constraint.output || constraint.indirect).then(|| {
                next += 1;
                (arguments.get(next - 1).copied(), next - 1)
            });
            let location = match (constraint, argument) {
                (Constraint { indirect: true, .. }, Some((Some(pointer), at))) => {
                    let Some(object) = self.source.element_type(inst, at as u32) else {
                        return unsupported("inline assembly with a pointer to an unknown type");
                    };
                    let address = self.scalar(pointer)?;
                    let width = lane_width(object).unwrap_or(0);
                    Location::Memory { address, width }
                }
                (Constraint { tied: Some(tied), .. }, _) => match state.locations.get(*tied) {
                    Some(location) => location.clone(),
                    None => return unsupported("inline assembly with operands out of order"),
                },
                (Constraint { register: Some(name), .. }, _) => {
                    Location::Named(name.trim_start_matches(['r', 'e']).to_owned())
                }
                _ => Location::Chosen(index),
            };
            if constraint.output && !constraint.indirect {
                outputs.push(location.clone());
            } else if let (false, false, Some((Some(argument), _))) =
                (constraint.output, constraint.indirect, argument)
            {
                let values = self.parts(argument)?;
                let widths = scalars(self.source, argument.ty())?;
                let width = widths.iter().map(|scalar| scalar.width).sum();
                if let (Location::Memory { address, .. }, [value]) = (&location, &values[..]) {
                    let (address, value) = (*address, *value);
                    self.emit(Inst::Store { width, value, address });
                } else {
                    state.registers.insert(location.clone(), (values, width));
                }
            }
            state.locations.push(location);
        }
        Ok((state, outputs))
    }

    /// Lowers one assembly instruction; `None` if it is not supported.
    fn statement(&mut self, statement: &str, state: &mut Assembly) -> Lowered<Option<()>> {
        let (mnemonic, rest) = statement.split_once([' ', '\t']).unwrap_or((statement, ""));
        if mnemonic == "syscall" {
            return Ok(self.system_call(state));
        }
        let mut places = Vec::new();
        for operand in rest.split(',').map(str::trim).filter(|operand| !operand.is_empty()) {
            match self.place_of(operand, state) {
                Some(place) => places.push(place),
                None => return Ok(None),
            }
        }
        let Some((name, suffix)) = split_mnemonic(mnemonic) else { return Ok(None) };
        let width = suffix.or_else(|| places.iter().rev().find_map(|p| self.width_of(p, state)));
        // An access relative to the thread pointer has 64 bits by default.
        let width = width.or(rest.contains("%fs:").then_some(64));
        let Some(width) = width else { return Ok(None) };
        match places.as_slice() {
            [only] => self.unary_statement(name, width, only, state),
            [from, to] => self.binary_statement(name, width, from, to, state),
            _ => Ok(None),
        }
    }

    /// Lowers `syscall`. The kernel takes its arguments in registers and returns its result in
    /// `rax` (System V ABI, x86-64 supplement, A.2.1).
    fn system_call(&mut self, state: &mut Assembly) -> Option<()> {
        let mut arguments = Vec::new();
        for name in ["ax", "di", "si", "dx", "10", "8", "9"] {
            let place = AsmOperand::At(Location::Named(name.into()), None);
            arguments.push(match self.width_of(&place, state) {
                Some(width) if width < 64 => {
                    let value = self.read(&place, width, state)?;
                    self.resize(Cast::Zext, value, width, 64)
                }
                Some(_) => self.read(&place, 64, state)?,
                None => self.constant(64, 0),
            });
        }
        let result = self.call_named("psychic_syscall", &arguments);
        self.write(&AsmOperand::At(Location::Named("ax".into()), None), 64, result, state)
    }

    fn unary_statement(
        &mut self,
        name: &str,
        width: u32,
        place: &AsmOperand,
        state: &mut Assembly,
    ) -> Lowered<Option<()>> {
        let Some(a) = self.read(place, width, state) else { return Ok(None) };
        let one = self.constant(width, 1);
        let zero = self.constant(width, 0);
        let value = match name {
            "inc" => self.binary(BinaryOp::Add, width, a, one),
            "dec" => self.binary(BinaryOp::Sub, width, a, one),
            "neg" => self.binary(BinaryOp::Sub, width, zero, a),
            "not" => {
                let less = self.binary(BinaryOp::Sub, width, zero, a);
                self.binary(BinaryOp::Sub, width, less, one)
            }
            "bswap" => self.compute(|dst| Inst::Unary { op: UnaryOp::Bswap, width, dst, a }),
            _ => return Ok(None),
        };
        Ok(self.write(place, width, value, state))
    }

    fn binary_statement(
        &mut self,
        name: &str,
        width: u32,
        from: &AsmOperand,
        to: &AsmOperand,
        state: &mut Assembly,
    ) -> Lowered<Option<()>> {
        if *to == AsmOperand::Stack {
            let nothing =
                matches!(from, AsmOperand::Immediate(zero, _) if self.known(*zero) == Some(0));
            return Ok((nothing && matches!(name, "or" | "add")).then_some(()));
        }
        let Some(b) = self.read(from, width, state) else { return Ok(None) };
        if name == "mov" {
            return Ok(self.write(to, width, b, state));
        }
        if matches!(name, "bsf" | "bsr" | "tzcnt" | "lzcnt" | "popcnt") {
            let value = self.scan(name, width, b, to, state);
            return Ok(self.write(to, width, value, state));
        }
        let Some(a) = self.read(to, width, state) else { return Ok(None) };
        let op = match name {
            "add" | "xadd" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "xchg" => {
                let first = self.write(to, width, b, state);
                return Ok(first.and_then(|()| self.write(from, width, a, state)));
            }
            "cmpxchg" => return Ok(self.exchange_if_equal(width, a, b, to, state)),
            _ => return Ok(None),
        };
        let value = self.binary(op, width, a, b);
        let Some(()) = self.write(to, width, value, state) else { return Ok(None) };
        // `xadd` puts the old value into the other operand.
        Ok(if name == "xadd" { self.write(from, width, a, state) } else { Some(()) })
    }

    /// Lowers `cmpxchg`: the accumulator is compared with the destination, and gets its old value
    /// (Intel SDM, volume 2, CMPXCHG).
    fn exchange_if_equal(
        &mut self,
        width: u32,
        old: Operand,
        new: Operand,
        to: &AsmOperand,
        state: &mut Assembly,
    ) -> Option<()> {
        let accumulator = AsmOperand::At(Location::Named("ax".into()), None);
        let a = self.read(&accumulator, width, state)?;
        let predicate = Predicate::Eq;
        let condition = self.compute(|dst| Inst::Compare { predicate, width, dst, a, b: old });
        let value = self.compute(|dst| Inst::Select { width, dst, condition, a: new, b: old });
        self.write(to, width, value, state)?;
        self.write(&accumulator, width, old, state)
    }

    /// The result of counting or searching bits. For `bsf` and `bsr` of zero, it is the old value
    /// of the destination.
    fn scan(
        &mut self,
        name: &str,
        width: u32,
        a: Operand,
        to: &AsmOperand,
        state: &Assembly,
    ) -> Operand {
        let op = match name {
            "bsf" | "tzcnt" => UnaryOp::Ctz,
            "popcnt" => UnaryOp::Popcount,
            _ => UnaryOp::Clz,
        };
        let count = self.compute(|dst| Inst::Unary { op, width, dst, a });
        if !matches!(name, "bsf" | "bsr") {
            return count;
        }
        let top = self.constant(width, u64::from(width - 1));
        let found =
            if name == "bsr" { self.binary(BinaryOp::Sub, width, top, count) } else { count };
        let old = self.read(to, width, state).unwrap_or_else(|| self.bits(width, None));
        let b = self.constant(width, 0);
        let predicate = Predicate::Eq;
        let condition = self.compute(|dst| Inst::Compare { predicate, width, dst, a, b });
        self.compute(|dst| Inst::Select { width, dst, condition, a: old, b: found })
    }

    /// The place of an operand that the text names, such as `$0`, `${0:w}`, `$$1`, `%eax` or
    /// `(%rsp)`.
    fn place_of(&mut self, operand: &str, state: &Assembly) -> Option<AsmOperand> {
        if let Some(number) = operand.strip_prefix("$$") {
            let value = number_of(number)?;
            return Some(AsmOperand::Immediate(self.constant(64, value as u64), 64));
        }
        if matches!(operand, "(%rsp)" | "0(%rsp)" | "(%esp)" | "0(%esp)") {
            return Some(AsmOperand::Stack);
        }
        if let Some(offset) = operand.strip_prefix("%fs:") {
            let offset = number_of(offset)?;
            let thread = self.call_named("psychic_thread_pointer", &[]);
            let offset = self.constant(64, offset as u64);
            let address = self.binary(BinaryOp::Add, 64, thread, offset);
            return Some(AsmOperand::At(Location::Memory { address, width: 0 }, None));
        }
        if let Some(name) = operand.strip_prefix('%') {
            let (name, width) = register(name)?;
            return Some(AsmOperand::At(Location::Named(name.into()), Some(width)));
        }
        let braced = operand.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let (index, width) = match braced {
            Some(text) => {
                let (index, modifier) = text.split_once(':')?;
                let width = match modifier {
                    "b" => 8,
                    "w" => 16,
                    "k" => 32,
                    "q" => 64,
                    _ => return None,
                };
                (index, Some(width))
            }
            None => (operand.strip_prefix('$')?, None),
        };
        let index = index.parse::<usize>().ok()?;
        let location = state.locations.get(index)?.clone();
        if state.immediate[index]
            && let Some((values, bits)) = state.registers.get(&location)
            && let [value] = values[..]
            && self.known(value).is_some()
            && width.is_none()
        {
            return Some(AsmOperand::Immediate(value, *bits));
        }
        Some(AsmOperand::At(location, width))
    }

    fn width_of(&self, place: &AsmOperand, state: &Assembly) -> Option<u32> {
        match place {
            AsmOperand::At(_, Some(width)) => Some(*width),
            AsmOperand::At(Location::Memory { width, .. }, None) => Some(*width).filter(|w| *w > 0),
            AsmOperand::At(location, None) => {
                let known = state.registers.get(location);
                known.filter(|(values, _)| values.len() == 1).map(|(_, width)| *width)
            }
            AsmOperand::Immediate(..) | AsmOperand::Stack => None,
        }
    }

    fn read(&mut self, place: &AsmOperand, width: u32, state: &Assembly) -> Option<Operand> {
        match place {
            AsmOperand::Immediate(value, from) => Some(match self.known(*value) {
                Some(known) => {
                    let signed = crate::expr::Bv::new(*from, known).sext(64.max(*from));
                    self.bits(width, Some(signed.extract(0, width)))
                }
                None => self.resize(Cast::Sext, *value, *from, width),
            }),
            AsmOperand::At(Location::Memory { address, .. }, _) => {
                let address = *address;
                Some(self.compute(|dst| Inst::Load { width, dst, address }))
            }
            AsmOperand::At(location, _) => {
                let (values, from) = state.registers.get(location)?;
                match values[..] {
                    [value] if *from >= width => Some(self.resize(Cast::Zext, value, *from, width)),
                    _ => None,
                }
            }
            AsmOperand::Stack => None,
        }
    }

    /// Writes a register or memory. A 32-bit write clears the upper half of a register; a narrower
    /// one keeps the other bits.
    fn write(
        &mut self,
        place: &AsmOperand,
        width: u32,
        value: Operand,
        state: &mut Assembly,
    ) -> Option<()> {
        match place {
            AsmOperand::At(Location::Memory { address, .. }, _) => {
                let address = *address;
                self.emit(Inst::Store { width, value, address });
            }
            AsmOperand::At(location, _) => {
                let (value, width) = match state.registers.get(location).cloned() {
                    Some((_, whole)) if whole > 64 => return None,
                    Some((values, whole)) if whole > width && width < 32 => {
                        let [old] = values[..] else { return None };
                        let kept =
                            self.constant(whole, u64::MAX << width & u64::MAX >> (64 - whole));
                        let old = self.binary(BinaryOp::And, whole, old, kept);
                        let new = self.resize(Cast::Zext, value, width, whole);
                        (self.binary(BinaryOp::Or, whole, old, new), whole)
                    }
                    Some((_, whole)) => (self.resize(Cast::Zext, value, width, whole), whole),
                    None => (value, width),
                };
                state.registers.insert(location.clone(), (Parts::from_slice(&[value]), width));
            }
            AsmOperand::Immediate(..) | AsmOperand::Stack => return None,
        }
        Some(())
    }
}

/// The name of an instruction without the letter for its width, and that width.
fn split_mnemonic(mnemonic: &str) -> Option<(&str, Option<u32>)> {
    const KNOWN: [&str; 19] = [
        "mov", "xchg", "xadd", "cmpxchg", "add", "sub", "and", "or", "xor", "inc", "dec", "neg",
        "not", "bsf", "bsr", "bswap", "tzcnt", "lzcnt", "popcnt",
    ];
    if KNOWN.contains(&mnemonic) {
        return Some((mnemonic, None));
    }
    let (name, width) = [("b", 8), ("w", 16), ("l", 32), ("q", 64)]
        .into_iter()
        .find_map(|(letter, width)| Some((mnemonic.strip_suffix(letter)?, width)))?;
    KNOWN.contains(&name).then_some((name, Some(width)))
}

fn number_of(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { (value as i64).wrapping_neg() } else { value as i64 })
}

/// The short name (such as `ax`) and the width of a general register.
fn register(name: &str) -> Option<(&str, u32)> {
    const NAMES: [&str; 6] = ["ax", "bx", "cx", "dx", "si", "di"];
    let (short, width) = match name.strip_prefix('r') {
        Some(short) => (short, 64),
        None => name.strip_prefix('e').map_or((name, 16), |short| (short, 32)),
    };
    NAMES.contains(&short).then_some((short, width))
}

#[cfg(test)]
mod tests {
    use super::{constraints, number_of, register, split_mnemonic};

    #[test]
    fn constraints_name_places_and_ties() {
        let found = constraints("=r,=*m,={ax},2,0,~{memory},~{dirflag}");
        assert_eq!(found.len(), 5);
        assert!(found[0].output && !found[0].indirect);
        assert!(found[1].output && found[1].indirect);
        assert_eq!(found[2].register.as_deref(), Some("ax"));
        assert_eq!((found[3].tied, found[4].tied), (Some(2), Some(0)));
        assert_eq!(constraints("~{memory},~{dirflag}"), []);
    }

    #[test]
    fn mnemonics_numbers_and_registers_are_read() {
        assert_eq!(split_mnemonic("orl"), Some(("or", Some(32))));
        assert_eq!(split_mnemonic("sub"), Some(("sub", None)));
        assert_eq!(split_mnemonic("cpuid"), None);
        assert_eq!(number_of("-0x10"), Some(-16));
        assert_eq!(register("rax"), Some(("ax", 64)));
        assert_eq!(register("xmm0"), None);
    }
}
