//! The normal form of sums.

use std::{
    collections::{BTreeMap, btree_map},
    sync::Arc,
};

use rustc_hash::FxHashMap;

use crate::{
    expr::{BinaryOp, ExprId, Exprs, Node, VariableId},
    solver::{
        columns::{Columns, WIDEST},
        interval_set::ones,
    },
};

/// The most values of functions that are computed, and summands that are examined, for one query:
/// some milliseconds of work.
const MOST_WORK: usize = 1 << 21;

/// A term of at most 64 bits as a sum modulo two to the power of its width. Two terms with the same
/// sum are equal for all values of the variables that their domains allow.
#[derive(Clone, Default)]
struct Sum {
    constant: u64,
    /// For each variable, the summand that depends only on it.
    functions: BTreeMap<VariableId, Function>,
    /// Other terms with their factors, which are not zero.
    rest: BTreeMap<ExprId, u64>,
}

/// A term that depends on one variable.
#[derive(Clone)]
struct Function {
    /// The value of the function for each value in the domain of the variable. The first is zero,
    /// but not all are.
    values: Arc<[u64]>,
    /// A term with these values.
    expr: ExprId,
}

impl Sum {
    fn constant(constant: u64) -> Self {
        Self { constant, ..Self::default() }
    }

    fn term(e: ExprId) -> Self {
        Self { rest: BTreeMap::from([(e, 1)]), ..Self::default() }
    }

    fn as_constant(&self) -> Option<u64> {
        (self.functions.is_empty() && self.rest.is_empty()).then_some(self.constant)
    }

    /// The only variable of the sum, if the sum has nothing but a constant and one function.
    fn as_function(&self) -> Option<VariableId> {
        let mut variables = self.functions.keys();
        variables.next().copied().filter(|_| self.rest.is_empty() && variables.next().is_none())
    }

    /// The value of the sum if the variable has the value at `index` in its domain. The sum must
    /// depend only on this variable.
    fn at(&self, variable: VariableId, index: usize) -> u64 {
        let value = self.functions.get(&variable).map_or(0, |function| function.values[index]);
        self.constant.wrapping_add(value)
    }
}

/// Puts terms into the normal form of sums, under the domains of their variables.
pub(super) struct Normaliser<'a> {
    exprs: &'a Exprs,
    columns: &'a mut Columns,
    /// The values that each variable of at most a byte may have, in order.
    domains: &'a FxHashMap<VariableId, Vec<u8>>,
    sums: FxHashMap<ExprId, Sum>,
    /// The normal form, as a term, of each term that has a sum.
    written: FxHashMap<ExprId, ExprId>,
    /// One term for all functions with the same values.
    spellings: FxHashMap<(VariableId, u32, Arc<[u64]>), ExprId>,
    work: usize,
}

impl<'a> Normaliser<'a> {
    pub(super) fn new(
        exprs: &'a Exprs,
        columns: &'a mut Columns,
        domains: &'a FxHashMap<VariableId, Vec<u8>>,
    ) -> Self {
        let (sums, written, spellings) = Default::default();
        Self { exprs, columns, domains, sums, written, spellings, work: 0 }
    }

    /// A term that equals `e` for all values that the domains allow; `None` if that is too much
    /// work.
    pub(super) fn apply(&mut self, e: ExprId) -> Option<ExprId> {
        let exprs = self.exprs;
        let done = |this: &Self, e| {
            this.work > MOST_WORK || exprs.as_u64(e).is_some() || this.sums.contains_key(&e)
        };
        exprs.post_order(&[e], self, done, |this, e| {
            let sum = this.make(e);
            this.sums.insert(e, sum);
        });
        (self.work <= MOST_WORK).then(|| self.written(e))
    }

    fn make(&mut self, e: ExprId) -> Sum {
        let width = self.exprs.width(e);
        if width > 64 {
            return self.rebuilt(e);
        }
        if let [one] = self.exprs.variables(e)
            && self.exprs.variable_width(*one) <= WIDEST
            && let Some(function) = self.tabulated(e, *one)
        {
            return function;
        }
        let Some(sum) = self.linear(e, width) else { return self.rebuilt(e) };
        sum
    }

    /// The sum that results from an operation on sums.
    fn linear(&mut self, e: ExprId, width: u32) -> Option<Sum> {
        let exprs = self.exprs;
        match exprs.node(e) {
            Node::Binary(BinaryOp::Eq, a, b) if exprs.width(a) <= 64 => self.equality(a, b),
            _ if width == 1 => None,
            Node::Binary(BinaryOp::Add, a, b) => {
                Some(self.plus(width, &self.sum(a), 1, &self.sum(b)))
            }
            Node::Neg(a) => Some(self.plus(width, &Sum::default(), u64::MAX, &self.sum(a))),
            Node::Not(a) => {
                Some(self.plus(width, &Sum::constant(u64::MAX), u64::MAX, &self.sum(a)))
            }
            Node::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = (self.sum(a), self.sum(b));
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => Some(self.plus(width, &Sum::default(), factor, &b)),
                    (_, Some(factor)) => Some(self.plus(width, &Sum::default(), factor, &a)),
                    _ => None,
                }
            }
            Node::Binary(BinaryOp::Shl, a, b) => {
                let by = self.sum(b).as_constant()?;
                let factor = if by < u64::from(width) { 1 << by } else { 0 };
                Some(self.plus(width, &Sum::default(), factor, &self.sum(a)))
            }
            Node::Ite(condition, a, b) => self.choice(width, condition, a, b),
            Node::Extract { of, low: 0 } if exprs.width(of) <= 64 => {
                let sum = self.sum(of);
                Some(self.truncated(width, &sum))
            }
            _ => None,
        }
    }

    /// The sum of a constant, or of a term that was visited.
    fn sum(&self, e: ExprId) -> Sum {
        match self.exprs.as_u64(e) {
            Some(constant) => Sum::constant(constant),
            None => self.sums.get(&e).cloned().unwrap_or_else(|| Sum::term(e)),
        }
    }

    /// The sum `a + factor * b`.
    fn plus(&mut self, width: u32, a: &Sum, factor: u64, b: &Sum) -> Sum {
        let mask = ones(width);
        let mut sum = a.clone();
        self.work += [a, b].map(|sum| sum.functions.len() + sum.rest.len()).iter().sum::<usize>();
        sum.constant = sum.constant.wrapping_add(factor.wrapping_mul(b.constant)) & mask;
        for (variable, function) in &b.functions {
            let scaled = self.scaled(width, factor, function);
            let added = match sum.functions.get(variable) {
                Some(before) => {
                    let both = before.values.iter().zip(&*scaled.values);
                    let values = both.map(|(a, b)| a.wrapping_add(*b) & mask).collect();
                    Function { values, expr: self.exprs.add(before.expr, scaled.expr) }
                }
                None => scaled,
            };
            if added.values.iter().all(|value| *value == 0) {
                sum.functions.remove(variable);
            } else {
                sum.functions.insert(*variable, added);
            }
        }
        for (term, times) in &b.rest {
            let times = factor.wrapping_mul(*times) & mask;
            match sum.rest.entry(*term) {
                btree_map::Entry::Occupied(mut before) => {
                    *before.get_mut() = before.get().wrapping_add(times) & mask;
                    if *before.get() == 0 {
                        before.remove();
                    }
                }
                btree_map::Entry::Vacant(place) if times != 0 => {
                    place.insert(times);
                }
                btree_map::Entry::Vacant(_) => {}
            }
        }
        sum
    }

    fn scaled(&mut self, width: u32, factor: u64, function: &Function) -> Function {
        if factor == 1 {
            return function.clone();
        }
        self.work += function.values.len();
        let scale = |value: &u64| factor.wrapping_mul(*value) & ones(width);
        let factor = self.exprs.constant(width, factor & ones(width));
        Function {
            values: function.values.iter().map(scale).collect(),
            expr: self.exprs.mul(factor, function.expr),
        }
    }

    /// A term with one variable, as a constant and a function.
    fn tabulated(&mut self, e: ExprId, variable: VariableId) -> Option<Sum> {
        let column = self.columns.of(self.exprs, e)?;
        let domain = self.domains.get(&variable)?;
        let values = domain.iter().map(|value| column[usize::from(*value)]).collect();
        Some(self.function(self.exprs.width(e), variable, values, e))
    }

    /// The sum for a term `e` that has these values.
    fn function(&mut self, width: u32, variable: VariableId, values: Vec<u64>, e: ExprId) -> Sum {
        self.work += values.len();
        let constant = values[0];
        let mut sum = Sum::constant(constant);
        if values.iter().any(|value| *value != constant) {
            let shifted = |value: u64| value.wrapping_sub(constant) & ones(width);
            let expr = self.exprs.sub(e, self.exprs.constant(width, constant));
            let values = values.into_iter().map(shifted).collect();
            sum.functions.insert(variable, Function { values, expr });
        }
        sum
    }

    fn choice(&mut self, width: u32, condition: ExprId, a: ExprId, b: ExprId) -> Option<Sum> {
        let (chosen, a, b) = (self.sum(condition), self.sum(a), self.sum(b));
        if let Some(constant) = chosen.as_constant() {
            return Some(if constant & 1 == 1 { a } else { b });
        }
        let difference = self.plus(width, &a, u64::MAX, &b);
        let is_constant = difference.as_constant();
        if is_constant == Some(0) {
            return Some(b);
        }
        let if_chosen = |this: &mut Self| {
            let condition = this.written(condition);
            let difference = this.write(width, &difference);
            this.exprs.ite(condition, difference, this.exprs.constant(width, 0))
        };
        let summand = match chosen.as_function() {
            Some(variable)
                if is_constant.is_some() || difference.as_function() == Some(variable) =>
            {
                let domain = 0..self.domains[&variable].len();
                let value = |index| match chosen.at(variable, index) & 1 {
                    1 => difference.at(variable, index) & ones(width),
                    _ => 0,
                };
                let expr = if_chosen(self);
                self.function(width, variable, domain.map(value).collect(), expr)
            }
            _ if is_constant.is_some() => Sum::term(if_chosen(self)),
            _ => return None,
        };
        Some(self.plus(width, &b, 1, &summand))
    }

    /// The low `width` bits of a wider sum.
    fn truncated(&mut self, width: u32, sum: &Sum) -> Sum {
        let mut low = Sum::constant(sum.constant & ones(width));
        for (variable, function) in &sum.functions {
            self.work += function.values.len();
            let values: Arc<[u64]> =
                function.values.iter().map(|value| value & ones(width)).collect();
            if values.iter().any(|value| *value != 0) {
                let expr = self.exprs.extract(function.expr, 0, width);
                low.functions.insert(*variable, Function { values, expr });
            }
        }
        for (term, times) in &sum.rest {
            let term = self.exprs.extract(*term, 0, width);
            let term = self.sum(term);
            low = self.plus(width, &low, *times, &term);
        }
        low
    }

    /// Whether two sums are equal, if this is known or depends on one variable.
    fn equality(&mut self, a: ExprId, b: ExprId) -> Option<Sum> {
        let width = self.exprs.width(a);
        let difference = self.plus(width, &self.sum(a), u64::MAX, &self.sum(b));
        if let Some(constant) = difference.as_constant() {
            return Some(Sum::constant(u64::from(constant == 0)));
        }
        let variable = difference.as_function()?;
        let domain = 0..self.domains[&variable].len();
        let is_zero = |index| u64::from(difference.at(variable, index) & ones(width) == 0);
        let difference = self.write(width, &difference);
        let expr = self.exprs.eq(difference, self.exprs.constant(width, 0));
        Some(self.function(1, variable, domain.map(is_zero).collect(), expr))
    }

    /// The sum that consists only of `e`, rebuilt from the normal forms of its operands.
    fn rebuilt(&mut self, e: ExprId) -> Sum {
        let exprs = self.exprs;
        let mut images = FxHashMap::default();
        exprs.for_each_operand(e, |operand| {
            images.insert(operand, self.written(operand));
        });
        let new = exprs.rebuild(e, |operand| images[&operand]);
        if new == e { Sum::term(e) } else { self.sum(new) }
    }

    /// The normal form of a term that was visited.
    fn written(&mut self, e: ExprId) -> ExprId {
        if let Some(known) = self.written.get(&e) {
            return *known;
        }
        let Some(sum) = self.sums.get(&e).cloned() else { return e };
        let width = self.exprs.width(e);
        let new = self.write(width, &sum);
        // Terms made from the new term find the same sum.
        self.sums.entry(new).or_insert(sum);
        self.written.insert(e, new);
        new
    }

    /// Writes a sum as a term. The same sum gives the same term.
    fn write(&mut self, width: u32, sum: &Sum) -> ExprId {
        let exprs = self.exprs;
        let constant = |value: u64| exprs.constant(width, value & ones(width));
        let mut terms = Vec::with_capacity(sum.functions.len() + sum.rest.len() + 1);
        for (variable, function) in &sum.functions {
            let key = (*variable, width, function.values.clone());
            terms.push(*self.spellings.entry(key).or_insert(function.expr));
        }
        for (term, times) in &sum.rest {
            terms.push(if *times == 1 { *term } else { exprs.mul(constant(*times), *term) });
        }
        if width > 64 {
            return terms[0];
        }
        terms.into_iter().fold(constant(sum.constant), |all, term| exprs.add(all, term))
    }
}
