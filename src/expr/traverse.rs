//! Walks over terms without recursion: a path through a loop makes terms as deep as the loop is
//! long.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{ExprId, Exprs, Node, VariableId};

impl Exprs {
    /// Calls `f` on every operand of `e`, first to last; the elements of a table are operands.
    pub fn for_each_operand(&self, e: ExprId, mut f: impl FnMut(ExprId)) {
        match self.node(e) {
            Node::Constant(_) | Node::WideConstant(_) | Node::Variable(_) => {}
            Node::Not(a)
            | Node::Neg(a)
            | Node::Zext(a)
            | Node::Sext(a)
            | Node::FloatUnary(_, _, a) => f(a),
            Node::Extract { of, .. } => f(of),
            Node::Binary(_, a, b)
            | Node::Concat(a, b)
            | Node::FloatBinary(_, _, a, b)
            | Node::FloatCompare(_, a, b) => {
                f(a);
                f(b);
            }
            Node::FloatMulAdd(_, operands) => operands.into_iter().for_each(f),
            Node::Ite(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
            Node::Select(table, index) => {
                f(index);
                self.table_elements(table).iter().copied().for_each(f);
            }
        }
    }

    /// Visits `roots` and every term below them for which `done` does not hold yet. Operands come
    /// before the terms that use them; the order depends only on structure. `visit` must make
    /// `done` true.
    pub(crate) fn post_order<S>(
        &self,
        roots: &[ExprId],
        state: &mut S,
        done: impl Fn(&S, ExprId) -> bool,
        mut visit: impl FnMut(&mut S, ExprId),
    ) {
        let mut stack: Vec<(ExprId, bool)> = Vec::new();
        for root in roots {
            stack.push((*root, false));
            while let Some((e, operands_done)) = stack.pop() {
                if done(state, e) {
                    continue;
                }
                if operands_done {
                    visit(state, e);
                    continue;
                }
                stack.push((e, true));
                let first = stack.len();
                self.for_each_operand(e, |operand| {
                    if !done(state, operand) {
                        stack.push((operand, false));
                    }
                });
                stack[first..].reverse();
            }
        }
    }

    /// Whether `is` holds for `e` or any term below it.
    pub fn any_node(&self, e: ExprId, is: impl Fn(ExprId) -> bool) -> bool {
        let mut seen = FxHashSet::from_iter([e]);
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if is(e) {
                return true;
            }
            self.for_each_operand(e, |operand| {
                if seen.insert(operand) {
                    open.push(operand);
                }
            });
        }
        false
    }

    /// The variables of `e`, ascending by id; cached per node.
    pub fn variables(&self, e: ExprId) -> &[VariableId] {
        if let Some(known) = self.arena.entry(e).variables.get() {
            return known;
        }
        let cached = |e: ExprId| self.arena.entry(e).variables.get();
        self.post_order(
            &[e],
            &mut (),
            |_, e| cached(e).is_some(),
            |_, e| {
                let set = self.variables_of_operands(e);
                self.arena.entry(e).variables.get_or_init(|| set);
            },
        );
        cached(e).expect("visited just now")
    }

    fn variables_of_operands(&self, e: ExprId) -> Arc<[VariableId]> {
        if let Node::Variable(v) = self.node(e) {
            return Arc::new([v]);
        }
        let mut largest: Option<&Arc<[VariableId]>> = None;
        let mut all = FxHashSet::default();
        self.for_each_operand(e, |operand| {
            let set = self.arena.entry(operand).variables.get().expect("operands come first");
            all.extend(set.iter().copied());
            if largest.is_none_or(|known| known.len() < set.len()) {
                largest = Some(set);
            }
        });
        match largest {
            Some(set) if set.len() == all.len() => set.clone(),
            _ => {
                let mut sorted: Vec<_> = all.into_iter().collect();
                sorted.sort_unstable();
                sorted.into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::VariableKind;
    use super::*;

    #[test]
    fn variables_are_those_of_every_operand_and_element() {
        let exprs = Exprs::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| exprs.variable(name, 8, VariableKind::Input));
        let table = exprs.table(&[c, exprs.constant(8, 3)]);
        let e = exprs.add(exprs.select(table, a), exprs.mul(b, a));
        let names: Vec<_> =
            exprs.variables(e).iter().map(|v| exprs.variable_name(*v).to_owned()).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(exprs.variables(exprs.constant(8, 3)).is_empty());
    }
}
