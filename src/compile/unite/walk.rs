//! One side of a comparison: runs a function on symbolic values up to its next event.
//!
//! Everything that has an effect or may end the program (memory, calls, divisions, forks) is an
//! *event*, in program order. Everything else is an expression over the results of events. The
//! revision is a number, so branches on it are no events: only the way that the revision takes is
//! walked.

use std::{collections::BTreeMap, rc::Rc};

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::node::{Id, Node, Nodes, Side};
use crate::llvm::{Block, Opcode, TypeKind, Value};

/// Two functions could not be shown to be the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct Different;

/// The next thing that a function does.
pub(super) enum Stop<'m> {
    /// An event with these operands, which may have a result.
    Event { shape: String, operands: SmallVec<[Id; 4]>, instruction: Value<'m> },
    /// A branch to the first block if the condition holds, else to the second.
    Branch { condition: Id, to: [Block<'m>; 2] },
    /// A switch to the block of the case that equals `value`, or else to `otherwise`.
    Switch { value: Id, cases: Vec<(Id, Block<'m>)>, otherwise: Block<'m> },
    /// The function returns this value.
    Return(Option<Id>),
    /// The function comes to an `unreachable` instruction.
    Unreachable,
    /// The function runs forever without an event: it comes to a place again with the same values.
    Endless,
}

/// The greatest number of steps without an event. A function that takes more is not considered the
/// same as any other.
const STEPS: u32 = 10_000;
/// Variables of this many bytes may make the stack overflow, even if nothing refers to them.
const LARGE: u64 = 1 << 16;
/// Prefix of the functions by which a meta program finds the arm of a site.
const CHOOSER: &str = "psychic_at_";
const REVISION: [&str; 2] = ["psychic_rev", "__klee_meta"];

/// What is known about the functions of a program before they are walked.
#[derive(Default)]
pub(super) struct Facts<'m> {
    functions: FxHashMap<usize, Rc<Function<'m>>>,
    choices: FxHashMap<(usize, u32), Option<u64>>,
}

/// What is known about a function before it is walked.
pub(super) struct Function<'m> {
    entry: Block<'m>,
    blocks: FxHashMap<usize, Vec<Value<'m>>>,
    /// For each block, the instructions of other blocks that are used in it or after it.
    live: FxHashMap<usize, FxHashSet<usize>>,
    /// The switches, by instruction.
    switches: FxHashMap<usize, Switch<'m>>,
    /// For each `phi`, its values by the blocks that they come from.
    incoming: FxHashMap<usize, FxHashMap<usize, Value<'m>>>,
    /// The first variable, if it only holds what is returned in the end. Clang makes such a
    /// variable in a function that returns in several places, which meta branches can cause. It
    /// also makes one, never read, in every `main`. If Clang made none, this may be a variable of
    /// the program. Functions that call one that may return twice have none: it may hold what was
    /// stored between these returns.
    result: Option<usize>,
    large: Vec<u64>,
}

/// Where a switch goes. It may have a case for each revision, and every walk takes only one of
/// them.
struct Switch<'m> {
    cases: Vec<(Value<'m>, Block<'m>)>,
    /// The cases of numbers of up to 64 bits.
    by_number: FxHashMap<u64, Block<'m>>,
    otherwise: Block<'m>,
}

impl<'m> Switch<'m> {
    fn new(switch: Value<'m>) -> Self {
        let cases = switch.cases();
        let is_narrow = switch.operand(0).ty().int_width() <= 64;
        let narrow = cases.iter().filter(|_| is_narrow);
        let by_number = narrow.map(|(case, to)| (case.int(), *to)).collect();
        Self { cases, by_number, otherwise: switch.successors()[0] }
    }
}

impl<'m> Facts<'m> {
    pub(super) fn function(&mut self, function: Value<'m>) -> Option<Rc<Function<'m>>> {
        if let Some(known) = self.functions.get(&function.key()) {
            return Some(known.clone());
        }
        let facts = Rc::new(Function::new(function)?);
        self.functions.insert(function.key(), facts.clone());
        Some(facts)
    }

    /// The number that a function without parameters returns in a revision, if the function does
    /// nothing else.
    fn choice(&mut self, function: Value<'m>, revision: u32) -> Option<u64> {
        let key = (function.key(), revision);
        if let Some(known) = self.choices.get(&key) {
            return *known;
        }
        // A function that calls itself has no such number.
        self.choices.insert(key, None);
        let facts = self.function(function)?;
        let mut nodes = Nodes::default();
        let mut cursor = Cursor::new(&mut nodes, Side::Meta, revision, facts, true);
        let number = match cursor.step(self, &mut nodes) {
            Ok(Stop::Return(Some(id))) => nodes.as_int(id).map(|(_, value)| value),
            _ => None,
        };
        self.choices.insert(key, number);
        number
    }
}

impl<'m> Function<'m> {
    /// The sizes of variables that may make the stack overflow, in order.
    pub(super) fn large(&self) -> &[u64] {
        &self.large
    }

    /// Whether there is a variable that may hold only the result.
    pub(super) fn has_result(&self) -> bool {
        self.result.is_some()
    }

    fn new(function: Value<'m>) -> Option<Self> {
        let mut blocks = FxHashMap::default();
        let (mut switches, mut incoming) = (FxHashMap::default(), FxHashMap::default());
        let (mut variable, mut large) = (None, Vec::new());
        for block in function.blocks() {
            let instructions: Vec<Value<'m>> = block.instructions().collect();
            let first = instructions.iter().find(|i| i.opcode() == Opcode::LLVMAlloca);
            variable = variable.or(first.copied());
            for instruction in &instructions {
                match instruction.opcode() {
                    Opcode::LLVMSwitch => {
                        switches.insert(instruction.key(), Switch::new(*instruction));
                    }
                    Opcode::LLVMAlloca => {
                        let size = instruction.allocated_type().least_size();
                        large.extend((size >= LARGE).then_some(size));
                    }
                    Opcode::LLVMPHI => {
                        let values = instruction.incoming().into_iter();
                        let values = values.map(|(value, from)| (from.key(), value));
                        incoming.insert(instruction.key(), values.collect());
                    }
                    _ => {}
                }
            }
            blocks.insert(block.key(), instructions);
        }
        let live = live(&blocks);
        let entry = function.blocks().next()?;
        let returns_twice = blocks.values().flatten().any(|instruction| {
            instruction.opcode() == Opcode::LLVMCall && instruction.may_return_twice()
        });
        let result = variable.filter(|variable| !returns_twice && is_result(*variable));
        let result = result.map(Value::key);
        large.sort_unstable();
        Some(Self { entry, blocks, live, switches, incoming, result, large })
    }
}

/// For each block, the instructions of other blocks that may be used in it or after it. An incoming
/// value of a `phi` is used at the end of the block that it comes from.
fn live(blocks: &FxHashMap<usize, Vec<Value<'_>>>) -> FxHashMap<usize, FxHashSet<usize>> {
    let mut before: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    let mut live: FxHashMap<usize, FxHashSet<usize>> = FxHashMap::default();
    // A value is live from its use back to its definition.
    let mut open: Vec<(usize, usize, usize)> = Vec::new();
    for (block, instructions) in blocks {
        live.entry(*block).or_default();
        for instruction in instructions {
            if instruction.opcode() == Opcode::LLVMPHI {
                for (value, from) in instruction.incoming() {
                    if value.is_instruction() {
                        open.push((from.key(), value.key(), value.parent().key()));
                    }
                }
                continue;
            }
            for operand in instruction.operands().filter(|operand| operand.is_instruction()) {
                open.push((*block, operand.key(), operand.parent().key()));
            }
        }
        for to in instructions.last().into_iter().flat_map(|last| last.successors()) {
            before.entry(to.key()).or_default().push(*block);
        }
    }
    while let Some((block, value, home)) = open.pop() {
        if block == home || !live.entry(block).or_default().insert(value) {
            continue;
        }
        for from in before.get(&block).into_iter().flatten() {
            open.push((*from, value, home));
        }
    }
    live
}

fn is_result(variable: Value<'_>) -> bool {
    variable.operand(0).is_constant()
        && variable.users().all(|user| match user.opcode() {
            Opcode::LLVMStore => {
                !user.is_volatile()
                    && user.operand(1).key() == variable.key()
                    && user.operand(0).key() != variable.key()
                    && user.operand(0).ty().shape() == variable.allocated_type().shape()
            }
            Opcode::LLVMLoad => {
                !user.is_volatile()
                    && user.ty().shape() == variable.allocated_type().shape()
                    && user.users().all(|end| {
                        end.opcode() == Opcode::LLVMRet && end.parent().key() == user.parent().key()
                    })
            }
            _ => false,
        })
}

/// A position in a function, with the values that are known there.
#[derive(Clone)]
pub(super) struct Cursor<'m> {
    side: Side,
    revision: u32,
    facts: Rc<Function<'m>>,
    /// The variable that holds the result: its stores and loads are no events.
    result: Option<usize>,
    block: Block<'m>,
    index: usize,
    values: BTreeMap<usize, Id>,
}

impl<'m> Cursor<'m> {
    /// Starts at the entry. `result` says whether a variable that may hold only the result is
    /// treated as such.
    pub(super) fn new(
        nodes: &mut Nodes,
        side: Side,
        revision: u32,
        facts: Rc<Function<'m>>,
        result: bool,
    ) -> Self {
        let (block, result) = (facts.entry, facts.result.filter(|_| result));
        let values = result.map(|result| (result, nodes.text("never stored"))).into_iter();
        Self { side, revision, facts, result, block, index: 0, values: values.collect() }
    }

    /// The position and all known values.
    pub(super) fn key(&self) -> (usize, usize, Vec<(usize, Id)>) {
        let values = self.values.iter().map(|(key, id)| (*key, *id)).collect();
        (self.block.key(), self.index, values)
    }

    pub(super) fn place(&self) -> (usize, usize) {
        (self.block.key(), self.index)
    }

    /// Records the result of an event. Values that depended on an earlier result of the same event
    /// are forgotten.
    pub(super) fn give(&mut self, nodes: &Nodes, instruction: Value<'m>, token: u32, id: Id) {
        self.values.retain(|_, value| !nodes.depends(*value, token));
        self.values.insert(instruction.key(), id);
    }

    /// Enters another block.
    pub(super) fn enter(&mut self, nodes: &mut Nodes, to: Block<'m>) -> Result<(), Different> {
        let mut new = Vec::new();
        for instruction in &self.facts.blocks[&to.key()] {
            if instruction.opcode() != Opcode::LLVMPHI {
                break;
            }
            let values = &self.facts.incoming[&instruction.key()];
            let value = values.get(&self.block.key()).ok_or(Different)?;
            // An unknown value matters only where it is used.
            if let Ok(id) = self.value(nodes, *value) {
                new.push((instruction.key(), id));
            }
        }
        let live = &self.facts.live[&to.key()];
        let result = self.result;
        self.values.retain(|key, _| live.contains(key) || result == Some(*key));
        for instruction in &self.facts.blocks[&to.key()] {
            self.values.remove(&instruction.key());
        }
        self.values.extend(new);
        (self.block, self.index) = (to, 0);
        Ok(())
    }

    /// Walks to the next event, branch or end, and past it.
    pub(super) fn step(
        &mut self,
        all: &mut Facts<'m>,
        nodes: &mut Nodes,
    ) -> Result<Stop<'m>, Different> {
        let mut past = None;
        for step in 0..STEPS {
            if past.as_ref().is_some_and(|(at, all)| *at == self.place() && *all == self.key()) {
                return Ok(Stop::Endless);
            }
            if step > 0 && step.is_power_of_two() {
                past = Some((self.place(), self.key()));
            }
            let facts = self.facts.clone();
            let instruction = facts.blocks[&self.block.key()][self.index];
            self.index += 1;
            if let Some(stop) = self.one(all, nodes, instruction)? {
                return Ok(stop);
            }
        }
        Err(Different)
    }

    fn one(
        &mut self,
        all: &mut Facts<'m>,
        nodes: &mut Nodes,
        instruction: Value<'m>,
    ) -> Result<Option<Stop<'m>>, Different> {
        let result = self.result;
        match instruction.opcode() {
            Opcode::LLVMPHI => return Ok(None),
            Opcode::LLVMAlloca if self.is_local(instruction) => return Ok(None),
            Opcode::LLVMStore if Some(instruction.operand(1).key()) == result => {
                let id = self.value(nodes, instruction.operand(0))?;
                self.values.insert(instruction.operand(1).key(), id);
                return Ok(None);
            }
            Opcode::LLVMLoad if Some(instruction.operand(0).key()) == result => {
                // A value that was forgotten is not known to be the same.
                let known = self.values.get(&instruction.operand(0).key()).copied();
                self.values.insert(instruction.key(), known.ok_or(Different)?);
                return Ok(None);
            }
            Opcode::LLVMBr => {
                let to = instruction.successors();
                let Some(condition) = instruction.condition() else {
                    self.enter(nodes, to[0])?;
                    return Ok(None);
                };
                let condition = self.value(nodes, condition)?;
                if let Some((_, value)) = nodes.as_int(condition) {
                    self.enter(nodes, to[usize::from(value == 0)])?;
                    return Ok(None);
                }
                return Ok(Some(match nodes.as_not(condition) {
                    Some(condition) => Stop::Branch { condition, to: [to[1], to[0]] },
                    None => Stop::Branch { condition, to: [to[0], to[1]] },
                }));
            }
            Opcode::LLVMSwitch => {
                let value = self.value(nodes, instruction.operand(0))?;
                let facts = self.facts.clone();
                let switch = &facts.switches[&instruction.key()];
                if let Some((_, number)) = nodes.as_int(value) {
                    self.enter(nodes, *switch.by_number.get(&number).unwrap_or(&switch.otherwise))?;
                    return Ok(None);
                }
                let case =
                    |(case, to): &(Value<'m>, Block<'m>)| Ok((self.value(nodes, *case)?, *to));
                let cases = switch.cases.iter().map(case).collect::<Result<_, _>>()?;
                return Ok(Some(Stop::Switch { value, cases, otherwise: switch.otherwise }));
            }
            Opcode::LLVMRet => {
                let value = (instruction.operand_count() > 0).then(|| instruction.operand(0));
                let value = value.map(|value| self.value(nodes, value)).transpose()?;
                return Ok(Some(Stop::Return(value)));
            }
            Opcode::LLVMUnreachable => return Ok(Some(Stop::Unreachable)),
            Opcode::LLVMCall => {
                if let Some(number) = self.revision(all, instruction) {
                    let width = instruction.ty().int_width();
                    let id = nodes.int(width, number);
                    self.values.insert(instruction.key(), id);
                    return Ok(None);
                }
            }
            _ => {}
        }
        let shape = instruction.shape().ok_or(Different)?;
        let operands = self.operands(nodes, instruction);
        if is_event(instruction.opcode()) {
            return Ok(Some(Stop::Event { shape, operands: operands?, instruction }));
        }
        // If an operand is unknown, so is the result. It may never be used.
        match operands {
            Ok(operands) => {
                let id = nodes.operation(&shape, &operands);
                self.values.insert(instruction.key(), id);
            }
            Err(Different) => _ = self.values.remove(&instruction.key()),
        }
        Ok(None)
    }

    fn is_local(&self, variable: Value<'m>) -> bool {
        variable.parent().key() == self.facts.entry.key() && variable.operand(0).is_constant()
    }

    /// The number that a call returns, if it depends only on the revision.
    fn revision(&self, all: &mut Facts<'m>, call: Value<'m>) -> Option<u64> {
        let callee = call.callee();
        if !callee.is_function() || call.ty().kind() != TypeKind::LLVMIntegerTypeKind {
            return None;
        }
        let name = callee.name();
        if callee.is_declaration() {
            return REVISION.contains(&&*name).then_some(u64::from(self.revision));
        }
        let chooser = self.side == Side::Meta && name.starts_with(CHOOSER);
        if chooser && callee.params().is_empty() { all.choice(callee, self.revision) } else { None }
    }

    fn operands(
        &self,
        nodes: &mut Nodes,
        instruction: Value<'m>,
    ) -> Result<SmallVec<[Id; 4]>, Different> {
        instruction.operands().map(|operand| self.value(nodes, operand)).collect()
    }

    fn value(&self, nodes: &mut Nodes, value: Value<'m>) -> Result<Id, Different> {
        if value.is_instruction() {
            if value.opcode() == Opcode::LLVMAlloca && self.is_local(value) {
                let shape = value.shape().ok_or(Different)?;
                return Ok(nodes.add(Node::Local(self.side, value.key(), shape.into())));
            }
            return self.values.get(&value.key()).copied().ok_or(Different);
        }
        if let Some(index) = value.parameter_index() {
            return Ok(nodes.add(Node::Argument(index)));
        }
        constant(self.side, nodes, value)
    }
}

fn is_event(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        LLVMLoad
            | LLVMStore
            | LLVMCall
            | LLVMAlloca
            | LLVMVAArg
            | LLVMFence
            | LLVMAtomicRMW
            | LLVMAtomicCmpXchg
            | LLVMUDiv
            | LLVMSDiv
            | LLVMURem
            | LLVMSRem
            | LLVMFreeze
            // These obey the rounding mode and set flags, which calls read and write.
            | LLVMFAdd
            | LLVMFSub
            | LLVMFMul
            | LLVMFDiv
            | LLVMFRem
            | LLVMFCmp
            | LLVMFPToUI
            | LLVMFPToSI
            | LLVMUIToFP
            | LLVMSIToFP
            | LLVMFPTrunc
            | LLVMFPExt
    )
}

/// A constant as a value.
pub(super) fn constant<'m>(
    side: Side,
    nodes: &mut Nodes,
    value: Value<'m>,
) -> Result<Id, Different> {
    if value.is_asm() {
        return Ok(nodes.text(&value.asm_shape()));
    }
    if value.is_alias() {
        return constant(side, nodes, value.aliasee());
    }
    if value.ty().kind() == TypeKind::LLVMMetadataTypeKind {
        let text = value.metadata_text().ok_or(Different)?;
        return Ok(nodes.text(&format!("metadata {text}")));
    }
    if !value.is_constant() || value.is_block_address() {
        return Err(Different);
    }
    if value.is_function() || value.is_global() {
        return Ok(nodes.add(Node::Symbol(side, value.key())));
    }
    let ty = value.ty();
    if value.is_int() {
        if ty.int_width() <= 64 {
            return Ok(nodes.int(ty.int_width(), value.int()));
        }
        return Ok(nodes.text(&value.print()));
    }
    if value.is_float() {
        return Ok(nodes.text(&value.print()));
    }
    if value.is_poison() {
        return Ok(nodes.text(&format!("poison {}", ty.shape())));
    }
    if value.is_undefined() {
        return Ok(nodes.text(&format!("undef {}", ty.shape())));
    }
    if value.is_expression() {
        let operands: Vec<Id> = value
            .operands()
            .map(|operand| constant(side, nodes, operand))
            .collect::<Result<_, _>>()?;
        return Ok(nodes.operation(&value.expression_shape(), &operands));
    }
    if value.is_zero() {
        return Ok(nodes.text(&format!("zero {}", ty.shape())));
    }
    if let Some(bytes) = value.data_bytes() {
        return Ok(nodes.text(&format!("bytes {}", bytes.escape_ascii())));
    }
    let count = match ty.kind() {
        TypeKind::LLVMStructTypeKind => u64::from(ty.fields()),
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => ty.length(),
        _ => return Err(Different),
    };
    let mut elements = Vec::new();
    for index in 0..count {
        let element = value.aggregate_element(index as u32).ok_or(Different)?;
        elements.push(constant(side, nodes, element)?);
    }
    Ok(nodes.operation(&format!("aggregate {}", ty.shape()), &elements))
}
