//! Memory that was never written.
//!
//! The content of such memory stays a variable for as long as it decides and shows nothing: copying
//! it is no error. Where it does, it is zero, as in native builds. The path keeps that as a finding
//! (`World::findings`), on just those inputs on which the content makes a difference.
//! MemorySanitizer reports the same (Stepanov and Serebryany, "MemorySanitizer: fast detector of
//! uninitialized memory use in C++", CGO 2015), bit by bit where this asks the solver.

use std::{
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use rustc_hash::FxHashSet;

use super::Executor;
use crate::{
    env::{Approximation, Halt, Stop},
    errors::Error,
    expr::{BinaryOp, ExprId, Exprs, Node, Substitution, VariableId, VariableKind},
    ir::address,
    memory::Value,
    solver::{self, Query, SolverConfig, Verdict, slicing::Slicing},
    subject::config::Uninitialised,
};

/// The most contents that are tried to find the inputs on which some content makes a difference. If
/// others make a difference on further inputs, nothing is proved about these.
const CONTENTS: usize = 16;
/// The most terms compared with unwritten memory that are tried as its content, each with its
/// neighbours. These make a difference to most comparisons.
const COMPARED_WITH: usize = 4;
/// Contents, by width, that make a difference to most other expressions.
const EXTREMES: [fn(u32) -> u64; 5] = [
    |width| (1 << (width - 1)) - 1,
    |width| 1 << (width - 1),
    |_| 0x7f7f_7f7f_7f7f_7f7f,
    |_| 0x8080_8080_8080_8080,
    |_| u64::MAX,
];
/// The number of bytes that share one variable if none of them was written. Most numbers have as
/// many bytes.
const CELL: usize = 4;
/// The longest time for a query that does not depend on the path.
const ALWAYS: Duration = Duration::from_millis(100);

/// A content to be tried.
enum Content {
    Term(ExprId),
    Extreme(fn(u32) -> u64),
}

impl Content {
    fn of_width(&self, exprs: &Exprs, width: u32) -> ExprId {
        match *self {
            Self::Term(term) if exprs.width(term) < width => exprs.sext(term, width),
            Self::Term(term) => exprs.extract(term, 0, width),
            Self::Extreme(value) => exprs.constant(width, value(width)),
        }
    }
}

/// The terms with which an expression compares what was never written.
fn compared_with(exprs: &Exprs, e: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![e];
    while let Some(e) = stack.pop() {
        if found.len() >= COMPARED_WITH || !seen.insert(e) || !exprs.mentions(e).uninitialised() {
            continue;
        }
        if let Node::Binary(BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt, a, b) = exprs.node(e) {
            let is_written = |side: &ExprId| !exprs.mentions(*side).uninitialised();
            found.extend([a, b].into_iter().find(is_written));
        }
        exprs.for_each_operand(e, |operand| stack.push(operand));
    }
    found
}

/// The offsets of the cells that have some of these bytes of an object.
fn cells(bytes: Range<usize>) -> impl Iterator<Item = usize> {
    (bytes.start - bytes.start % CELL..bytes.end).step_by(CELL)
}

impl Executor<'_> {
    /// The content of `length` bytes of the object at `address` that were never written: variables,
    /// or zero if nothing need be noted about their use. The same bytes have the same content,
    /// whichever revision reads them.
    pub(super) fn unwritten(&mut self, address: u64, offset: usize, length: usize) -> ExprId {
        let exprs = &self.program.exprs;
        // No sanitizer watches whole programs, so none could report its use.
        let unwatched = self.state.world.is_whole;
        if self.is_noted() || unwatched && self.program.uninitialised == Uninitialised::Zero {
            return exprs.constant(8 * length as u32, 0);
        }
        let (number, end) = (address::object_number(address), offset + length);
        let cells = cells(offset..end).map(|cell| {
            if !self.state.seen.contains(&(number, cell)) {
                Arc::make_mut(&mut self.state.seen).insert((number, cell));
            }
            let name = format!("unwritten.{number}.{cell}");
            let content = exprs.variable(&name, 8 * CELL as u32, VariableKind::Uninitialised);
            let (first, last) = (offset.max(cell), end.min(cell + CELL));
            exprs.extract(content, 8 * (first - cell) as u32, 8 * (last - first) as u32)
        });
        cells.reduce(|low, high| exprs.concat(high, low)).expect("at least one byte")
    }

    /// Whether bytes of the object at `address` were read before they were written. If such bytes
    /// lose their content later, a new variable stands for what they hold then.
    pub(super) fn was_seen(&self, address: u64, bytes: Range<usize>) -> bool {
        let number = address::object_number(address);
        !self.state.seen.is_empty()
            && cells(bytes).any(|cell| self.state.seen.contains(&(number, cell)))
    }

    /// The content of an undefined value, such as the result of a function that returns none:
    /// natively it is what a register happens to hold.
    pub(super) fn undefined(&mut self, width: u32) -> ExprId {
        let exprs = &self.program.exprs;
        if self.is_noted() {
            return exprs.constant(width, 0);
        }
        let number = self.state.undefined;
        self.state.undefined += 1;
        let name = format!("undefined.{number}.{width}");
        exprs.variable(&name, width, VariableKind::Uninitialised)
    }

    /// The content of an undefined value ([`Executor::undefined`]), as a value.
    pub(super) fn undefined_value(&mut self, width: u32) -> Value {
        let expr = self.undefined(width);
        Value::from_expr(&self.program.exprs, expr)
    }

    /// Whether one more decision on what was never written would change nothing.
    fn is_noted(&self) -> bool {
        let world = &self.state.world;
        world.findings.contains(&Error::UninitialisedRead)
            || world.approximations.contains(&Approximation::NoResult)
    }

    /// To be called when a decision depends on what was never written. Ends the path, or takes
    /// note; then all that was never written is zero.
    pub(super) fn note_unwritten(&mut self) -> Result<(), Stop> {
        match self.program.uninitialised {
            Uninitialised::Error => return Err(Error::UninitialisedRead.into()),
            // Memory is zero in whole programs, so this is an undefined value. Nothing can confirm
            // what it is.
            Uninitialised::Zero if self.state.world.is_whole => {
                self.state.world.approximate(Approximation::NoResult);
                return Ok(());
            }
            Uninitialised::Zero => {}
            Uninitialised::Any => {
                self.state.world.approximate(Approximation::UninitialisedDecision);
            }
        }
        self.state.world.findings.insert(Error::UninitialisedRead);
        Ok(())
    }

    /// `value`, which decides something now. An undefined one is noted and becomes zero.
    pub(super) fn written(&mut self, value: Value, width: u32) -> Result<Value, Stop> {
        if value != Value::Undefined {
            return Ok(value);
        }
        self.note_unwritten()?;
        let exprs = &self.program.exprs;
        Ok(Value::from_expr(exprs, exprs.constant(width, 0)))
    }

    /// `expr`, which decides something now, with zero for everything that was never written. This
    /// is noted on the inputs on which another content would have given another value (so not, say,
    /// for a bit-field next to a bit that was not set).
    pub(super) fn independent(&mut self, expr: ExprId) -> Result<ExprId, Stop> {
        let exprs = &self.program.exprs;
        let unwritten: Vec<VariableId> = exprs
            .variables(expr)
            .iter()
            .copied()
            .filter(|variable| exprs.variable_kind(*variable) == VariableKind::Uninitialised)
            .collect();
        let with = |content: &dyn Fn(u32) -> u64| {
            let values = unwritten.iter().map(|variable| {
                let width = exprs.variable_width(*variable);
                (*variable, exprs.constant(width, content(width)))
            });
            Substitution::of(exprs, values).apply(exprs, expr)
        };
        let fixed = with(&|_| 0);
        let differs = exprs.ne(expr, fixed);
        if exprs.as_u64(differs) == Some(0) || self.is_noted() {
            return Ok(fixed);
        }
        // Mostly one other content makes a difference on every input of the path, and one query
        // shows it. No byte of this content is zero.
        let one = with(&|_| 0x0101_0101_0101_0101);
        if self.certainly(exprs.ne(one, fixed), true) {
            self.note_unwritten()?;
            return Ok(fixed);
        }
        // Where a division hides small contents, a large one may make a difference.
        let large = with(&|_| 0x4040_4040_4040_4040);
        if large != one && self.always_differ(large, fixed) {
            self.note_unwritten()?;
            return Ok(fixed);
        }
        if self.is_impossible(&[differs])? {
            return Ok(fixed);
        }
        let (shows, is_all) = self.where_content_shows(expr, fixed, &unwritten)?;
        if self.branch(shows)? {
            self.note_unwritten()?;
        } else if !is_all {
            self.state.world.approximate(Approximation::UninitialisedDecision);
        }
        Ok(fixed)
    }

    /// Whether two values differ on all inputs, whatever the path.
    fn always_differ(&mut self, a: ExprId, b: ExprId) -> bool {
        self.never(self.program.exprs.eq(a, b))
    }

    /// Whether no input satisfies a condition, whatever the path. Other paths ask the same, and the
    /// solver remembers the answer. False if the solver takes long.
    pub(super) fn never(&mut self, condition: ExprId) -> bool {
        let exprs = &self.program.exprs;
        if let Some(constant) = exprs.as_u64(condition) {
            return constant == 0;
        }
        if !exprs.evaluate(condition, &self.state.model).is_zero() {
            return false;
        }
        let begun = Instant::now();
        self.solver.hurry(ALWAYS);
        let query = Query { path_condition: &[], goals: &[condition], model: None };
        let verdict = self.solver.check(exprs, query);
        self.solver.hurry(Duration::MAX);
        self.asked = true;
        self.asking += begun.elapsed();
        verdict.is_unsat()
    }

    fn is_impossible(&mut self, goals: &[ExprId]) -> Result<bool, Stop> {
        let (path, model) = (&self.state.path_condition, Some(&*self.state.model));
        match self.solver.check(&self.program.exprs, Query { path_condition: path, goals, model }) {
            Verdict::Unsat => Ok(true),
            Verdict::Sat(_) => Ok(false),
            Verdict::Unknown(why) => Err(Stop::Halt(Halt::Incomplete(why.into()))),
        }
    }

    /// A condition for inputs of this path on which some content gives `expr` another value than
    /// `fixed`, and whether these are all such inputs. Until all inputs are covered, the solver
    /// finds an input that no content so far covers. The next content is a usual one that makes a
    /// difference on this input, or else the one that the solver found.
    fn where_content_shows(
        &mut self,
        expr: ExprId,
        fixed: ExprId,
        unwritten: &[VariableId],
    ) -> Result<(ExprId, bool), Stop> {
        let exprs = &self.program.exprs;
        if unwritten.len() == exprs.variables(expr).len() {
            // `expr` depends on no input.
            return Ok((exprs.bool(true), true));
        }
        let config = SolverConfig {
            timeout: self.limits.solver,
            deadline: self.deadline,
            ..SolverConfig::default()
        };
        // What divides the path must not differ from run to run.
        let mut solver = solver::reproducible(&config);
        let differs = exprs.ne(expr, fixed);
        let path = Slicing::default().connected(exprs, &self.state.path_condition, &[differs]);
        let mut check = |goals: &[ExprId]| match solver
            .check(exprs, Query { path_condition: &path, goals, model: None })
        {
            Verdict::Unsat => Ok(None),
            Verdict::Sat(model) => Ok(Some(model)),
            Verdict::Unknown(why) => Err(Stop::Halt(Halt::Incomplete(why.into()))),
        };
        let shown_by = |content: &dyn Fn(VariableId) -> ExprId| {
            let content = unwritten.iter().map(|variable| (*variable, content(*variable)));
            exprs.ne(Substitution::of(exprs, content).apply(exprs, expr), fixed)
        };
        let terms = compared_with(exprs, expr).into_iter().flat_map(|term| {
            let one = exprs.constant(exprs.width(term), 1);
            [term, exprs.add(term, one), exprs.sub(term, one)].map(Content::Term)
        });
        let mut contents: Vec<Content> = terms.chain(EXTREMES.map(Content::Extreme)).collect();
        let mut shows = exprs.bool(false);
        for _ in 0..CONTENTS {
            let Some(model) = check(&[differs, exprs.not(shows)])? else {
                return Ok((shows, true));
            };
            let mut usual = contents.iter().enumerate().map(|(at, content)| {
                let content = |variable| content.of_width(exprs, exprs.variable_width(variable));
                (at, shown_by(&content))
            });
            let shown = match usual.find(|(_, shown)| exprs.evaluate(*shown, &model).is_one()) {
                Some((at, shown)) => {
                    contents.remove(at);
                    shown
                }
                None => shown_by(&|variable| {
                    exprs.bv(&exprs.evaluate(exprs.variable_expr(variable), &model))
                }),
            };
            shows = exprs.or(shows, shown);
        }
        let is_all = check(&[differs, exprs.not(shows)])?.is_none();
        Ok((shows, is_all))
    }
}
