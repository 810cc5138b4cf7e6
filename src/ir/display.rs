//! Functions and modules as readable text, for debugging and snapshots.

use std::fmt::{self, Display, Formatter};

use super::address::{FIRST_OBJECT, function_at, object_number, offset};
use super::{
    AddressTerm, Call, Callee, Constant, Function, FunctionId, Indexed, Inst, Module, Operand,
    OperandKind, Reg,
};

impl Display for Reg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Shown { function: self, module: None }.fmt(f)
    }
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for global in &self.globals {
            let kind = if global.constant { "constant" } else { "variable" };
            let external = if global.external { ", external" } else { "" };
            writeln!(f, "{kind} @{}: {} bytes{external}", global.name, global.bytes.len())?;
        }
        for function in &self.functions {
            writeln!(f)?;
            Shown { function, module: Some(self) }.fmt(f)?;
        }
        Ok(())
    }
}

/// A function to be shown, with the names of its module if that is known.
struct Shown<'a> {
    function: &'a Function,
    module: Option<&'a Module>,
}

struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let function = self.function;
        let head = if function.code.is_empty() { "declare" } else { "define" };
        write!(f, "{head} @{}({}", function.name, List(&function.params))?;
        let dots = match (function.variadic, function.params.is_empty()) {
            (true, true) => "...",
            (true, false) => ", ...",
            _ => "",
        };
        write!(f, "{dots}) -> ({})", List(&function.returns))?;
        if function.code.is_empty() {
            return writeln!(f);
        }
        write!(f, " registers {}", function.registers)?;
        let named = |place: super::SourceLine| {
            let name = self.module.and_then(|module| module.files.get(place.file.0 as usize));
            name.map_or_else(|| format!("file {}", place.file.0), Clone::clone)
        };
        if let Some(place) = function.place {
            write!(f, " ; {}:{}", named(place), place.line)?;
        }
        writeln!(f)?;
        let mut last = function.place;
        for (pc, (inst, place)) in function.code.iter().zip(&function.places).enumerate() {
            let text = self.inst(inst);
            if place.line == 0 || last == Some(*place) {
                writeln!(f, "{pc:5}  {text}")?;
            } else if last.is_some_and(|last| last.file == place.file) {
                writeln!(f, "{pc:5}  {text:<50} ; {}", place.line)?;
            } else {
                writeln!(f, "{pc:5}  {text:<50} ; {}:{}", named(*place), place.line)?;
            }
            last = Some(*place);
        }
        Ok(())
    }
}

/// The name of a variant in lower case: `uaddsat` for `UaddSat`.
fn lower(name: &impl fmt::Debug) -> String {
    format!("{name:?}").to_lowercase()
}

impl Shown<'_> {
    fn operand(&self, operand: Operand) -> String {
        match operand.kind() {
            OperandKind::Reg(reg) => reg.to_string(),
            OperandKind::Constant(index) => match self.function.constant(index) {
                Some(Constant::Int(value)) => self.number(*value),
                Some(Constant::Wide(value)) => format!("{value:?}"),
                Some(Constant::Undefined) => "undefined".into(),
                None => format!("constant {index}?"),
            },
        }
    }

    /// An operand that is not an address.
    fn plain(&self, operand: Operand) -> String {
        if let OperandKind::Constant(index) = operand.kind()
            && let Some(Constant::Int(value)) = self.function.constant(index)
        {
            return format!("{value:#x}");
        }
        self.operand(operand)
    }

    fn number(&self, value: u64) -> String {
        let known = |id: &FunctionId| {
            self.module.is_none_or(|module| (id.0 as usize) < module.functions.len())
        };
        if let Some(function) = function_at(value).filter(known) {
            return self.callee(function);
        }
        let global = object_number(value)
            .checked_sub(FIRST_OBJECT)
            .and_then(|index| self.module?.globals.get(index as usize));
        match (global, offset(value)) {
            (Some(global), 0) => format!("@{}", global.name),
            (Some(global), offset) => format!("@{}+{offset}", global.name),
            (None, _) if value > u64::from(u32::MAX) => format!("{value:#x}"),
            (None, _) => value.to_string(),
        }
    }

    fn callee(&self, id: FunctionId) -> String {
        match self.module.and_then(|module| module.functions.get(id.0 as usize)) {
            Some(function) => format!("@{}", function.name),
            None => format!("function {}", id.0),
        }
    }

    fn inst(&self, inst: &Inst) -> String {
        let op = |operand: &Operand| self.operand(*operand);
        let number = |operand: &Operand| self.plain(*operand);
        match inst {
            Inst::Move { dst, src, width } => format!("{dst} = move.{width} {}", op(src)),
            Inst::Undefine { dst } => format!("{dst} = undefine"),
            Inst::Binary { op: name, width, dst, a, b } => {
                format!("{dst} = {}.{width} {}, {}", lower(name), op(a), op(b))
            }
            Inst::Unary { op: name, width, dst, a } => {
                format!("{dst} = {}.{width} {}", lower(name), op(a))
            }
            Inst::Compare { predicate, width, dst, a, b } => {
                format!("{dst} = {}.{width} {}, {}", lower(predicate), op(a), op(b))
            }
            Inst::Cast { cast, from, to, dst, a } => {
                format!("{dst} = {}.{from}.{to} {}", lower(cast), op(a))
            }
            Inst::Overflow { op: name, width, dst, overflow, a, b } => {
                let name = lower(name);
                format!("{dst}, {overflow} = {name}overflow.{width} {}, {}", op(a), op(b))
            }
            Inst::FunnelShift { left, width, dst, a, b, by } => {
                let name = if *left { "fshl" } else { "fshr" };
                format!("{dst} = {name}.{width} {}, {}, {}", op(a), op(b), op(by))
            }
            Inst::Select { width, dst, condition, a, b } => {
                format!("{dst} = select.{width} {} ? {} : {}", op(condition), op(a), op(b))
            }
            Inst::FloatBinary { op: name, width, dst, a, b } => {
                format!("{dst} = f{}.{width} {}, {}", lower(name), number(a), number(b))
            }
            Inst::FloatNegate { width, dst, a } => format!("{dst} = fneg.{width} {}", op(a)),
            Inst::FloatCompare { predicate, width, dst, a, b, .. } => {
                format!("{dst} = f{}.{width} {}, {}", lower(predicate), number(a), number(b))
            }
            Inst::FloatCast { cast, from, to, dst, a } => {
                format!("{dst} = f{}.{from}.{to} {}", lower(cast), op(a))
            }
            Inst::Call(call) => self.call(call),
            Inst::Branch { condition, then, otherwise } => {
                format!("branch {} ? {} : {}", op(condition), then.0, otherwise.0)
            }
            Inst::CompareBranch { predicate, width, a, b, then, otherwise } => {
                let name = lower(predicate);
                let (a, b) = (op(a), op(b));
                format!("branch {name}.{width} {a}, {b} ? {} : {}", then.0, otherwise.0)
            }
            Inst::Jump { target } => format!("jump {}", target.0),
            Inst::Switch(switch) => {
                let cases: Vec<String> = switch
                    .cases
                    .iter()
                    .map(|(case, target)| format!("{case}: {}", target.0))
                    .collect();
                let (value, default) = (op(&switch.value), switch.default.0);
                format!("switch.{} {value} {{{}}} else {default}", switch.width, List(&cases))
            }
            Inst::Return { values } => {
                let values: Vec<String> = values.iter().map(op).collect();
                format!("return {}", List(&values)).trim_end().to_owned()
            }
            Inst::Unreachable => "unreachable".into(),
            Inst::Trap { check: None } => "trap".into(),
            Inst::Trap { check: Some(check) } => format!("trap {check}"),
            Inst::Assume { condition } => format!("assume {}", op(condition)),
            Inst::Unsupported { what } => format!("unsupported {what}"),
            memory => self.memory(memory),
        }
    }

    fn memory(&self, inst: &Inst) -> String {
        let op = |operand: &Operand| self.operand(*operand);
        match inst {
            Inst::Alloca { dst, size, count, .. } => {
                format!("{dst} = alloca {size} * {}", op(count))
            }
            Inst::Load { width, dst, address } => format!("{dst} = load.{width} [{}]", op(address)),
            Inst::Store { width, value, address } => {
                format!("store.{width} [{}] = {}", op(address), op(value))
            }
            Inst::LoadIndexed { width, dst, at } => {
                format!("{dst} = load.{width} [{}]", self.indexed(at))
            }
            Inst::StoreIndexed { width, value, at } => {
                format!("store.{width} [{}] = {}", self.indexed(at), op(value))
            }
            Inst::Address { dst, base, offset, terms } => {
                format!("{dst} = {}", self.address(*base, *offset, terms))
            }
            Inst::Copy { to, from, length } => {
                format!("copy [{}] = [{}], {}", op(to), op(from), op(length))
            }
            Inst::Fill { to, value, length } => {
                format!("fill [{}] = {}, {}", op(to), op(value), op(length))
            }
            Inst::VaStart { list } => format!("va_start {}", op(list)),
            Inst::VaCopy { to, from } => format!("va_copy {}, {}", op(to), op(from)),
            Inst::VaEnd { list } => format!("va_end {}", op(list)),
            other => format!("{other:?}"),
        }
    }

    fn address(&self, base: Operand, offset: i64, terms: &[AddressTerm]) -> String {
        let mut text = self.operand(base);
        if offset != 0 {
            let sign = if offset < 0 { '-' } else { '+' };
            text += &format!(" {sign} {}", offset.unsigned_abs());
        }
        for term in terms {
            let index = self.operand(term.index);
            text += &format!(" + {index}.{} * {}", term.width, term.scale);
        }
        text
    }

    fn indexed(&self, at: &Indexed) -> String {
        let term = AddressTerm { index: at.index, width: at.width, scale: at.scale.into() };
        let terms = if at.scale == 0 { &[][..] } else { &[term] };
        self.address(at.base, at.offset.into(), terms)
    }

    fn call(&self, call: &Call) -> String {
        let callee = match call.callee {
            Callee::Direct(id) => self.callee(id),
            Callee::Indirect(operand) => format!("*{}", self.operand(operand)),
        };
        let args: Vec<String> = call
            .args
            .iter()
            .map(|argument| {
                let value = self.operand(argument.value);
                match argument.byval {
                    Some(size) => format!("{value}.byval{size}"),
                    None if argument.float => format!("{value}.f{}", argument.width),
                    None => format!("{value}.{}", argument.width),
                }
            })
            .collect();
        let results: Vec<String> = call
            .results
            .iter()
            .zip(&call.widths)
            .map(|(reg, width)| format!("{reg}.{width}"))
            .collect();
        let equals = if results.is_empty() { "" } else { " = " };
        format!("{}{equals}call {callee}({})", List(&results), List(&args))
    }
}
