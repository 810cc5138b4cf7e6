//! Replacing variables.

use rustc_hash::FxHashMap;

use super::{ExprId, Exprs, Mentions, Node, VariableId};

/// A simultaneous replacement of variables. It remembers the terms that it has replaced, so one
/// substitution serves many expressions that share terms.
pub struct Substitution {
    by: FxHashMap<VariableId, ExprId>,
    mentions: Mentions,
    memo: FxHashMap<ExprId, ExprId>,
}

impl Substitution {
    /// The substitution that replaces `variable` by `by`.
    ///
    /// # Panics
    /// If their widths differ.
    pub fn new(exprs: &Exprs, variable: VariableId, by: ExprId) -> Self {
        Self::of(exprs, [(variable, by)])
    }

    /// The substitution that replaces each variable by the expression paired with it.
    ///
    /// # Panics
    /// If the widths of a variable and its replacement differ.
    pub fn of(exprs: &Exprs, all: impl IntoIterator<Item = (VariableId, ExprId)>) -> Self {
        let by: FxHashMap<_, _> = all.into_iter().collect();
        for (variable, by) in &by {
            assert_eq!(
                exprs.variable_width(*variable),
                exprs.width(*by),
                "a variable is replaced by something of its width"
            );
        }
        let mentions = by.keys().fold(Mentions::default(), |all, variable| {
            all.or(Mentions::of(exprs.variable_kind(*variable)))
        });
        Self { by, mentions, memo: FxHashMap::default() }
    }

    /// `e` with the variables replaced and every term above them simplified again.
    pub fn apply(&mut self, exprs: &Exprs, e: ExprId) -> ExprId {
        let Self { by, mentions, memo } = self;
        let untouched = |e: ExprId| !exprs.mentions(e).meets(*mentions);
        if untouched(e) {
            return e;
        }
        let done = |memo: &FxHashMap<_, _>, e| untouched(e) || memo.contains_key(&e);
        exprs.post_order(&[e], memo, done, |memo, e| {
            let new = match exprs.node(e) {
                Node::Variable(v) => by.get(&v).copied().unwrap_or(e),
                _ => exprs.rebuild(e, |operand| *memo.get(&operand).unwrap_or(&operand)),
            };
            memo.insert(e, new);
        });
        memo[&e]
    }
}

impl Exprs {
    /// `e` with the variable replaced and everything above it simplified again; see
    /// [`Substitution`] for several expressions.
    ///
    /// # Panics
    /// If the widths of the variable and its replacement differ.
    pub fn substitute(&self, e: ExprId, variable: VariableId, by: ExprId) -> ExprId {
        Substitution::new(self, variable, by).apply(self, e)
    }

    /// The node of `e` rebuilt from the images of its operands; `e` itself if no image differs.
    pub(crate) fn rebuild(&self, e: ExprId, image: impl Fn(ExprId) -> ExprId) -> ExprId {
        let mut changed = false;
        self.for_each_operand(e, |operand| changed |= image(operand) != operand);
        if !changed {
            return e;
        }
        match self.node(e) {
            Node::Constant(_) | Node::WideConstant(_) | Node::Variable(_) => e,
            _ => self.like(self, e, image),
        }
    }

    /// Applies, in this arena, the operation that `e` is in the arena `from` to the images of its
    /// operands.
    ///
    /// # Panics
    /// If `e` is a constant or a variable.
    pub(super) fn like(&self, from: &Self, e: ExprId, image: impl Fn(ExprId) -> ExprId) -> ExprId {
        match from.node(e) {
            Node::Constant(_) | Node::WideConstant(_) | Node::Variable(_) => {
                unreachable!("only applications have operands")
            }
            Node::Not(a) => self.not(image(a)),
            Node::Neg(a) => self.neg(image(a)),
            Node::Binary(op, a, b) => self.binary(op, image(a), image(b)),
            Node::Ite(c, a, b) => self.ite(image(c), image(a), image(b)),
            Node::Extract { of, low } => self.extract(image(of), low, from.width(e)),
            Node::Concat(a, b) => self.concat(image(a), image(b)),
            Node::Zext(a) => self.zext(image(a), from.width(e)),
            Node::Sext(a) => self.sext(image(a), from.width(e)),
            Node::FloatUnary(op, rounding, a) => {
                self.float_unary(op, rounding, image(a), from.width(e))
            }
            Node::FloatBinary(op, rounding, a, b) => {
                self.float_binary(op, rounding, image(a), image(b))
            }
            Node::FloatMulAdd(rounding, operands) => {
                self.float_mul_add(rounding, operands.map(image))
            }
            Node::FloatCompare(relation, a, b) => self.float_compare(relation, image(a), image(b)),
            Node::Select(table, index) => {
                let elements: Vec<_> =
                    from.table_elements(table).iter().map(|element| image(*element)).collect();
                self.select(self.table(&elements), image(index))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::VariableKind;
    use super::*;

    #[test]
    fn replacing_the_revision_decides_a_meta_branch() {
        let exprs = Exprs::new();
        let x = exprs.variable("x", 32, VariableKind::Input);
        let revision = exprs.as_variable(exprs.revision()).unwrap();
        let is_two = exprs.eq(exprs.revision(), exprs.constant(32, 2));
        let value = exprs.ite(is_two, exprs.add(x, exprs.constant(32, 1)), x);
        assert_eq!(exprs.substitute(value, revision, exprs.constant(32, 0)), x);
        assert!(exprs.is_true(exprs.substitute(is_two, revision, exprs.constant(32, 2))));
        assert_eq!(exprs.substitute(x, revision, exprs.constant(32, 2)), x);
    }

    #[test]
    fn elements_of_tables_are_replaced_too() {
        let exprs = Exprs::new();
        let [x, i] = ["x", "i"].map(|name| exprs.variable(name, 8, VariableKind::Input));
        let row = |first: ExprId| exprs.select(exprs.table(&[first, exprs.constant(8, 1)]), i);
        let seven = exprs.constant(8, 7);
        assert_eq!(exprs.substitute(row(x), exprs.as_variable(x).unwrap(), seven), row(seven));
    }
}
