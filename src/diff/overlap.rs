//! Which halt states can overlap, decided without a solver.
//!
//! States of one execution tree share most of their conditions, as the same expressions. Their
//! paths are kept as a tree. A search for the states that a path may overlap skips everything below
//! the negation of a condition of that path. So its cost grows with the number of states found, not
//! with the number of all states.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::{Assignment, Evaluator, ExprId, Exprs, Memo};

/// A condition by its number, or its negation.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
struct Literal(u32);

impl Literal {
    fn negation(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// The paths of halt states.
#[derive(Default)]
pub(super) struct Paths {
    literals: FxHashMap<ExprId, Literal>,
    /// The condition of each even literal.
    conditions: Vec<ExprId>,
    /// The nodes of the tree. All paths begin at the first.
    nodes: Vec<Node>,
    /// For each state the node where its path ends, and the next state that ends there.
    ends: Vec<(u32, Option<u32>)>,
}

/// A node of the tree: the end of a path, or of a prefix that several paths share.
struct Node {
    /// The last condition up to here. It has no meaning in the first node.
    literal: Literal,
    /// A state whose path ends here.
    state: Option<u32>,
    /// The newest child, and the sibling that was its parent's newest child before this node.
    child: Option<u32>,
    sibling: Option<u32>,
    /// Number of states whose paths end here or further down.
    below: u32,
}

/// The states that a path may overlap with.
pub(super) struct Overlap {
    /// The states that the path may overlap with, in ascending order.
    pub(super) states: Vec<usize>,
    /// How many other states the path excludes.
    pub(super) excluded: usize,
}

impl Paths {
    /// Adds the path of the next state.
    pub(super) fn push(&mut self, exprs: &Exprs, path: &[ExprId]) {
        if self.nodes.is_empty() {
            self.add_node(Literal(0), None);
        }
        let mut node = 0;
        self.nodes[0].below += 1;
        for &condition in path {
            let literal = self.literal(exprs, condition);
            let first = self.nodes[node as usize].child;
            let mut children = self.list(first);
            let known = children.find(|child| self.nodes[*child as usize].literal == literal);
            drop(children);
            node = known.unwrap_or_else(|| {
                let child = self.add_node(literal, first);
                self.nodes[node as usize].child = Some(child);
                child
            });
            self.nodes[node as usize].below += 1;
        }
        let state = self.ends.len() as u32;
        let before = self.nodes[node as usize].state.replace(state);
        self.ends.push((node, before));
    }

    /// The states on whose paths no condition is the negation of one in `path`, in ascending order.
    /// They may still exclude `path` in another way.
    pub(super) fn overlapping(&self, path: &[ExprId]) -> Vec<usize> {
        self.overlap(path).states
    }

    /// The states on whose paths no condition is the negation of one in `path`, and the number of
    /// all other states.
    pub(super) fn overlap(&self, path: &[ExprId]) -> Overlap {
        let negated: FxHashSet<Literal> = path
            .iter()
            .filter_map(|condition| self.literals.get(condition))
            .map(|literal| literal.negation())
            .collect();
        self.reached(|literal| !negated.contains(&literal))
    }

    /// The states whose paths an assignment takes, in ascending order.
    pub(super) fn taken(&self, exprs: &Exprs, model: &Assignment) -> Vec<usize> {
        self.taken_by(&mut Evaluator::new(exprs, model, &mut Memo::default())).0
    }

    /// The states whose paths the assignment of an evaluator takes, in ascending order, and the
    /// number of conditions looked at to find them.
    pub(super) fn taken_by(&self, evaluator: &mut Evaluator<'_>) -> (Vec<usize>, usize) {
        let mut looked_at = 0;
        let overlap = self.reached(|Literal(number)| {
            looked_at += 1;
            evaluator.holds(self.conditions[number as usize / 2]) == (number % 2 == 0)
        });
        (overlap.states, looked_at)
    }

    /// The states on whose paths every condition is `allowed`.
    fn reached(&self, mut allowed: impl FnMut(Literal) -> bool) -> Overlap {
        let (mut states, mut excluded) = (Vec::new(), 0);
        let mut open: Vec<u32> = self.nodes.first().map(|_| 0).into_iter().collect();
        while let Some(node) = open.pop() {
            let Node { state, child, .. } = self.nodes[node as usize];
            let here = std::iter::successors(state, |state| self.ends[*state as usize].1);
            states.extend(here.map(|state| state as usize));
            for child in self.list(child) {
                let Node { literal, below, .. } = self.nodes[child as usize];
                if allowed(literal) {
                    open.push(child);
                } else {
                    excluded += below as usize;
                }
            }
        }
        states.sort_unstable();
        Overlap { states, excluded }
    }

    /// A node and its older siblings.
    fn list(&self, first: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(first, |node| self.nodes[*node as usize].sibling)
    }

    fn add_node(&mut self, literal: Literal, sibling: Option<u32>) -> u32 {
        self.nodes.push(Node { literal, state: None, child: None, sibling, below: 0 });
        self.nodes.len() as u32 - 1
    }

    fn literal(&mut self, exprs: &Exprs, condition: ExprId) -> Literal {
        if let Some(known) = self.literals.get(&condition) {
            return *known;
        }
        let literal = Literal(2 * self.conditions.len() as u32);
        self.conditions.push(condition);
        self.literals.insert(condition, literal);
        self.literals.insert(exprs.not(condition), literal.negation());
        literal
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::expr::Bv;

    /// Bits by index, and the value of each.
    type Path = [(usize, bool)];

    proptest! {
        /// The tree finds what comparing all pairs finds.
        #[test]
        fn paths_without_a_contradiction_overlap(
            paths in prop::collection::vec(prop::collection::vec((0_usize..6, any::<bool>()), 0..6), 1..40),
            values in prop::array::uniform6(any::<bool>()),
        ) {
            let exprs = Exprs::new();
            let bits: Vec<ExprId> = (0..6).map(|i| exprs.input(&format!("c{i}"), 1)).collect();
            let literal = |&(bit, holds): &(usize, bool)| {
                if holds { bits[bit] } else { exprs.not(bits[bit]) }
            };
            let mut all = Paths::default();
            for path in &paths {
                all.push(&exprs, &path.iter().map(literal).collect::<Vec<_>>());
            }
            let which = |keep: &dyn Fn(&Path) -> bool| -> Vec<usize> {
                (0..paths.len()).filter(|state| keep(&paths[*state])).collect()
            };
            for path in &paths {
                let overlap = which(&|other| {
                    !other.iter().any(|(bit, holds)| path.contains(&(*bit, !holds)))
                });
                let conditions: Vec<_> = path.iter().map(literal).collect();
                let found = all.overlap(&conditions);
                prop_assert_eq!(found.excluded, paths.len() - overlap.len());
                prop_assert_eq!(found.states, overlap);
            }
            let model = bits.iter().zip(values).map(|(bit, value)| {
                (exprs.as_variable(*bit).expect("an input"), Bv::new(1, value.into()))
            });
            let taken = which(&|path| path.iter().all(|(bit, holds)| values[*bit] == *holds));
            prop_assert_eq!(all.taken(&exprs, &Assignment(model.collect())), taken);
        }
    }
}
