//! The public interface of the arena of expressions.

use std::{
    fmt,
    sync::{Mutex, PoisonError},
};

use rustc_hash::FxHashMap;

use super::{
    arena,
    bv::Bv,
    fold,
    id::{ExprId, Mentions, TableId, VariableId, VariableKind},
    node::Node,
};

/// The arena of expressions. All workers share it, and it never shrinks.
#[derive(Default)]
pub struct Exprs {
    pub(super) arena: arena::Arena,
    /// The arguments of each function application, by the name of the variable that stands for its
    /// value.
    applications: Mutex<FxHashMap<String, Vec<ExprId>>>,
}

/// The name of the variable of kind [`VariableKind::Revision`].
pub const REVISION: &str = "psychic_revision";

impl Exprs {
    /// The value of an uninterpreted function, `width` bits wide: the same variable for equal
    /// arguments. The arguments' hashes make up the variable's name. `None` in the unlikely case
    /// that this name already belongs to other arguments.
    pub fn application(&self, function: &str, width: u32, arguments: &[ExprId]) -> Option<ExprId> {
        let digits = arguments.iter().map(|e| format!("{:016x}", self.structural_hash(*e)));
        let name = format!("{function}({})", digits.collect::<Vec<_>>().join(","));
        let mut known = self.applications.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = known.entry(name.clone()).or_insert_with(|| arguments.to_vec()) == arguments;
        is_same.then(|| self.variable(&name, width, VariableKind::Function))
    }

    /// An empty arena.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of distinct nodes.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether no node exists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `value` cut to `width` bits (zero-extended above 64).
    pub fn constant(&self, width: u32, value: u64) -> ExprId {
        if (1..=64).contains(&width) {
            self.arena.intern(Node::Constant(value & fold::mask(width)), width)
        } else {
            self.bv(&Bv::new(width, value))
        }
    }

    /// The constant `value`.
    pub fn bv(&self, value: &Bv) -> ExprId {
        self.arena.intern_constant(value)
    }

    /// The constant truth value `value`, 1 bit wide.
    pub fn bool(&self, value: bool) -> ExprId {
        self.constant(1, u64::from(value))
    }

    /// The variable called `name`; a second call returns the same one.
    ///
    /// # Panics
    /// If it exists with another width or kind.
    pub fn variable(&self, name: &str, width: u32, kind: VariableKind) -> ExprId {
        self.arena.intern_variable(name, width, kind)
    }

    /// The variable called `name` of kind [`VariableKind::Input`]; see [`Exprs::variable`].
    pub fn input(&self, name: &str, width: u32) -> ExprId {
        self.variable(name, width, VariableKind::Input)
    }

    /// The variable called `name` of kind [`VariableKind::Uninitialised`]; see
    /// [`Exprs::variable`].
    pub fn uninitialised(&self, name: &str, width: u32) -> ExprId {
        self.variable(name, width, VariableKind::Uninitialised)
    }

    /// The variable [`REVISION`], whose value is the running revision.
    pub fn revision(&self) -> ExprId {
        self.variable(REVISION, 32, VariableKind::Revision)
    }

    /// The variable called `name`, if there is one.
    pub fn variable_id(&self, name: &str) -> Option<VariableId> {
        self.arena.variable_named(name).map(|(id, _)| id)
    }

    /// The expression that is the variable `v`.
    pub fn variable_expr(&self, v: VariableId) -> ExprId {
        self.arena.intern(Node::Variable(v), self.variable_width(v))
    }

    /// The name of a variable.
    pub fn variable_name(&self, v: VariableId) -> &str {
        &self.arena.variable(v).name
    }

    /// The width of a variable in bits.
    pub fn variable_width(&self, v: VariableId) -> u32 {
        self.arena.variable(v).width
    }

    /// What a variable stands for.
    pub fn variable_kind(&self, v: VariableId) -> VariableKind {
        self.arena.variable(v).kind
    }

    /// The variable that `e` is, if it is a variable.
    pub fn as_variable(&self, e: ExprId) -> Option<VariableId> {
        match self.node(e) {
            Node::Variable(v) => Some(v),
            _ => None,
        }
    }

    /// The table of these elements.
    ///
    /// # Panics
    /// If there are no elements, or if they differ in width.
    pub fn table(&self, elements: &[ExprId]) -> TableId {
        self.arena.intern_table(elements)
    }

    /// The elements of a table.
    pub fn table_elements(&self, table: TableId) -> &[ExprId] {
        &self.arena.table(table).elements
    }

    /// The node of `e`.
    pub fn node(&self, e: ExprId) -> Node {
        self.arena.entry(e).node
    }

    /// The width of `e` in bits.
    pub fn width(&self, e: ExprId) -> u32 {
        self.arena.entry(e).width
    }

    /// The constant that `e` is, if it is one.
    pub fn as_bv(&self, e: ExprId) -> Option<Bv> {
        let entry = self.arena.entry(e);
        match entry.node {
            Node::Constant(value) => Some(Bv::new(entry.width, value)),
            Node::WideConstant(id) => Some(self.arena.wide(id).clone()),
            _ => None,
        }
    }

    /// The constant that `e` is, if it is one of at most 64 bits.
    pub fn as_u64(&self, e: ExprId) -> Option<u64> {
        match self.node(e) {
            Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// Whether `e` is the constant 1 of width 1.
    pub fn is_true(&self, e: ExprId) -> bool {
        self.width(e) == 1 && self.as_u64(e) == Some(1)
    }

    /// Whether `e` is the constant 0 of width 1.
    pub fn is_false(&self, e: ExprId) -> bool {
        self.width(e) == 1 && self.as_u64(e) == Some(0)
    }

    /// The kinds of variables that `e` mentions.
    pub fn mentions(&self, e: ExprId) -> Mentions {
        self.arena.entry(e).mentions
    }

    /// A hash of the structure of `e` that does not depend on ids, threads or runs.
    pub fn structural_hash(&self, e: ExprId) -> u64 {
        self.arena.entry(e).hash
    }
}

impl fmt::Debug for Exprs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exprs").field("len", &self.len()).finish()
    }
}
