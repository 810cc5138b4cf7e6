//! Decides constraints that share no variable separately.

use rustc_hash::FxHashMap;

use super::{Decided, Decorator, Query, Solver, Unknown, Verdict};
use crate::expr::{Assignment, ExprId, Exprs, VariableId};

/// Splits a query into the classes of constraints that variables connect (union-find). It asks
/// about each class, those with goals first, and combines the models. The classes share no
/// variables, so together the models satisfy every constraint.
///
/// The idea is KLEE's independent solver (Cadar, Dunbar, Engler, OSDI 2008, section 3.3). KLEE
/// assumes that classes without a goal are satisfiable. This layer asks about them, too, which
/// costs a lookup in the cache below.
pub struct Independence;

impl Decorator for Independence {
    const NAME: &'static str = "independence";

    fn decide(&mut self, below: &mut impl Solver, exprs: &Exprs, query: Query<'_>) -> Decided {
        let classes = classes(exprs, query);
        if let [_] = &classes[..] {
            return (below.check(exprs, query), false);
        }
        let mut model = Assignment::default();
        let mut unknown: Option<Unknown> = None;
        for class in &classes {
            let query = Query { path_condition: &class.path, goals: &class.goals, model: None };
            match below.check(exprs, query) {
                Verdict::Sat(part) => model.0.extend(part.0),
                Verdict::Unsat => return (Verdict::Unsat, false),
                Verdict::Unknown(why) => unknown = Some(why),
            }
        }
        (unknown.map_or(Verdict::Sat(model), Verdict::Unknown), false)
    }
}

#[derive(Default)]
struct Class {
    path: Vec<ExprId>,
    goals: Vec<ExprId>,
}

/// The classes of a query, those with goals first, each with its constraints in the given order.
fn classes(exprs: &Exprs, query: Query<'_>) -> Vec<Class> {
    let mut union = UnionFind::default();
    let constraints: Vec<_> = query.constraints().collect();
    let members: Vec<Option<usize>> = constraints
        .iter()
        .map(|constraint| {
            let variables = exprs.variables(*constraint);
            let mut nodes =
                variables.iter().map(|v| union.node(*v)).collect::<Vec<_>>().into_iter();
            let first = nodes.next()?;
            nodes.for_each(|node| union.join(first, node));
            Some(first)
        })
        .collect();
    let mut classes: Vec<Class> = Vec::new();
    let mut index: FxHashMap<Option<usize>, usize> = FxHashMap::default();
    for (position, (constraint, member)) in constraints.iter().zip(members).enumerate() {
        let root = member.map(|node| union.find(node));
        let class = *index.entry(root).or_insert_with(|| {
            classes.push(Class::default());
            classes.len() - 1
        });
        if position < query.path_condition.len() {
            classes[class].path.push(*constraint);
        } else {
            classes[class].goals.push(*constraint);
        }
    }
    classes.sort_by_key(|class| class.goals.is_empty());
    classes
}

#[derive(Default)]
struct UnionFind {
    nodes: FxHashMap<VariableId, usize>,
    parents: Vec<usize>,
}

impl UnionFind {
    fn node(&mut self, v: VariableId) -> usize {
        *self.nodes.entry(v).or_insert_with(|| {
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    fn find(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
