//! The alternatives of a choice (an expression over the revision) for the revisions of a state.
//!
//! One walk finds the alternatives of all revisions together. It takes a set of revisions down the
//! expression, divides the set where a condition asks for the revision, and computes each distinct
//! alternative of an operation once. Substituting one revision after another would take quadratic
//! time: one walk for each revision over all arms of the choice.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use rustc_hash::FxHashMap;

use super::Program;
use crate::{
    expr::{BinaryOp, ExprId, Exprs, Node, Substitution, VariableId},
    subject::{Revision, RevisionSet},
};

/// The alternatives of an expression, each with the revisions for which the expression equals it.
/// No alternative mentions the revision.
type Alternatives = BTreeMap<ExprId, RevisionSet>;

/// Below this many nested operations, one revision is substituted after another, which takes no
/// recursion. A path through a loop makes terms as deep as the loop is long.
const DEPTH: u32 = 100;

/// Up to this many pairs of a set and an alternative are intersected one by one. If there are more,
/// each revision is looked up.
const FEW: usize = 256;

/// Finds the alternatives of expressions.
pub(super) struct Choices<'e> {
    exprs: &'e Exprs,
    revision: VariableId,
    revision_expr: ExprId,
    /// What was found already: terms share subterms.
    known: RefCell<FxHashMap<(ExprId, RevisionSet), Rc<Alternatives>>>,
    of_one: RefCell<FxHashMap<Revision, Substitution>>,
}

impl Program {
    /// Finds the alternatives of this program's expressions.
    pub(super) fn choices(&self) -> Choices<'_> {
        Choices::new(&self.exprs, self.revision, self.revision_expr)
    }
}

impl<'e> Choices<'e> {
    /// Finds alternatives. The revision is the variable `revision`, which is the expression
    /// `revision_expr`.
    pub(super) fn new(exprs: &'e Exprs, revision: VariableId, revision_expr: ExprId) -> Self {
        let (known, of_one) = Default::default();
        Self { exprs, revision, revision_expr, known, of_one }
    }

    /// The alternatives of an expression for these revisions, the alternative of the smallest
    /// revision first.
    pub(super) fn of(&self, e: ExprId, set: &RevisionSet) -> Vec<(ExprId, RevisionSet)> {
        let found = self.alternatives(e, set, 0);
        grouped(found.iter().map(|(e, set)| (*e, set.clone())).collect(), |e| e)
    }

    fn alternatives(&self, e: ExprId, set: &RevisionSet, depth: u32) -> Rc<Alternatives> {
        if !self.exprs.mentions(e).revision() {
            return Rc::new(Alternatives::from([(e, set.clone())]));
        }
        let key = (e, set.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = Rc::new(self.find(e, set.clone(), depth + 1));
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    fn find(&self, e: ExprId, set: RevisionSet, depth: u32) -> Alternatives {
        let mut found = Alternatives::new();
        let (mut e, mut set) = (e, set);
        // Walks a chain of arms without recursion: it may have as many as there are patches.
        while !set.is_empty() {
            if !self.exprs.mentions(e).revision() {
                add(&mut found, e, &set);
                break;
            }
            if let Some([holds, fails]) = self.truth(e, &set) {
                for (truth, set) in [(true, holds), (false, fails)] {
                    if !set.is_empty() {
                        add(&mut found, self.exprs.bool(truth), &set);
                    }
                }
                break;
            }
            let arms = match self.exprs.node(e) {
                Node::Ite(condition, a, b) => {
                    self.truth(condition, &set).map(|[holds, fails]| (a, holds, b, fails))
                }
                _ => None,
            };
            let Some((a, holds, b, fails)) = arms else {
                for (e, set) in self.operation(e, &set, depth) {
                    add(&mut found, e, &set);
                }
                break;
            };
            if !holds.is_empty() {
                for (e, set) in self.alternatives(a, &holds, depth).iter() {
                    add(&mut found, *e, set);
                }
            }
            (e, set) = (b, fails);
        }
        found
    }

    /// The revisions of `set` for which a condition holds, and the others; `None` unless the
    /// condition plainly depends on the revision alone.
    fn truth(&self, condition: ExprId, set: &RevisionSet) -> Option<[RevisionSet; 2]> {
        let exprs = self.exprs;
        if exprs.width(condition) != 1 || exprs.mentions(condition).input() || set.is_empty() {
            return set.is_empty().then(Default::default);
        }
        match exprs.node(condition) {
            Node::Not(inner) => self.truth(inner, set).map(|[holds, fails]| [fails, holds]),
            Node::Binary(BinaryOp::Or, a, b) => {
                let [holds, rest] = self.truth(a, set)?;
                let [others, fails] = self.truth(b, &rest)?;
                Some([holds.union(&others), fails])
            }
            Node::Binary(BinaryOp::And, a, b) => {
                let [rest, fails] = self.truth(a, set)?;
                let [holds, others] = self.truth(b, &rest)?;
                Some([holds, fails.union(&others)])
            }
            Node::Binary(BinaryOp::Eq, a, b) => {
                let number = match () {
                    () if a == self.revision_expr => exprs.as_u64(b)?,
                    () if b == self.revision_expr => exprs.as_u64(a)?,
                    () => return None,
                };
                let mut others = set.clone();
                let revision = u32::try_from(number).ok().map(Revision);
                let found = revision.filter(|revision| others.remove(*revision));
                Some([found.into_iter().collect(), others])
            }
            _ => None,
        }
    }

    /// The alternatives of an operation, made of those of its operands.
    fn operation(&self, e: ExprId, set: &RevisionSet, depth: u32) -> Alternatives {
        let exprs = self.exprs;
        let width = exprs.width(e);
        let one = |of, make: &dyn Fn(ExprId) -> ExprId| self.one(of, set, depth, make);
        match exprs.node(e) {
            _ if depth > DEPTH => self.one_by_one(e, set),
            Node::Ite(condition, a, b) => self.ite([condition, a, b], set, depth),
            Node::Not(a) => one(a, &|x| exprs.not(x)),
            Node::Neg(a) => one(a, &|x| exprs.neg(x)),
            Node::Zext(a) => one(a, &|x| exprs.zext(x, width)),
            Node::Sext(a) => one(a, &|x| exprs.sext(x, width)),
            Node::Extract { of, low } => one(of, &|x| exprs.extract(x, low, width)),
            Node::Binary(op, a, b) => {
                // `false && b` and `true || b` do not depend on `b`.
                let settled = match op {
                    BinaryOp::And if width == 1 => Some(0),
                    BinaryOp::Or if width == 1 => Some(1),
                    _ => None,
                };
                self.two([a, b], set, depth, settled, &|x, y| exprs.binary(op, x, y))
            }
            Node::Concat(a, b) => self.two([a, b], set, depth, None, &|x, y| exprs.concat(x, y)),
            _ => self.one_by_one(e, set),
        }
    }

    fn one(
        &self,
        of: ExprId,
        set: &RevisionSet,
        depth: u32,
        make: &dyn Fn(ExprId) -> ExprId,
    ) -> Alternatives {
        let mut found = Alternatives::new();
        for (x, set) in self.alternatives(of, set, depth).iter() {
            add(&mut found, make(*x), set);
        }
        found
    }

    /// The alternatives of an operation on two operands. Where the first operand is the number
    /// `settled`, that number is the result.
    fn two(
        &self,
        [a, b]: [ExprId; 2],
        set: &RevisionSet,
        depth: u32,
        settled: Option<u64>,
        make: &dyn Fn(ExprId, ExprId) -> ExprId,
    ) -> Alternatives {
        let is_settled = |x| settled.is_some() && self.exprs.as_u64(x) == settled;
        let first = self.alternatives(a, set, depth);
        let (done, open): (Vec<_>, Vec<_>) =
            first.iter().map(|(x, set)| (*x, set.clone())).partition(|(x, _)| is_settled(*x));
        let mut found: Alternatives = done.into_iter().collect();
        if !open.is_empty() {
            for (x, y, set) in refined(open, &self.alternatives(b, set, depth)) {
                add(&mut found, make(x, y), &set);
            }
        }
        found
    }

    /// The alternatives of a choice between two operands, if its condition is not one on the
    /// revision alone.
    fn ite(&self, [condition, a, b]: [ExprId; 3], set: &RevisionSet, depth: u32) -> Alternatives {
        let exprs = self.exprs;
        let mut found = Alternatives::new();
        let [holds, fails] = [a, b].map(|arm| move || self.alternatives(arm, set, depth));
        let mut open = Vec::new();
        for (condition, set) in self.alternatives(condition, set, depth).iter() {
            let taken = match exprs.as_u64(*condition) {
                Some(0) => fails(),
                Some(_) => holds(),
                None => {
                    open.push((*condition, set.clone()));
                    continue;
                }
            };
            for ((), e, set) in refined(vec![((), set.clone())], &taken) {
                add(&mut found, e, &set);
            }
        }
        if !open.is_empty() {
            let open = refined(open, &holds()).into_iter();
            let open = open.map(|(condition, x, set)| ((condition, x), set)).collect();
            for ((condition, x), y, set) in refined(open, &fails()) {
                add(&mut found, exprs.ite(condition, x, y), &set);
            }
        }
        found
    }

    /// The alternatives of an expression, by substituting one revision after another.
    fn one_by_one(&self, e: ExprId, set: &RevisionSet) -> Alternatives {
        let mut found = Alternatives::new();
        let mut known = self.of_one.borrow_mut();
        for revision in set.iter() {
            let substitution = known.entry(revision).or_insert_with(|| {
                let number = self.exprs.constant(32, u64::from(revision.0));
                Substitution::new(self.exprs, self.revision, number)
            });
            let alternative = substitution.apply(self.exprs, e);
            add(&mut found, alternative, &RevisionSet::from_iter([revision]));
        }
        found
    }
}

/// The revisions of alternatives, grouped by a key of the alternative; the group of the smallest
/// revision comes first.
pub(super) fn grouped<K: Ord>(
    alternatives: Vec<(ExprId, RevisionSet)>,
    key: impl Fn(ExprId) -> K,
) -> Vec<(K, RevisionSet)> {
    if alternatives.len() == 1 {
        return alternatives.into_iter().map(|(only, set)| (key(only), set)).collect();
    }
    let mut groups: BTreeMap<K, RevisionSet> = BTreeMap::new();
    for (alternative, set) in alternatives {
        let known = groups.entry(key(alternative)).or_default();
        *known = known.union(&set);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, set)| set.first());
    groups
}

/// Divides disjoint sets of revisions by the alternatives that the revisions have.
fn refined<K: Copy>(
    parts: Vec<(K, RevisionSet)>,
    by: &Alternatives,
) -> Vec<(K, ExprId, RevisionSet)> {
    let mut found = Vec::new();
    if parts.len() * by.len() <= FEW {
        for (key, set) in parts {
            for (e, of) in by {
                let both = set.intersection(of);
                if !both.is_empty() {
                    found.push((key, *e, both));
                }
            }
        }
        return found;
    }
    let of_each = by.iter().flat_map(|(e, set)| set.iter().map(|revision| (revision, *e)));
    let of_each: FxHashMap<Revision, ExprId> = of_each.collect();
    for (key, set) in parts {
        let mut divided: BTreeMap<ExprId, RevisionSet> = BTreeMap::new();
        for revision in set.iter() {
            if let Some(e) = of_each.get(&revision) {
                divided.entry(*e).or_default().insert(revision);
            }
        }
        found.extend(divided.into_iter().map(|(e, set)| (key, e, set)));
    }
    found
}

fn add(found: &mut Alternatives, e: ExprId, set: &RevisionSet) {
    let known = found.entry(e).or_default();
    *known = known.union(set);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{expr::VariableKind, subject::Revision};

    /// What to do with the two expressions made last.
    fn steps() -> impl Strategy<Value = Vec<(u8, u32)>> {
        prop::collection::vec((0_u8..10, 0_u32..6), 1..20)
    }

    #[test]
    fn terms_may_be_deep_and_share_what_they_are_made_of() {
        let exprs = Exprs::new();
        let revision_expr = exprs.revision();
        let revision = exprs.as_variable(revision_expr).unwrap();
        let x = exprs.variable("x", 32, VariableKind::Input);
        let is = exprs.eq(revision_expr, exprs.constant(32, 1));
        let chosen = exprs.ite(is, x, exprs.constant(32, 7));
        let set: RevisionSet = (0..3).map(Revision).collect();
        let (mut deep, mut wide) = (chosen, chosen);
        for _ in 0..100_000 {
            deep = exprs.xor(exprs.add(deep, x), exprs.mul(x, x));
        }
        for _ in 0..64 {
            wide = exprs.mul(exprs.not(wide), exprs.xor(wide, x));
        }
        for e in [deep, wide] {
            let found = Choices::new(&exprs, revision, revision_expr).of(e, &set);
            assert_eq!(found.len(), 2);
            for (alternative, part) in found {
                let number = exprs.constant(32, u64::from(part.first().unwrap().0));
                assert_eq!(alternative, exprs.substitute(e, revision, number));
            }
        }
    }

    /// Choices made by the input, with more pairs of alternatives than are looked at one by one.
    #[test]
    fn choices_of_the_input_have_the_alternatives_of_both_sides() {
        let exprs = Exprs::new();
        let revision_expr = exprs.revision();
        let revision = exprs.as_variable(revision_expr).unwrap();
        let x = exprs.variable("x", 32, VariableKind::Input);
        let constant = |value: u32| exprs.constant(32, u64::from(value));
        let chosen = |of: u32| {
            let arms = (0..40).map(|number| (exprs.eq(revision_expr, constant(number)), number));
            arms.fold(constant(0), |rest, (is, number)| exprs.ite(is, constant(number / of), rest))
        };
        let holds = exprs.ult(x, chosen(5));
        let e = exprs.ite(holds, exprs.add(x, chosen(1)), chosen(2));
        let found =
            Choices::new(&exprs, revision, revision_expr).of(e, &(0..40).map(Revision).collect());
        assert_eq!(found.iter().map(|(_, set)| set.len()).sum::<usize>(), 40);
        assert_eq!(
            found.len(),
            38,
            "for the first five, nothing is below, and their halves are three"
        );
        for (alternative, part) in found {
            for revision_of in part.iter() {
                assert_eq!(alternative, exprs.substitute(e, revision, constant(revision_of.0)));
            }
        }
    }

    proptest! {
        #[test]
        fn alternatives_are_what_each_revision_makes_of_it(steps in steps()) {
            let exprs = Exprs::new();
            let revision_expr = exprs.revision();
            let revision = exprs.as_variable(revision_expr).unwrap();
            let x = exprs.variable("x", 32, VariableKind::Input);
            let constant = |value: u32| exprs.constant(32, u64::from(value));
            let mut made = vec![x, constant(3)];
            for (what, value) in steps {
                let (a, b) = (made[made.len() - 1], made[made.len() - 2]);
                let is = exprs.eq(revision_expr, constant(value));
                made.push(match what {
                    0 => exprs.ite(is, a, b),
                    1 => exprs.ite(exprs.or(is, exprs.eq(revision_expr, constant(1))), a, b),
                    2 => exprs.ite(exprs.not(is), a, constant(value)),
                    3 => exprs.ite(exprs.ult(revision_expr, constant(value)), a, b),
                    4 => exprs.ite(exprs.ult(a, b), a, constant(value)),
                    5 => exprs.add(a, b),
                    6 => exprs.neg(a),
                    7 => exprs.zext(exprs.extract(a, 0, 8), 32),
                    8 => exprs.concat(exprs.extract(a, 0, 16), exprs.extract(b, 16, 16)),
                    _ => exprs.add(a, constant(value)),
                });
            }
            let e = *made.last().unwrap();
            let set: RevisionSet = (0..5).map(Revision).collect();
            let choices = Choices::new(&exprs, revision, revision_expr);
            let mut seen = RevisionSet::new();
            for (alternative, part) in choices.of(e, &set) {
                prop_assert!(seen.is_disjoint(&part) && !part.is_empty());
                seen = seen.union(&part);
                for revision in part.iter() {
                    let number = constant(revision.0);
                    let alone = exprs.substitute(e, choices.revision, number);
                    prop_assert_eq!(alternative, alone);
                }
            }
            prop_assert_eq!(seen, set);
        }
    }
}
