//! Calls of functions. Calls of intrinsics and of inline assembly are passed on to their files.

use super::lowering::Lowering;
use super::types::{Lowered, Scalar, scalars, unsupported};
use crate::ir::address::function_at;
use crate::ir::{Call, CallArgument, Callee, Inst, Operand};
use crate::llvm::{TypeKind, Value};

impl<'m> Lowering<'_, 'm> {
    pub fn call(&mut self, inst: Value<'m>) -> Lowered<()> {
        let callee = inst.callee();
        if callee.is_asm() {
            return self.assembly(inst, callee);
        }
        if callee.is_function() && callee.name().starts_with("llvm.") {
            return self.intrinsic(inst, &callee.name());
        }
        let address = self.scalar(callee)?;
        let callee = match self.known(address).and_then(function_at) {
            Some(function) => Callee::Direct(function),
            None => Callee::Indirect(address),
        };
        let fixed = inst.call_type().params().len();
        let mut args = Vec::new();
        for (i, argument) in inst.arguments().into_iter().enumerate() {
            self.argument(inst, i as u32, argument, i >= fixed, &mut args)?;
        }
        let returned = scalars(self.source, inst.ty())?;
        let results: Vec<_> = returned.iter().map(|_| self.fresh()).collect();
        self.define(inst, results.iter().map(|reg| Operand::reg(*reg)).collect());
        let widths = returned.iter().map(|s| s.width).collect();
        self.emit(Inst::Call(Box::new(Call { callee, args, results, widths })));
        Ok(())
    }

    fn argument(
        &mut self,
        call: Value<'m>,
        index: u32,
        argument: Value<'m>,
        variadic: bool,
        args: &mut Vec<CallArgument>,
    ) -> Lowered<()> {
        if let Some(object) = self.source.byval(call, index) {
            let Some(size) = self.source.size(object) else {
                return unsupported(format!("an argument of type {object}"));
            };
            let value = self.scalar(argument)?;
            args.push(CallArgument { value, width: 64, byval: Some(size), float: false });
            return Ok(());
        }
        let parts = self.parts(argument)?;
        let scalars = scalars(self.source, argument.ty())?;
        // `va_arg` reads a vector from one vector register, whatever the lanes of the vector.
        if variadic && argument.ty().kind() == TypeKind::LLVMVectorTypeKind {
            let value = self.join(&parts, &scalars);
            let width = scalars.iter().map(|s| s.width).sum();
            args.push(CallArgument { value, width, byval: None, float: true });
            return Ok(());
        }
        args.extend(parts.into_iter().zip(scalars).map(|(value, Scalar { width, float, .. })| {
            CallArgument { value, width, byval: None, float }
        }));
        Ok(())
    }
}
