//! Functions of the C library that intrinsics and instructions stand for.

use std::collections::BTreeSet;

use inkwell::{
    module::Module,
    types::AnyTypeEnum,
    values::{AnyValue, InstructionOpcode},
};

/// The string attribute that `scripts/musl_modules.py` gives to functions of the C library.
pub const ATTRIBUTE: &str = "psychic-library";

/// The function that an intrinsic stands for, by its name for `double`. It belongs to ISO C (clause
/// 7.12, and TS 18661-3 for other types), or to the compiler's own library.
pub fn name(base: &str) -> Option<&str> {
    match base {
        "floor" | "ceil" | "trunc" | "rint" | "nearbyint" | "round" | "roundeven" | "lround"
        | "llround" | "lrint" | "llrint" | "sqrt" | "sin" | "cos" | "tan" | "asin" | "acos"
        | "atan" | "sinh" | "cosh" | "tanh" | "exp" | "exp2" | "exp10" | "log" | "log2"
        | "log10" | "pow" | "fma" | "ldexp" => Some(base),
        "frem" => Some("fmod"),
        "powi" => Some("__powi"),
        _ => None,
    }
}

/// The suffix that the function's name has for numbers of `width` bits.
pub fn suffix(name: &str, width: u32) -> &'static str {
    let of_compiler = name.starts_with("__");
    match width {
        32 if of_compiler => "sf2",
        64 if of_compiler => "df2",
        80 if of_compiler => "xf2",
        _ if of_compiler => "tf2",
        32 => "f",
        64 => "",
        80 => "l",
        _ => "f128",
    }
}

/// The functions that the code generator may call although the module has no calls of them. They
/// need not exist.
pub fn functions(module: &Module<'_>) -> BTreeSet<String> {
    let named = module.get_functions().filter_map(|function| {
        let name = function.get_name().to_string_lossy().into_owned();
        of_intrinsic(&name)
    });
    let blocks = module.get_functions().flat_map(|function| function.get_basic_blocks());
    let all = blocks.flat_map(|block| block.get_instructions());
    let remainders = all.filter(|inst| inst.get_opcode() == InstructionOpcode::FRem);
    let remainders = remainders.filter_map(|inst| {
        let width = match inst.as_any_value_enum().get_type() {
            AnyTypeEnum::FloatType(ty) => ty.get_bit_width(),
            AnyTypeEnum::VectorType(ty) => ty.get_element_type().into_float_type().get_bit_width(),
            _ => return None,
        };
        Some(format!("{}{}", name("frem")?, suffix("fmod", width)))
    });
    named.chain(remainders).collect()
}

/// The function that an intrinsic stands for, by the intrinsic's full name (`llvm.pow.f64`).
fn of_intrinsic(intrinsic: &str) -> Option<String> {
    let (base, types) = intrinsic.strip_prefix("llvm.")?.split_once('.')?;
    let name = if base == "frexp" { base } else { name(base)? };
    // A vector's type looks like `v2f64`; integers look like `i32`.
    let mut widths = types.split('.').filter_map(|ty| ty.rsplit_once('f')?.1.parse().ok());
    Some(format!("{name}{}", suffix(name, widths.next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intrinsics_stand_for_functions() {
        for (intrinsic, function) in [
            ("llvm.pow.f64", Some("pow")),
            ("llvm.floor.v4f32", Some("floorf")),
            ("llvm.lround.i64.f80", Some("lroundl")),
            ("llvm.frexp.f64.i32", Some("frexp")),
            ("llvm.memcpy.p0.p0.i64", None),
            ("llvm.trap", None),
        ] {
            assert_eq!(of_intrinsic(intrinsic).as_deref(), function, "{intrinsic}");
        }
    }
}
