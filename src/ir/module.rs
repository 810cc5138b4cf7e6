//! A lowered program ([`Module`]): its functions and global variables.

use serde::{Deserialize, Serialize};

use super::inst::Inst;
use super::operand::{Constant, FileId, FunctionId, GlobalId};

/// The prefix of the functions through which a meta program asks for the arm of a site (see
/// [`crate::merge`]).
pub const CHOOSER: &str = "psychic_at_";

/// A whole lowered program.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Module {
    /// All functions, including declarations.
    pub functions: Vec<Function>,
    /// All global variables, including declarations.
    pub globals: Vec<Global>,
    /// The functions to run before the entry, in this order.
    pub constructors: Vec<FunctionId>,
    /// The functions to run after the end of the program, the last one first.
    pub destructors: Vec<FunctionId>,
    /// The source files to which [`SourceLine`] refers, as the debug information names them.
    pub files: Vec<String>,
}

impl Module {
    /// The function with this symbol, found by a linear search.
    pub fn function(&self, name: &str) -> Option<FunctionId> {
        let at = self.functions.iter().position(|function| function.name == name)?;
        Some(FunctionId(at as u32))
    }

    /// The global variable with this symbol, found by a linear search.
    pub fn global(&self, name: &str) -> Option<GlobalId> {
        let at = self.globals.iter().position(|global| global.name == name)?;
        Some(GlobalId(at as u32))
    }
}

/// A function. One without code is a declaration that the environment must model.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Function {
    /// The symbol of the function.
    pub name: String,
    /// The place of the definition, if the module has debug information.
    pub place: Option<SourceLine>,
    /// The widths in bits of the fixed parameters; parameter i arrives in register i.
    pub params: Vec<u32>,
    /// The widths in bits of the returned scalars (none for `void`, several for a struct).
    pub returns: Vec<u32>,
    /// Whether the function takes further arguments.
    pub variadic: bool,
    /// Whether the function belongs to the C library. The results of such a function do not depend
    /// on the addresses of objects, although its path may (it copies aligned words at once).
    pub library: bool,
    /// The number of registers.
    pub registers: u32,
    /// The constants to which operands refer.
    pub constants: Vec<Constant>,
    /// The instructions; execution starts at 0. Empty for a declaration.
    pub code: Vec<Inst>,
    /// The source place of each instruction.
    pub places: Vec<SourceLine>,
    /// For each instruction, the number of LLVM instructions that the code before it stands for.
    /// One more entry at the end has the number for all code.
    pub counts: Vec<u32>,
}

impl Function {
    /// The constant at `index` of a frame; `None` if there is a register or nothing.
    pub fn constant(&self, index: u32) -> Option<&Constant> {
        self.constants.get(index.checked_sub(self.registers)? as usize)
    }
}

/// A line of source; line 0 is unknown.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct SourceLine {
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
}

/// A global variable.
#[derive(Debug, Deserialize, Serialize)]
pub struct Global {
    /// The symbol of the variable.
    pub name: String,
    /// The initial content, including the addresses of other globals and functions.
    pub bytes: Vec<u8>,
    /// The address of the variable is a multiple of this many bytes.
    pub alignment: u32,
    /// Whether the variable may not be written.
    pub constant: bool,
    /// Whether the variable is defined elsewhere, or its initial content depends on where the
    /// program is loaded. Then `bytes` has the length of the declared type, but its content is
    /// meaningless.
    pub external: bool,
}
