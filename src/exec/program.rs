//! A program that is ready to run.

use std::{collections::HashMap, sync::OnceLock};

use super::{
    asking::{Asking, FAR},
    flow::Flows,
    names::ASKING,
};
use crate::{
    env::{call::Model, models::Models},
    expr::{ExprId, Exprs, VariableId},
    ir::{CHOOSER, Call, Callee, Constant, Function, FunctionId, Inst, Module},
    memory::Value,
    subject::config::Uninitialised,
};

/// A program to run, which all workers share.
pub struct Program {
    /// The code.
    pub module: Module,
    /// The expressions.
    pub exprs: Exprs,
    /// The revision as a variable.
    pub revision: VariableId,
    /// The revision as an expression.
    pub revision_expr: ExprId,
    /// By function, [`Frame::values`](super::Frame::values) when it starts.
    pub frames: Vec<Box<[Value]>>,
    /// By function, whether it is a chooser: a meta program asks for the arm of a meta branch by
    /// it, and what it returns depends on the revision alone.
    pub(super) choosers: Box<[bool]>,
    /// Models of the functions that have no code, or that run in place of their code.
    pub models: HashMap<FunctionId, Model>,
    /// Models that run before the code of a libc function, or in its place if they give a result.
    pub preparations: HashMap<FunctionId, Model>,
    /// The native addresses of functions, if the programs of all revisions agree on them. Nothing
    /// is known about the others.
    pub native_addresses: HashMap<FunctionId, u64>,
    /// What becomes of a decision on memory that was never written.
    pub uninitialised: Uninitialised,
    /// Where the revision can still matter; computed when it is first needed.
    pub(super) asking: OnceLock<Asking>,
    /// Whether states to which the revision cannot matter any more end.
    pub ends_unaffected: bool,
    /// The control flow of functions.
    pub flows: Flows,
    /// Whether revisions that parted become one state again.
    pub rejoins: bool,
}

impl Program {
    /// A program made of a module: constants converted, models looked up.
    pub fn new(mut module: Module, models: &Models) -> Self {
        let exprs = Exprs::new();
        let frames = module.functions.iter().map(|f| frame_values(&exprs, f)).collect();
        let (mut modelled, mut preparations) = (HashMap::new(), HashMap::new());
        for (id, function) in (0u32..).zip(&mut module.functions) {
            let model = if function.code.is_empty() {
                models.lookup(&function.name)
            } else {
                // A function that calls nothing asks for no revision: no patch has changed it.
                let calls = function.code.iter().any(|inst| matches!(inst, Inst::Call(_)));
                models.instead_of(&function.name, function.library, !calls)
            };
            if let Some(model) = model {
                function.code = Vec::new();
                modelled.insert(FunctionId(id), model);
            } else if let Some(model) =
                models.preparation(&function.name).filter(|_| function.library)
            {
                preparations.insert(FunctionId(id), model);
            }
        }
        let choosers = module.functions.iter().map(|f| is_chooser(&module, f)).collect();
        let revision_expr = exprs.revision();
        let revision = exprs.as_variable(revision_expr).expect("it is a variable");
        Self {
            module,
            exprs,
            revision,
            revision_expr,
            frames,
            choosers,
            models: modelled,
            preparations,
            native_addresses: HashMap::new(),
            uninitialised: Uninitialised::default(),
            asking: OnceLock::new(),
            ends_unaffected: false,
            flows: Flows::default(),
            rejoins: false,
        }
    }

    /// From now on revisions that parted become one state again where they can.
    pub fn rejoin(&mut self) {
        self.rejoins = true;
    }

    /// From now on states to which the revision cannot matter any more end.
    pub fn end_what_is_unaffected(&mut self) {
        self.ends_unaffected = true;
    }

    /// Whether anything asks for the revision. Optimised code of all revisions may be the same.
    pub fn asks(&self) -> bool {
        self.asking().functions.iter().any(|distance| *distance != FAR)
    }

    /// Where the revision can still matter; computed when it is first needed.
    pub(super) fn asking(&self) -> &Asking {
        self.asking.get_or_init(|| Asking::of(&self.module))
    }
}

/// Whether `function` is a chooser: a meta program asks for the arm of a meta branch by it, and it
/// does nothing but ask for the revision. So what it returns depends on nothing else.
fn is_chooser(module: &Module, function: &Function) -> bool {
    let is_quiet = |inst: &Inst| match inst {
        Inst::Call(call) => asks(module, call),
        Inst::Move { .. }
        | Inst::Binary { .. }
        | Inst::Cast { .. }
        | Inst::Compare { .. }
        | Inst::Jump { .. }
        | Inst::Branch { .. }
        | Inst::CompareBranch { .. }
        | Inst::Switch(_)
        | Inst::Return { .. } => true,
        _ => false,
    };
    let is_named = function.name.starts_with(CHOOSER) && function.params.is_empty();
    is_named && function.code.iter().all(is_quiet)
}

/// Whether a call asks for the revision.
pub(super) fn asks(module: &Module, call: &Call) -> bool {
    match call.callee {
        Callee::Direct(id) => ASKING.contains(&&*module.functions[id.0 as usize].name),
        Callee::Indirect(_) => false,
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
