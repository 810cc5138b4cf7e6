//! Intrinsics that stand for functions of the C library. Clang writes `llvm.floor.f64` for a call
//! of `floor`, and the code generator turns it back into the call.

use super::lowering::{Lowering, Parts};
use super::types::{Lowered, float_width, lane_width, unsupported};
use crate::ir::{Call, CallArgument, Callee, FloatCast, Inst, Operand};
use crate::llvm::{Value, library};

impl<'m> Lowering<'_, 'm> {
    /// Emits a call of a function whose arguments and result have 64 bits each.
    pub fn call_named(&mut self, name: &str, arguments: &[Operand]) -> Operand {
        let id = self.library.function(name, &vec![64; arguments.len()], 64);
        let argument =
            |value: &Operand| CallArgument { value: *value, width: 64, byval: None, float: false };
        let result = self.fresh();
        self.emit(Inst::Call(Box::new(Call {
            callee: Callee::Direct(id),
            args: arguments.iter().map(argument).collect(),
            results: vec![result],
            widths: vec![64],
        })));
        Operand::reg(result)
    }

    /// Lowers an intrinsic that stands for a library function as calls of that function, one for
    /// each lane. Returns `false` if it stands for none.
    pub fn library_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        if base == "frexp" {
            self.frexp_intrinsic(inst)?;
            return Ok(true);
        }
        let Some(name) = library::name(base) else { return Ok(false) };
        self.library_call(inst, name, &inst.values())?;
        Ok(true)
    }

    /// Defines `inst` by calls of a function of the C library, one for each lane of the arguments.
    /// The first argument is a floating-point number, whose format determines the function. A
    /// `_Float16` uses the function for `float`.
    pub fn library_call(
        &mut self,
        inst: Value<'m>,
        name: &str,
        arguments: &[Value<'m>],
    ) -> Lowered<()> {
        const HALF: u32 = 16;
        const SINGLE: u32 = 32;
        let widened = |width| if width == HALF { SINGLE } else { width };
        let width = float_width(arguments[0].ty())?;
        let name = format!("{name}{}", library::suffix(name, widened(width)));
        let returned = lane_width(inst.ty())?;
        let returns_half = returned == HALF && float_width(inst.ty()).is_ok();
        let called = if returns_half { SINGLE } else { returned };
        let mut lanes = Vec::with_capacity(arguments.len());
        let mut kinds = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let float = float_width(argument.ty()).ok();
            kinds.push((lane_width(argument.ty())?, float.is_some()));
            lanes.push(self.parts(*argument)?);
        }
        let params =
            kinds.iter().map(|(width, float)| if *float { widened(*width) } else { *width });
        let params: Vec<_> = params.collect();
        let id = self.library.function(&name, &params, called);
        let mut parts = Parts::new();
        for lane in 0..lanes[0].len() {
            let mut args = Vec::with_capacity(lanes.len());
            for (parts, (width, float)) in lanes.iter().zip(&kinds) {
                // An integer argument beside a vector is the same for all lanes.
                let mut value = parts[lane.min(parts.len() - 1)];
                if *float && *width == HALF {
                    value = self.converted(FloatCast::Extend, HALF, SINGLE, value);
                }
                let width = if *float { widened(*width) } else { *width };
                args.push(CallArgument { value, width, byval: None, float: *float });
            }
            let result = self.fresh();
            self.emit(Inst::Call(Box::new(Call {
                callee: Callee::Direct(id),
                args,
                results: vec![result],
                widths: vec![called],
            })));
            let mut value = Operand::reg(result);
            if returns_half {
                value = self.converted(FloatCast::Truncate, SINGLE, HALF, value);
            }
            parts.push(value);
        }
        self.define(inst, parts);
        Ok(())
    }

    /// Lowers `llvm.frexp`, whose result consists of the fractions and the exponents of all lanes.
    /// The function for which it stands writes the exponent, an `int`, to memory.
    fn frexp_intrinsic(&mut self, inst: Value<'m>) -> Lowered<()> {
        const INT: u32 = 32;
        const POINTER: u32 = 64;
        let number = inst.values()[0];
        let width = float_width(number.ty())?;
        if width == 16 {
            return unsupported("llvm.frexp of a _Float16");
        }
        let name = format!("frexp{}", library::suffix("frexp", width));
        let id = self.library.function(&name, &[width, POINTER], width);
        let (mut fractions, mut exponents) = (Parts::new(), Parts::new());
        for value in self.parts(number)? {
            let count = self.constant(POINTER, 1);
            let address = self.compute(|dst| Inst::Alloca { dst, alignment: 4, size: 4, count });
            let result = self.fresh();
            let argument = |value, width, float| CallArgument { value, width, byval: None, float };
            self.emit(Inst::Call(Box::new(Call {
                callee: Callee::Direct(id),
                args: vec![argument(value, width, true), argument(address, POINTER, false)],
                results: vec![result],
                widths: vec![width],
            })));
            fractions.push(Operand::reg(result));
            exponents.push(self.compute(|dst| Inst::Load { width: INT, dst, address }));
        }
        fractions.extend(exponents);
        self.define(inst, fractions);
        Ok(())
    }

    pub fn converted(&mut self, cast: FloatCast, from: u32, to: u32, a: Operand) -> Operand {
        self.compute(|dst| Inst::FloatCast { cast, from, to, dst, a })
    }

    /// Lowers `llvm.get.rounding` and `llvm.set.rounding` as calls that the environment models.
    /// Returns `false` for other intrinsics.
    pub fn rounding_intrinsic(&mut self, inst: Value<'m>, base: &str) -> Lowered<bool> {
        let (params, returned): (&[u32], _) = match base {
            "get.rounding" => (&[], Some(32)),
            "set.rounding" => (&[32], None),
            _ => return Ok(false),
        };
        let id = self.library.function(&format!("llvm.{base}"), params, returned.unwrap_or(32));
        let mut args = Vec::new();
        for argument in inst.values() {
            let value = self.scalar(argument)?;
            args.push(CallArgument { value, width: 32, byval: None, float: false });
        }
        let result = self.fresh();
        let call =
            Call { callee: Callee::Direct(id), args, results: vec![result], widths: vec![32] };
        self.emit(Inst::Call(Box::new(call)));
        if returned.is_some() {
            self.define_scalar(inst, Operand::reg(result));
        }
        Ok(true)
    }
}
