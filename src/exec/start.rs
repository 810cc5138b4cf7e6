//! The first state: globals in memory, `main` about to run.

use std::{collections::HashMap, sync::Arc};

use super::{Branch, Frame, Program, State};
use crate::{
    env::{InputObject, World, models, stdin::Stdin, stream::Stream, world::StandardFiles},
    expr::{Assignment, ExprId, Exprs, Rounding},
    ir::{
        Constant, Function, FunctionId, GlobalId, Module, Operand, OperandKind,
        address::{function_address, global_address, object_number},
    },
    memory::{Byte, Memory, Object, Segment, Value},
    subject::RevisionSet,
};

/// Why a program cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The entry is missing.
    #[error("the program defines no function `{name}`; it defines {known}")]
    NoEntry {
        /// The function asked for.
        name: String,
        /// Some that there are.
        known: String,
    },
    /// The entry takes parameters that nobody provides.
    #[error("`{name}` takes {count} parameters; only `main` may (argc, argv, envp)")]
    Parameters {
        /// The function asked for.
        name: String,
        /// How many it takes.
        count: usize,
    },
}

/// What the first state is made of.
#[derive(Clone, Debug)]
pub struct Start {
    /// The function to run.
    pub entry: String,
    /// The revisions to run.
    pub revisions: RevisionSet,
    /// Arguments of `main`, its name first.
    pub args: Vec<Argument>,
    /// Standard input.
    pub stdin: Stdin,
}

/// One argument of `main`.
#[derive(Clone, Debug)]
pub enum Argument {
    /// This text.
    Text(Vec<u8>),
    /// Any bytes, at most so many before the NUL.
    Symbolic(u32),
}

impl Program {
    /// A program made of a module: constants converted, models looked up.
    pub fn new(mut module: Module) -> Self {
        let exprs = Exprs::new();
        let frames = module.functions.iter().map(|f| frame_values(&exprs, f)).collect();
        module.functions.iter_mut().for_each(put_constants_behind_registers);
        let models: HashMap<_, _> = (0u32..)
            .zip(&module.functions)
            .filter(|(_, function)| function.code.is_empty())
            .filter_map(|(id, function)| Some((FunctionId(id), models::lookup(&function.name)?)))
            .collect();
        let revision_expr = exprs.revision();
        let revision = exprs.as_variable(revision_expr).expect("it is a variable");
        Self { module, exprs, revision, revision_expr, frames, models }
    }

    /// The first state of the program.
    pub fn start(&self, start: Start) -> Result<State, StartError> {
        let entry = self
            .module
            .function(&start.entry)
            .filter(|id| !self.module.functions[id.0 as usize].code.is_empty())
            .ok_or_else(|| StartError::NoEntry {
                name: start.entry.clone(),
                known: self.defined_names(),
            })?;
        let function = &self.module.functions[entry.0 as usize];
        let mut memory = Memory::with_reserved(self.module.globals.len() as u32);
        let files = StandardFiles {
            stdin: memory.allocate(Object::zeroed(Segment::Static, 1)),
            stdout: memory.allocate(Object::zeroed(Segment::Static, 1)),
            stderr: memory.allocate(Object::zeroed(Segment::Static, 1)),
        };
        let errno = memory.allocate(Object::zeroed(Segment::Static, 4));
        for (id, global) in (0u32..).zip(&self.module.globals) {
            let number = object_number(global_address(GlobalId(id)));
            let mut object =
                Object::filled(Segment::Static, global.bytes.clone()).aligned(global.alignment);
            object.constant = global.constant && !global.external;
            if global.external {
                let file = match global.name.as_str() {
                    "stdin" => Some(files.stdin),
                    "stdout" => Some(files.stdout),
                    "stderr" => Some(files.stderr),
                    _ => None,
                };
                match file {
                    Some(file) if object.size() >= 8 => {
                        object.write(&self.exprs, 0, &file.to_le_bytes());
                    }
                    _ => {
                        memory.place_external(number);
                        continue;
                    }
                }
            }
            memory.place(number, object);
        }
        let mut world = World {
            stdin: start.stdin,
            stdout: Stream::default(),
            stderr: Stream::default(),
            outputs: Arc::default(),
            objects: Arc::default(),
            files,
            errno,
            rounding: Rounding::NearestEven,
            at_exit: self.module.destructors.iter().copied().map(function_address).collect(),
            approximations: Vec::new(),
        };
        let mut values = self.frames[entry.0 as usize].to_vec();
        if !function.params.is_empty() {
            if start.entry != "main" {
                return Err(StartError::Parameters {
                    name: start.entry,
                    count: function.params.len(),
                });
            }
            let (argv, envp) = arguments(&self.exprs, &mut memory, &mut world, &start.args);
            let given = [start.args.len() as u64, argv, envp];
            for (register, value) in values.iter_mut().zip(given).take(function.params.len()) {
                *register = Value::Int(value);
            }
        }
        let frame = |function, values| Frame {
            function,
            pc: Frame::NOT_STARTED,
            values,
            ..Frame::default()
        };
        // The entry below, and above it the constructors, the first one on top.
        let mut frames = vec![frame(entry, values)];
        for constructor in self.module.constructors.iter().rev() {
            frames.push(frame(*constructor, self.frames[constructor.0 as usize].to_vec()));
        }
        let mut top = frames.pop().expect("the entry at least");
        top.pc = 0;
        Ok(State {
            top,
            callers: frames.into_iter().map(Arc::new).collect(),
            memory,
            world,
            path: Vec::new(),
            model: Arc::new(Assignment::default()),
            revisions: start.revisions,
            branch: Branch::root(),
            instructions: 0,
            run_from: 0,
            uninitialised: 0,
            concretisations: Default::default(),
            exit: None,
            jumps: Vec::new(),
            loops: Default::default(),
        })
    }

    fn defined_names(&self) -> String {
        let names: Vec<&str> = self
            .module
            .functions
            .iter()
            .filter(|function| !function.code.is_empty())
            .map(|function| function.name.as_str())
            .take(10)
            .collect();
        if names.is_empty() { "none".into() } else { names.join(", ") }
    }
}

/// The values of a frame of `function`: its registers, undefined, and its constants.
fn frame_values(exprs: &Exprs, function: &Function) -> Box<[Value]> {
    let value = |constant: &Constant| match constant {
        Constant::Int(int) => Value::Int(*int),
        Constant::Wide(bv) => Value::from_expr(exprs, exprs.bv(bv)),
        Constant::Undefined => Value::Undefined,
    };
    let registers = (0..function.registers).map(|_| Value::Undefined);
    registers.chain(function.constants.iter().map(value)).collect()
}

/// Lets operands that are constants refer to where they stand in a frame.
fn put_constants_behind_registers(function: &mut Function) {
    for inst in &mut function.code {
        inst.reads_mut(|operand, _| {
            if let OperandKind::Constant(index) = operand.kind() {
                *operand = Operand::constant(function.registers + index);
            }
        });
    }
}

/// Lays out `argv` and an empty `envp`; symbolic arguments are the objects `arg00`, `arg01`
/// and so on, as KLEE names them.
fn arguments(
    exprs: &Exprs,
    memory: &mut Memory,
    world: &mut World,
    args: &[Argument],
) -> (u64, u64) {
    let mut pointers = Vec::new();
    let mut symbolic = 0;
    for arg in args {
        let object = match arg {
            Argument::Text(text) => {
                Object::filled(Segment::Static, [text.as_slice(), &[0]].concat())
            }
            Argument::Symbolic(size) => {
                let name = format!("arg{symbolic:02}");
                symbolic += 1;
                let mut object = Object::zeroed(Segment::Static, *size as usize + 1);
                let bytes: Vec<ExprId> =
                    (0..*size).map(|i| exprs.input(&format!("{name}[{i}]"), 8)).collect();
                for (index, byte) in bytes.iter().enumerate() {
                    object.set_byte(exprs, index, Byte::Symbolic(*byte));
                }
                Arc::make_mut(&mut world.objects).push(InputObject { name, bytes });
                object
            }
        };
        pointers.push(memory.allocate(object));
    }
    let table = |pointers: &[u64]| {
        let bytes: Vec<u8> =
            pointers.iter().chain(&[0]).flat_map(|pointer| pointer.to_le_bytes()).collect();
        Object::filled(Segment::Static, bytes)
    };
    let argv = memory.allocate(table(&pointers));
    let envp = memory.allocate(table(&[]));
    (argv, envp)
}
