//! Which addresses a value may be, or is computed from.
//!
//! Addresses are recognised by their values: constants close to an object. Most numbers have no
//! constant that may be one ([`LARGE`]), and are told from addresses at a glance.

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::value::Value;
use crate::{
    expr::{BinaryOp, ExprId, Exprs, LARGE, Node},
    ir::address,
};

/// The most terms with large constants that are visited in search of the addresses in one term.
/// Whatever is left then counts as [`address::OF_NOTHING`] or a number.
const TERMS: u32 = 1024;
/// The number of visited terms after which each choice is looked at only once.
const FEW: u32 = 32;
const _: () = assert!(
    address::OF_NOTHING >= LARGE.start
        && address::object_address(address::END_OF_OBJECTS) <= LARGE.end
);

/// The addresses that a value may be, or from which it is an offset.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Addresses {
    /// The addresses. For a symbolic offset, the address to which it is added.
    pub all: SmallVec<[u64; 2]>,
    /// Whether the value may also be something else that is not null.
    pub others: bool,
    /// Whether the value may also be null.
    pub null: bool,
}

impl Addresses {
    /// The first address, if any.
    pub fn first(&self) -> Option<u64> {
        self.all.first().copied()
    }

    /// Whether both can only be null or addresses in one object.
    pub fn meet(&self, other: &Self) -> bool {
        let mut objects = self.all.iter().chain(&other.all).map(|at| address::nearest_object(*at));
        let first = objects.next();
        !self.others && !other.others && objects.all(|object| Some(object) == first)
    }

    /// Whether both can only be addresses in one object.
    pub fn share_object(&self, other: &Self) -> bool {
        !self.null && !other.null && self.meet(other)
    }

    /// Whether an address of each may be in one object.
    pub fn may_meet(&self, other: &Self) -> bool {
        let is_in = |object| other.all.iter().any(|at| address::nearest_object(*at) == object);
        self.others || other.others || self.all.iter().any(|at| is_in(address::nearest_object(*at)))
    }

    /// The addresses that `value` may be, or from which it is an offset. `is_close` says whether a
    /// number is an address: that of a function, or close to an object.
    pub(super) fn of<F: Fn(u64) -> bool>(exprs: &Exprs, value: Value, is_close: F) -> Self {
        match value {
            Value::Int(address) => Self::at(address, &is_close),
            Value::Expr(e) if exprs.width(e) == 64 && exprs.mentions(e).large() => {
                Search { is_close, exprs, left: TERMS, known: FxHashMap::default() }.find(e)
            }
            Value::Expr(e) if exprs.width(e) == 64 => Self::number(),
            Value::Expr(_) | Value::Undefined => Self::default(),
        }
    }

    fn at(value: u64, is_close: impl Fn(u64) -> bool) -> Self {
        match value {
            0 => Self { null: true, ..Self::default() },
            _ if is_close(value) => Self { all: smallvec![value], ..Self::default() },
            _ => Self::number(),
        }
    }

    /// A number that is no address.
    fn number() -> Self {
        Self { others: true, ..Self::default() }
    }

    /// What either may be.
    fn or(mut self, other: Self) -> Self {
        for address in other.all {
            if !self.all.contains(&address) {
                self.all.push(address);
            }
        }
        Self { all: self.all, others: self.others || other.others, null: self.null || other.null }
    }

    /// What a sum of both may be.
    fn plus(self, other: Self) -> Self {
        let (base, offset) = if self.all.is_empty() { (other, self) } else { (self, other) };
        let others = base.others || base.all.is_empty() || !offset.all.is_empty();
        Self { others, ..base }
    }
}

/// A search for the addresses in a term.
struct Search<'a, F> {
    is_close: F,
    exprs: &'a Exprs,
    /// The number of terms that may still be visited.
    left: u32,
    /// What was found in choices, once more than a few terms were visited: arms may share much.
    known: FxHashMap<ExprId, Addresses>,
}

impl<F: Fn(u64) -> bool> Search<'_, F> {
    fn find(&mut self, e: ExprId) -> Addresses {
        let node = self.exprs.node(e);
        if let Node::Constant(value) = node {
            return Addresses::at(value, &self.is_close);
        }
        if !self.exprs.mentions(e).large() {
            return Addresses::number();
        }
        if let Some(known) = self.known.get(&e) {
            return known.clone();
        }
        let Some(left) = self.left.checked_sub(1) else {
            return Addresses { all: smallvec![address::OF_NOTHING], ..Addresses::number() };
        };
        self.left = left;
        let found = match node {
            Node::Binary(BinaryOp::Add, a, b) => return self.find(a).plus(self.find(b)),
            Node::Ite(_, a, b) => self.find(a).or(self.find(b)),
            Node::Select(table, _) => {
                let mut found = Addresses::default();
                for element in self.exprs.table_elements(table) {
                    let Addresses { all, others, null } = self.find(*element);
                    found.all.extend(all);
                    found.others |= others;
                    found.null |= null;
                }
                found.all.sort_unstable();
                found.all.dedup();
                found
            }
            _ => return Addresses::number(),
        };
        if self.left < TERMS - FEW {
            self.known.insert(e, found.clone());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Memory, Object, Segment};

    fn with_object() -> (Memory, Exprs, u64) {
        let mut memory = Memory::with_reserved(0);
        let address = memory.allocate(Object::zeroed(Segment::Heap, 8));
        (memory, Exprs::new(), address)
    }

    fn bit(exprs: &Exprs, number: u64) -> ExprId {
        exprs.input(&format!("b{number}"), 1)
    }

    #[test]
    fn null_and_numbers_are_told_from_addresses() {
        let (memory, exprs, address) = with_object();
        let (here, null) = (exprs.constant(64, address), exprs.constant(64, 0));
        let found = |e| memory.addresses_in(&exprs, Value::from_expr(&exprs, e));
        let or_null = found(exprs.ite(bit(&exprs, 0), here, null));
        assert!(or_null.all[..] == [address] && or_null.null && !or_null.others);
        let number = found(exprs.ite(bit(&exprs, 0), exprs.input("n", 64), null));
        assert!(number.all.is_empty() && number.others);
        let far = found(exprs.constant(64, address + (1 << 20)));
        assert!(far.all.is_empty() && far.others);
    }

    #[test]
    fn shared_arms_are_visited_once() {
        let (memory, exprs, address) = with_object();
        // Each choice has the one before it in both arms: 2^40 ways.
        let moved = (0..40).fold(exprs.constant(64, address), |e, i| {
            let far = exprs.add(e, exprs.input(&format!("n{i}"), 64));
            exprs.ite(bit(&exprs, i), e, far)
        });
        assert_eq!(memory.addresses_in(&exprs, Value::Expr(moved)).all[..], [address]);
    }

    #[test]
    fn an_address_beyond_the_terms_looked_at_is_not_missed() {
        let (memory, exprs, address) = with_object();
        let large = |i: u64| exprs.constant(64, LARGE.end - 1 - i);
        let deep = (0..2000)
            .fold(exprs.constant(64, address), |e, i| exprs.ite(bit(&exprs, i), large(i), e));
        assert!(memory.addresses_in(&exprs, Value::Expr(deep)).first().is_some());
    }
}
