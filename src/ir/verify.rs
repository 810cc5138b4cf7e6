//! Checks the invariants of a [`Module`] on which the interpreter relies.

use std::collections::BTreeMap;

use super::{Callee, Constant, Function, FunctionId, Inst, Module, Operand, OperandKind, Pc, Reg};

/// A broken invariant of a [`Module`], which is a bug in whatever made the module.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{function}, instruction {pc}: {fault}")]
pub struct VerifyError {
    /// The symbol of the function.
    pub function: String,
    /// The index of the instruction.
    pub pc: u32,
    /// What is wrong.
    pub fault: String,
}

/// Checks that operands, targets and functions exist, and that control never runs off the end. Also
/// checks that each path writes every register before it reads it, with the width of the read.
///
/// # Errors
/// The first fault found.
pub fn verify(module: &Module) -> Result<(), VerifyError> {
    module.functions.iter().try_for_each(|function| Check { module, function }.run())
}

// The content of a register: unwritten on some path, a number of bits, or one of the following.
const UNWRITTEN: u32 = 0;
const ANY_WIDTH: u32 = u32::MAX;
const WIDTHS_DIFFER: u32 = u32::MAX - 1;

struct Check<'a> {
    module: &'a Module,
    function: &'a Function,
}

impl Check<'_> {
    fn run(&self) -> Result<(), VerifyError> {
        let function = self.function;
        if function.code.is_empty() {
            return Ok(());
        }
        if function.places.len() != function.code.len() {
            return self.fault(0, "another number of places than of instructions");
        }
        if function.counts.len() != function.code.len() + 1 || !function.counts.is_sorted() {
            return self.fault(0, "another number of counts than of instructions");
        }
        if function.params.len() > function.registers as usize {
            return self.fault(0, "fewer registers than parameters");
        }
        if !function.code.last().is_some_and(Inst::ends_block) {
            return self.fault(function.code.len() - 1, "control runs off the end");
        }
        for (pc, inst) in function.code.iter().enumerate() {
            self.shape(pc, inst)?;
        }
        self.flow()
    }

    fn fault<T>(&self, pc: usize, fault: impl Into<String>) -> Result<T, VerifyError> {
        let (function, fault) = (self.function.name.clone(), fault.into());
        Err(VerifyError { function, pc: pc as u32, fault })
    }

    fn shape(&self, pc: usize, inst: &Inst) -> Result<(), VerifyError> {
        let function = self.function;
        let mut fault = None;
        inst.reads(|operand, width| {
            if let Some(wrong) = self.operand(*operand, width) {
                fault = Some(wrong);
            }
        });
        inst.writes(|reg, _| {
            if reg.0 >= function.registers {
                fault = Some(format!("no register {}", reg.0));
            }
        });
        inst.targets(|target| {
            if target.0 as usize >= function.code.len() {
                fault = Some(format!("no instruction {} to jump to", target.0));
            }
        });
        match inst {
            Inst::Call(call) => {
                if call.results.len() != call.widths.len() {
                    fault = Some("another number of results than of widths".into());
                }
                if let Callee::Direct(FunctionId(callee)) = call.callee
                    && callee as usize >= self.module.functions.len()
                {
                    fault = Some(format!("no function {callee}"));
                }
            }
            Inst::Return { values } if values.len() != function.returns.len() => {
                fault = Some("another number of values than the function returns".into());
            }
            Inst::Cast { cast, from, to, .. }
                if (*cast == super::Cast::Trunc) != (to < from) || to == from =>
            {
                fault = Some(format!("{cast:?} from {from} to {to} bits"));
            }
            _ => {}
        }
        let file = function.places[pc].file.0 as usize;
        if file >= self.module.files.len() {
            fault = Some(format!("no file {file}"));
        }
        fault.map_or(Ok(()), |fault| self.fault(pc, fault))
    }

    fn operand(&self, operand: Operand, width: u32) -> Option<String> {
        match operand.kind() {
            OperandKind::Reg(Reg(reg)) => {
                (reg >= self.function.registers).then(|| format!("no register {reg}"))
            }
            OperandKind::Constant(index) => match self.function.constant(index) {
                None => Some(format!("no constant {index}")),
                Some(Constant::Int(value)) => {
                    let fits = width == 0 || width >= 64 || value >> width == 0;
                    (!fits || width > 64).then(|| format!("{value} is no {width}-bit constant"))
                }
                Some(Constant::Wide(value)) => (width != 0 && value.width() != width)
                    .then(|| format!("a wide constant for {width} bits")),
                Some(Constant::Undefined) => None,
            },
        }
    }

    /// Propagates the contents of registers through the code, up to a fixed point.
    fn flow(&self) -> Result<(), VerifyError> {
        let function = self.function;
        let mut start = vec![UNWRITTEN; function.registers as usize];
        start[..function.params.len()].copy_from_slice(&function.params);
        let mut blocks = BTreeMap::from([(0_u32, None)]);
        for (pc, inst) in function.code.iter().enumerate() {
            inst.targets(|Pc(target)| drop(blocks.insert(*target, None)));
            if inst.ends_block() && pc + 1 < function.code.len() {
                blocks.insert(pc as u32 + 1, None);
            }
        }
        blocks.insert(0, Some(start));
        let mut queue = vec![0_u32];
        while let Some(from) = queue.pop() {
            let Some(Some(start)) = blocks.get(&from) else { continue };
            let mut state = start.clone();
            let mut pc = from as usize;
            let mut targets = Vec::new();
            loop {
                let inst = &function.code[pc];
                self.step(pc, inst, &mut state)?;
                inst.targets(|target| targets.push(target.0));
                if inst.ends_block() {
                    break;
                }
                pc += 1;
                if blocks.contains_key(&(pc as u32)) {
                    targets.push(pc as u32);
                    break;
                }
            }
            for target in targets {
                let known = blocks.entry(target).or_default();
                let merged = match known {
                    Some(known) => merge(known, &state),
                    None => state.clone(),
                };
                if known.as_ref() != Some(&merged) {
                    *known = Some(merged);
                    queue.push(target);
                }
            }
        }
        Ok(())
    }

    fn step(&self, pc: usize, inst: &Inst, state: &mut [u32]) -> Result<(), VerifyError> {
        let mut fault = None;
        let mut returned = self.function.returns.iter();
        inst.reads(|operand, width| {
            let expected = match inst {
                Inst::Return { .. } => returned.next().copied().unwrap_or(0),
                _ => width,
            };
            if let OperandKind::Reg(Reg(reg)) = operand.kind() {
                let holds = state[reg as usize];
                if holds == UNWRITTEN {
                    fault = Some(format!("register {reg} is read before it is written"));
                } else if holds != expected && holds != ANY_WIDTH {
                    fault = Some(format!("register {reg} does not hold {expected} bits"));
                }
            }
        });
        inst.writes(|reg, width| {
            state[reg.0 as usize] = if width == 0 { ANY_WIDTH } else { width };
        });
        // A move from an undefined register also fixes the value of that register.
        if let Inst::Move { src, width, .. } = inst
            && let OperandKind::Reg(Reg(reg)) = src.kind()
        {
            state[reg as usize] = *width;
        }
        fault.map_or(Ok(()), |fault| self.fault(pc, fault))
    }
}

fn merge(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter()
        .zip(b)
        .map(|(a, b)| match (*a, *b) {
            (a, b) if a == b => a,
            (UNWRITTEN, _) | (_, UNWRITTEN) => UNWRITTEN,
            (ANY_WIDTH, other) | (other, ANY_WIDTH) => other,
            _ => WIDTHS_DIFFER,
        })
        .collect()
}
