//! The instructions.

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

/// Unary bit operations; `Clz`/`Ctz` of zero give the width.
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

/// Integer conversions.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Cast {
    Trunc,
    Zext,
    Sext,
}

/// Arithmetic with overflow flag.
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

/// Floating-point arithmetic (IEEE, in the rounding mode of the state).
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
    /// Of NaNs only a signalling one is invalid.
    Quiet,
    /// Any NaN is invalid.
    Signalling,
    /// One or the other or none: it stands for what a code generator may write in several ways.
    Open,
}

/// Floating-point comparisons: `O` ordered (false on NaN), `U` unordered (true on NaN).
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

/// Conversions from or to floating point; the width of a number says which format it has
/// (16 half, 32 float, 64 double, 80 x87, 128 quad). What does not fit an integer is undefined,
/// becomes the nearest one (`Saturate`), or what x86-64 makes of it (`Machine`: to 32 or 64 bits
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

/// One `index * scale` of an address computation; the index is sign-extended to 64 bits.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct AddressTerm {
    /// The index.
    pub index: Operand,
    /// Its width in bits, at most 64.
    pub width: u32,
    /// Bytes a step.
    pub scale: u64,
}

/// An address with one index: `base + offset + index * scale`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Indexed {
    /// Where it starts, 64 bits.
    pub base: Operand,
    /// The index, sign-extended to 64 bits.
    pub index: Operand,
    /// Its width in bits, at most 64.
    pub width: u32,
    /// Bytes a step.
    pub scale: u32,
    /// Bytes.
    pub offset: i32,
}

/// What a call calls.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Callee {
    /// A known function.
    Direct(FunctionId),
    /// A 64-bit function address.
    Indirect(Operand),
}

/// The details of a [`Inst::Call`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Arguments, fixed ones first.
    pub args: Vec<Argument>,
    /// Registers of the returned scalars.
    pub results: Vec<Reg>,
    /// Widths in bits of the returned scalars, as the call expects them.
    pub widths: Vec<u32>,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Argument {
    /// Its value.
    pub value: Operand,
    /// Its width in bits.
    pub width: u32,
    /// For an aggregate passed on the stack: its size in bytes (`value` is the address of
    /// the caller's object, of which the callee gets a copy).
    pub byval: Option<u64>,
    /// A floating-point value (this decides the place of a variadic argument).
    pub float: bool,
}

/// The details of a [`Inst::Switch`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Switch {
    /// The value that decides.
    pub value: Operand,
    /// Its width in bits.
    pub width: u32,
    /// Constants (at most 64 bits), ascending and distinct, and where they lead.
    pub cases: Vec<(u64, Pc)>,
    /// Where everything else leads.
    pub default: Pc,
}

/// An instruction. Widths are in bits, sizes in bytes.
#[allow(missing_docs)]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Inst {
    /// Copies; reading an undefined source gives the destination (and a source register) one
    /// and the same arbitrary value of `width` bits.
    Move {
        dst: Reg,
        src: Operand,
        width: u32,
    },
    /// Marks a promoted local variable as not yet written.
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
    /// `dst` = the high (`left`) or low half of `a:b` shifted by `by` modulo the width.
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
    /// A new stack object of `count * size` bytes; it lives until the function returns.
    Alloca {
        dst: Reg,
        /// What its address is a multiple of, in bytes.
        alignment: u32,
        size: u64,
        count: Operand,
    },
    /// Reads `width` bits from `ceil(width / 8)` bytes, little-endian.
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
    /// An [`Inst::Address`] and the [`Inst::Load`] from it.
    LoadIndexed {
        width: u32,
        dst: Reg,
        at: Indexed,
    },
    /// An [`Inst::Address`] and the [`Inst::Store`] to it.
    StoreIndexed {
        width: u32,
        value: Operand,
        at: Indexed,
    },
    /// `dst = base + offset + sum of terms`, 64 bits.
    Address {
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: Box<[AddressTerm]>,
    },
    /// memcpy or memmove (same thing here); `length` is 64 bits.
    Copy {
        to: Operand,
        from: Operand,
        length: Operand,
    },
    /// memset; `value` is 8 bits, `length` 64.
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
    /// Undefined behaviour when reached.
    Unreachable,
    /// `llvm.trap`, or `llvm.ubsantrap` with the number of the check that failed.
    Trap {
        check: Option<u8>,
    },
    /// `llvm.assume` of a 1-bit value (undefined behaviour where it is false).
    Assume {
        condition: Operand,
    },
    /// What could not be lowered; running it ends the state. The text names the LLVM instruction.
    Unsupported {
        what: Box<str>,
    },
}
