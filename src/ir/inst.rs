//! The instruction set ([`Inst`]).

use serde::{Deserialize, Serialize};

use super::operand::{FunctionId, Operand, Pc, Reg};

/// Binary operations on equally wide operands.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Umin,
    Umax,
    Smin,
    Smax,
    UaddSat,
    UsubSat,
    SaddSat,
    SsubSat,
}

/// Integer comparisons.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Predicate {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

/// Unary integer operations. `Clz` and `Ctz` of zero are the width.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum UnaryOp {
    Bswap,
    Bitreverse,
    Popcount,
    Clz,
    Ctz,
    Abs,
}

/// Conversions between integer widths.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Cast {
    Trunc,
    Zext,
    Sext,
}

/// Integer arithmetic with an overflow flag.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum OverflowOp {
    Uadd,
    Sadd,
    Usub,
    Ssub,
    Umul,
    Smul,
}

/// Floating-point arithmetic (IEEE 754, in the rounding mode of the state).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// Which floating-point exceptions a comparison raises.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum CompareExceptions {
    /// Only a signalling NaN raises the invalid exception.
    Quiet,
    /// Any NaN raises the invalid exception.
    Signalling,
    /// Unknown: a code generator may turn this comparison into instructions with other exceptions,
    /// or none.
    Open,
}

/// Floating-point comparisons. Those with `O` are ordered: they are false if an operand is a NaN.
/// Those with `U` are unordered: they are true if an operand is a NaN.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Conversions from or to floating point. The width of a number determines its format (16 half, 32
/// float, 64 double, 80 x87, 128 quad). If a number does not fit in an integer, the result is
/// undefined, or the nearest integer (`Saturate`), or that of x86-64 (`Machine`: to 32 or 64 bits,
/// from at most 64).
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum FloatCast {
    Extend,
    Truncate,
    FromUnsigned,
    FromSigned,
    ToUnsigned,
    ToSigned,
    SaturateUnsigned,
    SaturateSigned,
    MachineUnsigned,
    MachineSigned,
}

/// One term `index * scale` of an address computation. The index is sign-extended to 64 bits.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct AddressTerm {
    /// The index.
    pub index: Operand,
    /// The width of the index in bits, at most 64.
    pub width: u32,
    /// The number of bytes by which the index is multiplied.
    pub scale: u64,
}

/// An address with one index: `base + offset + index * scale`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Indexed {
    /// The base address, 64 bits.
    pub base: Operand,
    /// The index, which is sign-extended to 64 bits.
    pub index: Operand,
    /// The width of the index in bits, at most 64.
    pub width: u32,
    /// The number of bytes by which the index is multiplied; 0 if there is no index.
    pub scale: u32,
    /// The constant offset in bytes.
    pub offset: i32,
}

/// The target of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Callee {
    /// A known function.
    Direct(FunctionId),
    /// The function at this 64-bit address.
    Indirect(Operand),
}

/// The details of an [`Inst::Call`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Call {
    /// The function that is called.
    pub callee: Callee,
    /// The arguments, fixed ones first.
    pub args: Vec<CallArgument>,
    /// The registers that receive the returned scalars.
    pub results: Vec<Reg>,
    /// The widths in bits of the returned scalars, as the call expects them.
    pub widths: Vec<u32>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct CallArgument {
    /// The value of the argument.
    pub value: Operand,
    /// The width of the value in bits.
    pub width: u32,
    /// The size in bytes of the aggregate, if one is passed on the stack. Then `value` is the
    /// address of the caller's object, and the callee gets a copy of the object.
    pub byval: Option<u64>,
    /// Whether the value is a floating-point number, which determines the place of a variadic
    /// argument.
    pub float: bool,
}

/// The details of an [`Inst::Switch`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Switch {
    /// The value on which the switch depends.
    pub value: Operand,
    /// The width of the value in bits.
    pub width: u32,
    /// The cases: constants of at most 64 bits, ascending and distinct, with their targets.
    pub cases: Vec<(u64, Pc)>,
    /// The target for all other values.
    pub default: Pc,
}

/// An instruction. Widths are in bits, sizes in bytes.
#[allow(missing_docs)]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Inst {
    /// Copies a value. If the source is undefined, the destination gets an arbitrary value of
    /// `width` bits, and so does a source register.
    Move {
        dst: Reg,
        src: Operand,
        width: u32,
    },
    /// Marks the register of a promoted local variable as unwritten.
    Undefine {
        dst: Reg,
    },
    Binary {
        op: BinaryOp,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Unary {
        op: UnaryOp,
        width: u32,
        dst: Reg,
        a: Operand,
    },
    Compare {
        predicate: Predicate,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    Cast {
        cast: Cast,
        from: u32,
        to: u32,
        dst: Reg,
        a: Operand,
    },
    Overflow {
        op: OverflowOp,
        width: u32,
        dst: Reg,
        overflow: Reg,
        a: Operand,
        b: Operand,
    },
    /// `dst` = the high half of `a:b` shifted left (`left`), or the low half of `a:b` shifted
    /// right, by `by` modulo the width.
    FunnelShift {
        left: bool,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
        by: Operand,
    },
    Select {
        width: u32,
        dst: Reg,
        condition: Operand,
        a: Operand,
        b: Operand,
    },
    FloatBinary {
        op: FloatOp,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatNegate {
        width: u32,
        dst: Reg,
        a: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        exceptions: CompareExceptions,
        width: u32,
        dst: Reg,
        a: Operand,
        b: Operand,
    },
    FloatCast {
        cast: FloatCast,
        from: u32,
        to: u32,
        dst: Reg,
        a: Operand,
    },
    /// Makes a stack object of `count * size` bytes that lives until the function returns.
    Alloca {
        dst: Reg,
        /// The address of the object is a multiple of this many bytes.
        alignment: u32,
        size: u64,
        count: Operand,
    },
    /// Reads `width` bits from `ceil(width / 8)` bytes, lowest byte first.
    Load {
        width: u32,
        dst: Reg,
        address: Operand,
    },
    Store {
        width: u32,
        value: Operand,
        address: Operand,
    },
    /// An [`Inst::Address`] and the [`Inst::Load`] from that address.
    LoadIndexed {
        width: u32,
        dst: Reg,
        at: Indexed,
    },
    /// An [`Inst::Address`] and the [`Inst::Store`] to that address.
    StoreIndexed {
        width: u32,
        value: Operand,
        at: Indexed,
    },
    /// `dst = base + offset + sum of terms`, in 64 bits.
    Address {
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: Box<[AddressTerm]>,
    },
    /// Both `memcpy` and `memmove`, which are the same here. `length` has 64 bits.
    Copy {
        to: Operand,
        from: Operand,
        length: Operand,
    },
    /// `memset`. `value` has 8 bits, `length` 64.
    Fill {
        to: Operand,
        value: Operand,
        length: Operand,
    },
    VaStart {
        list: Operand,
    },
    VaCopy {
        to: Operand,
        from: Operand,
    },
    VaEnd {
        list: Operand,
    },
    Call(Box<Call>),
    Jump {
        target: Pc,
    },
    Branch {
        condition: Operand,
        then: Pc,
        otherwise: Pc,
    },
    /// An [`Inst::Compare`] and the [`Inst::Branch`] on it.
    CompareBranch {
        predicate: Predicate,
        width: u32,
        a: Operand,
        b: Operand,
        then: Pc,
        otherwise: Pc,
    },
    Switch(Box<Switch>),
    Return {
        values: Box<[Operand]>,
    },
    /// Undefined behaviour if it is reached.
    Unreachable,
    /// `llvm.trap`, or `llvm.ubsantrap` with the number of the check that failed.
    Trap {
        check: Option<u8>,
    },
    /// `llvm.assume` of a 1-bit value; a false value is undefined behaviour.
    Assume {
        condition: Operand,
    },
    /// Replaces an LLVM instruction that could not be lowered, which `what` names. Running this
    /// ends the state.
    Unsupported {
        what: Box<str>,
    },
}
