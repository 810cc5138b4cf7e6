//! The first states: globals in memory, the entry about to run.

use std::{collections::BTreeSet, sync::Arc};

use super::{
    ForkKind, Frame, Lineage, Program, State,
    input::{self, Arguments, Beginning, InputFile, Variable},
    names::WHOLE_PROGRAM,
    stack::Callers,
    state::Claim,
    times,
    words::Words,
};
use crate::{
    env::{
        Approximation, World,
        libc::{stdin::Stdin, stream::Stream},
        world::{Exceptions, StandardFiles},
    },
    expr::{Assignment, Rounding, float::EXCEPTIONS},
    ir::{
        Function, FunctionId, Global, GlobalId,
        address::{function_address, global_address, object_number},
    },
    memory::{Memory, Object, Segment, Value, value::truncate},
    subject::{RevisionSet, Times},
};

/// Why a program cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The entry is missing.
    #[error("the program defines no function `{name}`; it defines {known}")]
    NoEntry {
        /// The function asked for.
        name: String,
        /// Some of the functions that it does define.
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
    /// The command line, the program's name first.
    pub args: Vec<Arguments>,
    /// The environment, in its order.
    pub env: Vec<Variable>,
    /// Standard input.
    pub stdin: Stdin,
    /// The files that the program finds.
    pub files: Vec<InputFile>,
    /// When a whole program starts, and how old its files are then.
    pub times: Times,
}

impl Program {
    /// The first states of the program: one for each way in which a run may begin, by the number of
    /// its arguments, the choice of their texts, and its environment variables.
    ///
    /// # Errors
    /// when the entry cannot be run.
    pub fn start(&self, start: Start) -> Result<Vec<State>, StartError> {
        self.begin(start, None)
    }

    /// The first states of the program (see [`Program::start`]); with `given`, those that follow
    /// only this input.
    pub(super) fn begin(
        &self,
        start: Start,
        given: Option<Arc<Assignment>>,
    ) -> Result<Vec<State>, StartError> {
        let entry = self
            .module
            .function(&start.entry)
            .filter(|id| !self.module.functions[id.0 as usize].code.is_empty())
            .ok_or_else(|| StartError::NoEntry {
                name: start.entry.clone(),
                known: self.defined_names(),
            })?;
        let function = &self.module.functions[entry.0 as usize];
        let whole = start.entry == WHOLE_PROGRAM;
        if !function.params.is_empty() && !whole && start.entry != "main" {
            return Err(StartError::Parameters { name: start.entry, count: function.params.len() });
        }
        let mut memory = Memory::with_reserved(self.module.globals.len() as u32);
        let stdin = match (&given, start.stdin) {
            (Some(given), Stdin::Bytes(input)) => Stdin::bytes(input.known(&self.exprs, given)),
            (_, stdin) => stdin,
        };
        let mut world = self.globals(&mut memory, stdin);
        (world.is_whole, world.given) = (whole, given);
        if whole && !self.module.destructors.is_empty() {
            world.approximate(Approximation::Destructors);
        }
        input::add_files(&self.exprs, &mut world, &start.files);
        let (bounds, least) = times::place(&self.exprs, &mut world, &start.times);
        let beginnings = input::beginnings(&start.args, &start.env);
        let root = Lineage::root();
        let only = beginnings.len() == 1;
        let state = |(index, beginning): (u32, Beginning)| {
            let (mut memory, mut world) = (memory.clone(), world.clone());
            let exprs = &self.exprs;
            let (mut path, mut model) = beginning.conditions(exprs, &mut world);
            path.extend(&bounds);
            model.0.extend(least.0.iter().map(|(variable, value)| (*variable, value.clone())));
            let Beginning { line, environment, .. } = beginning;
            let args = input::place_arguments(exprs, &mut memory, &mut world, line);
            let variables = input::place_variables(exprs, &mut memory, &mut world, &environment);
            let mut values = self.frames[entry.0 as usize].to_vec();
            let given = if whole {
                vec![input::initial_stack(&mut memory, &args, &variables)]
            } else {
                let argv = input::table(&mut memory, &args);
                let envp = input::table(&mut memory, &variables);
                self.set_environment(&mut memory, envp);
                vec![args.len() as u64, argv, envp]
            };
            for (register, value) in values.iter_mut().zip(&given).take(function.params.len()) {
                *register = Value::Int(*value);
            }
            let lineage = if only { root.clone() } else { root.child(ForkKind::Input, index) };
            // Of the libcs, only the system's passes this on to constructors.
            let passed = if whole { &[][..] } else { &given[..] };
            let mut state = self.first_state((entry, values), passed, memory, world, lineage);
            state.revisions = start.revisions.clone();
            (state.path_condition, state.model) = (path, Arc::new(model));
            state
        };
        Ok((0..).zip(beginnings).map(state).collect())
    }

    /// Lets `environ` point to the variables, as a libc does when it starts.
    fn set_environment(&self, memory: &mut Memory, envp: u64) {
        let is_it = |global: &Global| global.name == "__environ" && !global.external;
        let index = self.module.globals.iter().position(is_it);
        let environ = index.map(|index| global_address(GlobalId(index as u32)));
        if let Some(Ok(environ)) = environ.map(|address| memory.object_mut(address)) {
            environ.write(&self.exprs, 0, &envp.to_le_bytes());
        }
    }

    /// Puts the global variables into memory; returns the world that they refer to.
    fn globals(&self, memory: &mut Memory, stdin: Stdin) -> World {
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
                        object.constant = true;
                    }
                    _ => {
                        memory.place_external(number);
                        continue;
                    }
                }
            }
            if memory.has_odd_addresses(&object) {
                object.set_irregular();
            }
            memory.place(number, object);
        }
        World {
            given: None,
            stdin,
            stdout: Stream::default(),
            stderr: Stream::default(),
            outputs: Arc::default(),
            objects: Arc::default(),
            arguments: Arc::default(),
            files,
            kernel: Arc::default(),
            errno,
            is_whole: false,
            rounding: Rounding::NearestEven,
            exceptions: self.watched_exceptions(),
            at_exit: self.module.destructors.iter().copied().map(function_address).collect(),
            findings: BTreeSet::new(),
            approximations: Vec::new(),
        }
    }

    /// The record of floating-point exceptions, none of which is raised yet, if the program ever
    /// asks for them.
    fn watched_exceptions(&self) -> Option<Exceptions> {
        let asks = |function: &Function| {
            matches!(function.name.as_str(), "fetestexcept" | "fegetexceptflag")
        };
        let raised = [self.exprs.bool(false); EXCEPTIONS];
        let asked = self.module.functions.iter().any(asks);
        asked.then_some(Exceptions { raised, unknown: None })
    }

    fn first_state(
        &self,
        (entry, values): (FunctionId, Vec<Value>),
        passed: &[u64],
        memory: Memory,
        world: World,
        lineage: Arc<Lineage>,
    ) -> State {
        let frame = |function, values| Frame {
            function,
            pc: Frame::NOT_STARTED,
            values,
            ..Frame::default()
        };
        // The entry lies at the bottom, and above it the constructors, the first one on top.
        let mut frames = vec![frame(entry, values)];
        for constructor in self.module.constructors.iter().rev() {
            let mut values = self.frames[constructor.0 as usize].to_vec();
            let params = &self.module.functions[constructor.0 as usize].params;
            for ((register, value), width) in values.iter_mut().zip(passed).zip(params) {
                *register = Value::Int(truncate(*value, *width));
            }
            frames.push(frame(*constructor, values));
        }
        let mut top = frames.pop().expect("the entry at least");
        top.pc = 0;
        let mut callers = Callers::default();
        callers.extend(frames);
        State {
            top,
            callers,
            memory,
            world,
            apart: Vec::new(),
            path_condition: Vec::new(),
            words: Words::default(),
            model: Arc::new(Assignment::default()),
            revisions: RevisionSet::new(),
            lineage,
            instructions: 0,
            put_off_at: 0,
            waits: 0,
            waited_at: 0,
            run_from: 0,
            branches: 0,
            undefined: 0,
            seen: Arc::default(),
            concretisations: Default::default(),
            exit: None,
            jumps: Vec::new(),
            asked: false,
            claim: Claim::None,
            differs: None,
            joins: Vec::new(),
            loops: Default::default(),
            lockstep: None,
        }
    }

    /// The function that a run begins with: that of a program with its libc, or `main`.
    pub fn entry(&self) -> &'static str {
        if self.module.function(WHOLE_PROGRAM).is_some() { WHOLE_PROGRAM } else { "main" }
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
