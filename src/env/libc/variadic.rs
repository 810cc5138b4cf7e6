//! Variadic arguments, given directly or through a `va_list`.

use crate::env::call::Arguments;
use crate::{
    env::{Machine, Stop, offset},
    memory::{Value, value::truncate},
};

/// The class of an argument, which decides where a `va_list` keeps it.
#[derive(Clone, Copy, Debug)]
pub enum ArgumentKind {
    /// An integer or pointer of this width in bits.
    Integer(u32),
    /// A floating-point number of this width in bits.
    Float(u32),
}

/// A position in a list of arguments.
#[derive(Clone, Copy, Debug)]
pub enum Variadic<'a> {
    /// The arguments of the call itself, and the index of the next one.
    Direct(Arguments<'a>, usize),
    /// The arguments of the `va_list` at this address (System V ABI for x86-64, section 3.5.7).
    List(Value),
}

impl<'a> Variadic<'a> {
    /// The arguments of a call from index `first` on.
    pub fn direct(arguments: Arguments<'a>, first: usize) -> Self {
        Self::Direct(arguments, first)
    }

    /// The arguments of the `va_list` at an address.
    pub fn list(address: Value) -> Self {
        Self::List(address)
    }

    /// The next argument.
    pub fn next(&mut self, machine: &mut dyn Machine, kind: ArgumentKind) -> Result<Value, Stop> {
        match self {
            Self::Direct(arguments, index) => {
                let passed = arguments.passed.get(*index);
                let value = arguments.get(*index);
                *index += 1;
                let fits = passed.is_some_and(|passed| match kind {
                    // Only the low bits of a register with a wider integer are taken.
                    ArgumentKind::Integer(width) => !passed.float && passed.width >= width,
                    ArgumentKind::Float(width) => passed.float && passed.width == width,
                });
                // Natively, an argument that does not fit would be whatever a register holds.
                let given = passed.map_or(0, |passed| passed.width);
                match (fits, kind, value) {
                    (false, ..) => Err(Stop::unsupported(mismatch(kind))),
                    (true, ArgumentKind::Integer(width), _) if width < 64 && given == 64 => {
                        Ok(machine.truncated(value, width))
                    }
                    (true, ArgumentKind::Integer(width), Value::Int(int)) => {
                        Ok(Value::Int(truncate(int, width)))
                    }
                    (true, ArgumentKind::Integer(width), Value::Expr(expr)) => {
                        let exprs = machine.exprs();
                        Ok(Value::from_expr(exprs, exprs.extract(expr, 0, width)))
                    }
                    (true, ..) => Ok(value),
                }
            }
            Self::List(list) => next_of_list(machine, *list, kind),
        }
    }
}

fn next_of_list(machine: &mut dyn Machine, list: Value, kind: ArgumentKind) -> Result<Value, Stop> {
    let field = |machine: &dyn Machine, at| offset(machine.exprs(), list, at);
    if let ArgumentKind::Float(80) = kind {
        let overflow = field(machine, 8);
        let area = machine.load(overflow, 64)?;
        let area = machine.concretise(area, 64, "position in a va_list")?.next_multiple_of(16);
        machine.store(overflow, 64, Value::Int(area + 16))?;
        return machine.load(Value::Int(area), 80);
    }
    let (width, used, end, step) = match kind {
        ArgumentKind::Integer(width) => (width, field(machine, 0), 48, 8),
        ArgumentKind::Float(width) => (width, field(machine, 4), 176, 16),
    };
    let position = machine.load(used, 32)?;
    let position = machine.concretise(position, 32, "position in a va_list")?;
    let address = if position < end {
        machine.store(used, 32, Value::Int(position + step))?;
        let area = machine.load(field(machine, 16), 64)?;
        offset(machine.exprs(), area, position)
    } else {
        let overflow = field(machine, 8);
        let area = machine.load(overflow, 64)?;
        let next = offset(machine.exprs(), area, 8);
        machine.store(overflow, 64, next)?;
        area
    };
    machine.load(address, width)
}

fn mismatch(kind: ArgumentKind) -> String {
    match kind {
        ArgumentKind::Integer(width) => {
            format!("a format that asks for an integer of {width} bits and gets something else")
        }
        ArgumentKind::Float(width) => {
            format!("a format that asks for a number of {width} bits and gets something else")
        }
    }
}
