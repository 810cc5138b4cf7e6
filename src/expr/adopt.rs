//! Copies expressions from one arena into another ([`Adoption`]).

use rustc_hash::FxHashMap;

use super::{ExprId, Exprs, Node, VariableId};

/// Copies expressions from one arena into another. It remembers what it has copied, so one adoption
/// serves many expressions that share terms.
pub struct Adoption<'a> {
    from: &'a Exprs,
    to: &'a Exprs,
    name: &'a dyn Fn(VariableId) -> String,
    memo: FxHashMap<ExprId, ExprId>,
}

impl<'a> Adoption<'a> {
    /// An adoption from one arena into another. `name` gives each variable its name there.
    pub fn new(from: &'a Exprs, to: &'a Exprs, name: &'a dyn Fn(VariableId) -> String) -> Self {
        Self { from, to, name, memo: FxHashMap::default() }
    }

    /// The expression `e` of the first arena, in the second arena.
    ///
    /// # Panics
    /// If the second arena has a variable of another width or kind under the name of one in `e`.
    pub fn adopt(&mut self, e: ExprId) -> ExprId {
        let Self { from, to, name, memo } = self;
        from.post_order(
            &[e],
            memo,
            |memo, e| memo.contains_key(&e),
            |memo, e| {
                let new = match from.node(e) {
                    Node::Constant(_) | Node::WideConstant(_) => {
                        to.bv(&from.as_bv(e).expect("constant"))
                    }
                    Node::Variable(v) => {
                        to.variable(&name(v), from.variable_width(v), from.variable_kind(v))
                    }
                    _ => to.like(from, e, |operand| memo[&operand]),
                };
                memo.insert(e, new);
            },
        );
        memo[&e]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::VariableKind;

    #[test]
    fn an_adopted_expression_means_the_same() {
        let (from, to) = (Exprs::new(), Exprs::new());
        // The other arena numbers its nodes and variables differently.
        to.input("y", 8);
        let [x, y] = ["x", "y"].map(|name| from.input(name, 8));
        let sum = from.add(from.mul(x, y), from.constant(8, 3));
        let table = from.table(&[sum, from.constant(8, 1)]);
        let e = from.ite(from.ult(x, y), from.select(table, y), from.neg(x));
        let wide = from.concat(from.zext(e, 40), from.zext(e, 40));
        let name = |v: VariableId| from.variable_name(v).to_owned();
        let mut adoption = Adoption::new(&from, &to, &name);
        assert_eq!(to.display(adoption.adopt(wide)), from.display(wide));
        assert_eq!(to.width(adoption.adopt(wide)), 80);
    }

    #[test]
    fn variables_get_other_names() {
        let (from, to) = (Exprs::new(), Exprs::new());
        let x = from.variable("x", 8, VariableKind::Uninitialised);
        to.input("x", 16);
        let mut adoption = Adoption::new(&from, &to, &|_| "other x".into());
        assert_eq!(to.display(adoption.adopt(x)), "other x");
    }
}
