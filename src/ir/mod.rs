//! The compact instruction set that the interpreter runs, lowered once from LLVM bitcode.
//!
//! Functions are flat: registers are numbered and mutable (no phi nodes: lowering puts
//! moves on the edges), constants live in a pool beside them, types are widths in bits,
//! address arithmetic is folded, aggregates and vectors are split into scalars. Addresses
//! of globals and functions are known at load time (see [`address`]).

pub mod address;
pub mod cache;
mod display;
pub mod lower;
mod verify;
mod visit;

pub use verify::{VerifyError, verify};

use serde::{Deserialize, Serialize};

use crate::expr::Bv;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        pub struct $name(pub u32);
    };
}

id!(/// Index into [`Module::functions`].
    FunctionId);
id!(/// Index into [`Module::globals`].
    GlobalId);
id!(/// Index of an instruction in [`Function::code`].
    Pc);
id!(/// A register of a function; parameters come first.
    Reg);
id!(/// Index into [`Module::files`].
    FileId);

/// A register or a constant, in 32 bits.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub struct Operand(u32);

/// What an [`Operand`] refers to.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum OperandKind {
    /// A register.
    Reg(Reg),
    /// An index into [`Function::constants`].
    Constant(u32),
}

impl Operand {
    const CONSTANT: u32 = 1 << 31;

    /// A register.
    pub fn reg(reg: Reg) -> Self {
        debug_assert!(reg.0 < Self::CONSTANT);
        Self(reg.0)
    }

    /// The constant of that index in [`Function::constants`].
    pub fn constant(index: u32) -> Self {
        debug_assert!(index < Self::CONSTANT);
        Self(index | Self::CONSTANT)
    }

    /// The index of either kind.
    #[inline(always)]
    pub fn index(self) -> usize {
        (self.0 & !Self::CONSTANT) as usize
    }

    /// What it refers to.
    #[inline(always)]
    pub fn kind(self) -> OperandKind {
        if self.0 & Self::CONSTANT == 0 {
            OperandKind::Reg(Reg(self.0))
        } else {
            OperandKind::Constant(self.0 & !Self::CONSTANT)
        }
    }
}

/// A constant operand.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
pub enum Constant {
    /// At most 64 bits, zero-extended.
    Int(u64),
    /// More than 64 bits.
    Wide(Bv),
    /// Undefined or poison.
    Undefined,
}

/// A whole program.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Module {
    /// All functions, declarations too.
    pub functions: Vec<Function>,
    /// All global variables, declarations too.
    pub globals: Vec<Global>,
    /// Functions to run before the entry, in this order.
    pub constructors: Vec<FunctionId>,
    /// Functions to run after the end of the program, the last one first.
    pub destructors: Vec<FunctionId>,
    /// Source files that [`Place`] refers to, as the debug information names them.
    pub files: Vec<String>,
}

impl Module {
    /// The function of that symbol; a linear search.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let at = self.functions.iter().position(|function| function.name == name)?;
        Some(FunctionId(at as u32))
    }

    /// The global variable of that symbol; a linear search.
    pub fn global(&self, name: &str) -> Option<GlobalId> {
        let at = self.globals.iter().position(|global| global.name == name)?;
        Some(GlobalId(at as u32))
    }
}

/// A function; one without code is a declaration that the environment has to model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Function {
    /// Its symbol.
    pub name: String,
    /// Where it is defined, when the module has debug information.
    pub place: Option<Place>,
    /// Widths in bits of the fixed parameters; parameter i arrives in register i.
    pub params: Vec<u32>,
    /// Widths in bits of the returned scalars (none for void, several for a struct).
    pub returns: Vec<u32>,
    /// Takes further arguments.
    pub variadic: bool,
    /// Belongs to the C library, whose results do not depend on where objects are, though the
    /// way to them may (it copies aligned words at once).
    pub library: bool,
    /// Number of registers.
    pub registers: u32,
    /// Pool of [`OperandKind::Constant`].
    pub constants: Vec<Constant>,
    /// The instructions; execution starts at 0. Empty for a declaration.
    pub code: Vec<Inst>,
    /// Source places, one an instruction.
    pub places: Vec<Place>,
    /// How many LLVM instructions the code before each instruction stands for; one longer than
    /// `code`.
    pub counts: Vec<u32>,
}

/// A line of source; line 0 is unknown.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
}

/// A global variable.
#[derive(Debug, Deserialize, Serialize)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// Initial content, addresses of other globals and functions filled in.
    pub bytes: Vec<u8>,
    /// What its address is a multiple of, in bytes.
    pub alignment: u32,
    /// May not be written.
    pub constant: bool,
    /// Defined elsewhere, or with an initial content that depends on where a program is loaded
    /// (`bytes` is as long as the declared type, and means nothing).
    pub external: bool,
}

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
