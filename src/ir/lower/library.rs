//! Intrinsics that stand for functions of the C library: clang writes `llvm.floor.f64` for a
//! call of `floor`, and the code generator turns it back into the call.

use rustc_hash::FxHashMap;

use super::function::{Lowering, Parts};
use super::llvm::Value;
use super::types::{Lowered, float_width, lane_width};
use crate::ir::{Argument, Call, Callee, Function, FunctionId, Inst, Operand};

/// The functions of a module by name, and those that lowering declares beside them.
#[derive(Default)]
pub struct Library {
    ids: FxHashMap<String, FunctionId>,
    declared: Vec<Function>,
}

impl Library {
    /// Knows the functions that the module has; their ids count up in order.
    pub fn new(names: impl Iterator<Item = String>) -> Self {
        let ids = names.zip((0..).map(FunctionId)).collect();
        Self { ids, declared: Vec::new() }
    }

    /// The function of that name, declared if it is new.
    fn function(&mut self, name: &str, params: &[u32], returned: u32) -> FunctionId {
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = FunctionId(self.ids.len() as u32);
        self.ids.insert(name.to_owned(), id);
        self.declared.push(Function {
            name: name.to_owned(),
            params: params.to_vec(),
            returns: vec![returned],
            ..Function::default()
        });
        id
    }

    /// What was declared, to follow the functions of the module.
    pub fn into_declared(self) -> Vec<Function> {
        self.declared
    }
}

/// The function of ISO C (clause 7.12, and TS 18661-3 for other types) for `double` that an
/// intrinsic stands for.
fn library_name(base: &str) -> Option<&str> {
    match base {
        "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" | "lround"
        | "llround" | "lrint" | "llrint" | "sqrt" | "sin" | "cos" | "tan" | "exp" | "exp2"
        | "exp10" | "log" | "log2" | "log10" | "pow" | "fma" => Some(base),
        _ => None,
    }
}

impl<'m> Lowering<'_, 'm> {
    /// Emits a call of a function of words that returns a word.
    pub fn call_named(&mut self, name: &str, arguments: &[Operand]) -> Operand {
        let id = self.library.function(name, &vec![64; arguments.len()], 64);
        let argument =
            |value: &Operand| Argument { value: *value, width: 64, byval: None, float: false };
        let result = self.fresh();
        self.emit(Inst::Call(Box::new(Call {
            callee: Callee::Direct(id),
            args: arguments.iter().map(argument).collect(),
            results: vec![result],
            widths: vec![64],
        })));
        Operand::reg(result)
    }

    /// Lowers an intrinsic as calls, one a lane, of what it stands for; false if it is none.
    pub fn library_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        let Some(name) = library_name(base) else { return Ok(false) };
        let arguments = inst.arguments();
        let width = float_width(arguments[0].ty())?;
        let suffix = match width {
            16 => "f16",
            32 => "f",
            64 => "",
            80 => "l",
            _ => "f128",
        };
        let name = format!("{name}{suffix}");
        let returned = lane_width(inst.ty())?;
        let id = self.library.function(&name, &vec![width; arguments.len()], returned);
        let mut lanes = Vec::with_capacity(arguments.len());
        for argument in arguments {
            lanes.push(self.parts(argument)?);
        }
        let mut parts = Parts::new();
        for lane in 0..lanes[0].len() {
            let argument =
                |parts: &Parts| Argument { value: parts[lane], width, byval: None, float: true };
            let args = lanes.iter().map(argument).collect();
            let result = self.fresh();
            self.emit(Inst::Call(Box::new(Call {
                callee: Callee::Direct(id),
                args,
                results: vec![result],
                widths: vec![returned],
            })));
            parts.push(Operand::reg(result));
        }
        self.define(inst, parts);
        Ok(true)
    }
}
