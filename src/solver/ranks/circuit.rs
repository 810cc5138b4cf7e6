//! Conditions that compare and choose, evaluated for many orders at once.

use rustc_hash::FxHashMap;

use super::order::{MOST_CONSTANTS, Order};
use crate::expr::{BinaryOp, ExprId, Exprs, Node, VariableId};

/// The number of orders that are evaluated at once.
const LANES: usize = 256;
/// The most terms of one circuit.
const MOST_TERMS: usize = 1 << 12;

type Lanes = [u8; LANES];
/// The position of a term in its circuit.
type Position = usize;

/// A term, whose value is a truth value (0 or 1) or the rank of a word.
#[derive(Clone, Copy)]
enum Term {
    Truth(bool),
    /// The number or constant at this place in the ranks of an [`Order`].
    Rank(usize),
    Not(Position),
    And(Position, Position),
    Or(Position, Position),
    Equal(Position, Position),
    Less(Position, Position),
    /// The condition, the choice if it holds, and the choice otherwise.
    Choice(Position, Position, Position),
}

/// Some conditions, and the terms of which they consist.
pub(super) struct Circuit {
    /// Operands before their users.
    terms: Vec<Term>,
    conditions: Vec<Position>,
}

/// Makes the circuits of one query, which share their numbers and constants.
pub(super) struct Circuits<'e> {
    exprs: &'e Exprs,
    /// The width of all numbers in bits, which is more than 1.
    width: u32,
    numbers: Vec<VariableId>,
    /// The constants that numbers are compared with, or that are chosen, without repetition.
    constants: Vec<u64>,
    /// The relations other than equality that occur.
    relations: Vec<BinaryOp>,
}

impl<'e> Circuits<'e> {
    pub(super) fn new(exprs: &'e Exprs, width: u32) -> Self {
        Self { exprs, width, numbers: Vec::new(), constants: Vec::new(), relations: Vec::new() }
    }

    /// Gives the next place to a number.
    pub(super) fn add_number(&mut self, number: VariableId) {
        self.numbers.push(number);
    }

    pub(super) fn constants(&self) -> &[u64] {
        &self.constants
    }

    /// Whether numbers are compared as signed ones; `None` if they are compared both ways.
    pub(super) fn is_signed(&self) -> Option<bool> {
        let occurs = |relation| self.relations.contains(&relation);
        (!occurs(BinaryOp::Slt) || !occurs(BinaryOp::Ult)).then(|| occurs(BinaryOp::Slt))
    }

    /// The circuit of conditions on the numbers so far; `None` if they do more than compare and
    /// choose.
    pub(super) fn circuit(&mut self, conditions: &[ExprId]) -> Option<Circuit> {
        let mut positions: FxHashMap<ExprId, Position> = FxHashMap::default();
        let mut terms = Vec::new();
        let mut open: Vec<(ExprId, bool)> = conditions.iter().map(|c| (*c, false)).collect();
        while let Some((e, operands_done)) = open.pop() {
            if positions.contains_key(&e) {
                continue;
            }
            if !operands_done {
                if terms.len() + open.len() > MOST_TERMS {
                    return None;
                }
                self.is_fit(e).then_some(())?;
                open.push((e, true));
                self.exprs.for_each_operand(e, |operand| open.push((operand, false)));
                continue;
            }
            let mut term = self.term(e, &positions)?;
            // Truth values that differ are not equal.
            if let Node::Binary(BinaryOp::Xor, ..) = self.exprs.node(e) {
                terms.push(term);
                term = Term::Not(terms.len() - 1);
            }
            positions.insert(e, terms.len());
            terms.push(term);
        }
        let conditions = conditions.iter().map(|condition| positions[condition]).collect();
        Some(Circuit { terms, conditions })
    }

    /// Whether a term only compares or chooses.
    fn is_fit(&self, e: ExprId) -> bool {
        let width = self.exprs.width(e);
        match self.exprs.node(e) {
            Node::Constant(_) | Node::Ite(..) => width == 1 || width == self.width,
            Node::Variable(_) => width == self.width,
            Node::Not(_) | Node::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor, ..) => {
                width == 1
            }
            Node::Binary(BinaryOp::Eq, ..) => true,
            Node::Binary(BinaryOp::Slt | BinaryOp::Ult, a, _) => self.exprs.width(a) == self.width,
            _ => false,
        }
    }

    fn term(&mut self, e: ExprId, positions: &FxHashMap<ExprId, Position>) -> Option<Term> {
        let at = |operand| positions[&operand];
        Some(match self.exprs.node(e) {
            Node::Constant(value) if self.exprs.width(e) == 1 => Term::Truth(value == 1),
            Node::Constant(value) => Term::Rank(self.constant(value)?),
            Node::Variable(number) => {
                let place = self.numbers.iter().position(|known| *known == number)?;
                Term::Rank(MOST_CONSTANTS + place)
            }
            Node::Not(a) => Term::Not(at(a)),
            Node::Ite(condition, a, b) => Term::Choice(at(condition), at(a), at(b)),
            Node::Binary(op, a, b) => match op {
                BinaryOp::And => Term::And(at(a), at(b)),
                BinaryOp::Or => Term::Or(at(a), at(b)),
                BinaryOp::Eq | BinaryOp::Xor => Term::Equal(at(a), at(b)),
                BinaryOp::Slt | BinaryOp::Ult => {
                    self.relations.push(op);
                    Term::Less(at(a), at(b))
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The place of a constant in an order; `None` if there are too many constants.
    fn constant(&mut self, value: u64) -> Option<usize> {
        let known = self.constants.iter().position(|known| *known == value);
        known.or_else(|| {
            self.constants.push(value);
            (self.constants.len() <= MOST_CONSTANTS).then(|| self.constants.len() - 1)
        })
    }
}

impl Circuit {
    /// The number of terms of the circuit.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Drops the orders for which a condition does not hold.
    pub(super) fn retain(&self, orders: &mut Vec<Order>) {
        let mut lanes: Vec<Lanes> = vec![[0; LANES]; self.terms.len()];
        let mut kept = Vec::with_capacity(orders.len());
        for block in orders.chunks(LANES) {
            for (position, term) in self.terms.iter().enumerate() {
                let (done, rest) = lanes.split_at_mut(position);
                evaluate(*term, block, done, &mut rest[0]);
            }
            let holds = |lane| self.conditions.iter().all(|condition| lanes[*condition][lane] == 1);
            kept.extend((0..block.len()).map(holds));
        }
        let mut kept = kept.into_iter();
        orders.retain(|_| kept.next().unwrap_or(false));
    }
}

/// Evaluates a term for each order of a block, given the values of the terms before it.
fn evaluate(term: Term, block: &[Order], done: &[Lanes], out: &mut Lanes) {
    let binary = |a: Position, b: Position, out: &mut Lanes, f: fn(u8, u8) -> u8| {
        let operands = done[a].iter().zip(&done[b]);
        out.iter_mut().zip(operands).for_each(|(out, (a, b))| *out = f(*a, *b));
    };
    match term {
        Term::Truth(truth) => out.fill(truth.into()),
        Term::Rank(place) => {
            out.iter_mut().zip(block).for_each(|(out, order)| *out = order.ranks[place]);
        }
        Term::Not(a) => out.iter_mut().zip(&done[a]).for_each(|(out, a)| *out = 1 - a),
        Term::And(a, b) => binary(a, b, out, |a, b| a & b),
        Term::Or(a, b) => binary(a, b, out, |a, b| a | b),
        Term::Equal(a, b) => binary(a, b, out, |a, b| (a == b).into()),
        Term::Less(a, b) => binary(a, b, out, |a, b| (a < b).into()),
        Term::Choice(condition, a, b) => {
            let operands = done[condition].iter().zip(done[a].iter().zip(&done[b]));
            out.iter_mut().zip(operands).for_each(|(out, (condition, (a, b)))| {
                *out = if *condition == 1 { *a } else { *b };
            });
        }
    }
}
