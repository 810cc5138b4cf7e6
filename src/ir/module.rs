//! A program: its functions and global variables.

use serde::{Deserialize, Serialize};

use super::inst::Inst;
use super::operand::{Constant, FileId, FunctionId, GlobalId};

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
    /// The constants that operands refer to.
    pub constants: Vec<Constant>,
    /// The instructions; execution starts at 0. Empty for a declaration.
    pub code: Vec<Inst>,
    /// Source places, one an instruction.
    pub places: Vec<Place>,
    /// How many LLVM instructions the code before each instruction stands for; one longer than
    /// `code`.
    pub counts: Vec<u32>,
}

impl Function {
    /// The constant that stands at `index` of a frame; `None` for a register or what is behind the
    /// constants.
    pub fn constant(&self, index: u32) -> Option<&Constant> {
        self.constants.get(index.checked_sub(self.registers)? as usize)
    }
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
