//! The values that the variables of the input may have.
//!
//! Whatever a program assumes, or a read accepts, is a condition of every path behind it. So a
//! variable of the input may have the values that some path allows, judged by its conditions on
//! this variable alone. A branch does not narrow them, since its other side is a path, too.

use std::{collections::BTreeMap, sync::Arc};

use rustc_hash::FxHashMap;

use crate::{
    expr::{Assignment, BinaryOp, Bv, ExprId, Exprs, Node, VariableId, VariableKind},
    solver::{interval_set::Set, intervals},
};

/// The greatest number of conditions to look at, of all paths together.
const MOST_CONDITIONS: usize = 4_000_000;
/// The greatest width of a variable whose values are all tried on a condition that intervals cannot
/// express.
const NARROW: u32 = 8;

/// The values of each variable of the input.
pub(super) struct Domains {
    /// By name, as numbers of variables differ from run to run. There is no set for a variable of
    /// more than 64 bits, which may have any value.
    variables: BTreeMap<String, (VariableId, u32, Option<Set>)>,
}

/// The values that one condition allows for each variable that it mentions; no set if it does not
/// restrict them.
type Said = Arc<[(VariableId, Option<Set>)]>;

impl Domains {
    /// The values that these paths allow, each path with further variables that it reads; `None` if
    /// the paths have too many conditions.
    pub(super) fn new<'p>(
        exprs: &Exprs,
        paths: impl Iterator<Item = (&'p [ExprId], Vec<VariableId>)>,
    ) -> Option<Self> {
        let mut said: FxHashMap<ExprId, Said> = FxHashMap::default();
        let mut all: FxHashMap<VariableId, Option<Set>> = FxHashMap::default();
        let mut conditions = 0;
        for (path, reads) in paths {
            conditions += path.len();
            if conditions > MOST_CONDITIONS {
                return None;
            }
            // No set stands for any value.
            let mut here: FxHashMap<VariableId, Option<Set>> =
                reads.into_iter().map(|variable| (variable, None)).collect();
            for condition in path {
                let said = said.entry(*condition).or_insert_with(|| says(exprs, *condition));
                for (variable, set) in said.iter() {
                    let known = here.entry(*variable).or_default();
                    *known = match (known.take(), set) {
                        (Some(known), Some(set)) => Some(known.and(set)),
                        (known, set) => known.or_else(|| set.clone()),
                    };
                }
            }
            for (variable, set) in here {
                all.entry(variable)
                    .and_modify(|all| {
                        *all = all.as_ref().zip(set.as_ref()).and_then(|(a, b)| a.or(b));
                    })
                    .or_insert(set);
            }
        }
        all.retain(|variable, _| exprs.variable_kind(*variable) == VariableKind::Input);
        let named = |(variable, set): (VariableId, Option<Set>)| {
            let width = exprs.variable_width(variable);
            let set = (width <= 64).then(|| set.unwrap_or_else(|| Set::all(width)));
            (exprs.variable_name(variable).to_owned(), (variable, width, set))
        };
        Some(Self { variables: all.into_iter().map(named).collect() })
    }

    /// The number of inputs; `None` if it is more than `most`.
    pub(super) fn count(&self, most: u32) -> Option<u32> {
        self.variables.values().try_fold(1, |product: u32, (.., set)| {
            let count = u32::try_from(set.as_ref()?.count()).ok()?;
            product.checked_mul(count).filter(|product| *product <= most)
        })
    }

    /// Input number `index` of those that [`Self::count`] counts.
    pub(super) fn get(&self, index: u32) -> Assignment {
        let mut left = u128::from(index);
        let value = |(variable, width, set): &(VariableId, u32, Option<Set>)| {
            let set = set.as_ref()?;
            let count = set.count().max(1);
            let value = set.get(left % count)?;
            left /= count;
            Some((*variable, Bv::new(*width, value)))
        };
        Assignment(self.variables.values().filter_map(value).collect())
    }

    /// Sample number `index`: a value for each variable, each value as likely as any other. A
    /// sample depends only on the names of the variables and on their values.
    pub(super) fn draw(&self, index: u32) -> Assignment {
        let values = self.variables.iter().filter_map(|(name, (variable, width, set))| {
            let mut random = Random::new(name, index);
            let value = match set {
                Some(set) => Bv::new(*width, set.get(random.below(set.count()))?),
                None => {
                    let bytes = width.div_ceil(64);
                    let bytes: Vec<u8> =
                        (0..bytes).flat_map(|_| random.next().to_le_bytes()).collect();
                    Bv::from_le_bytes(*width, &bytes[..width.div_ceil(8) as usize])
                }
            };
            Some((*variable, value))
        });
        Assignment(values.collect())
    }
}

/// What a condition says about the variables that it mentions. Each part of a conjunction counts on
/// its own.
fn says(exprs: &Exprs, condition: ExprId) -> Said {
    let mut said = Vec::new();
    let mut parts = vec![condition];
    while let Some(part) = parts.pop() {
        if let Node::Binary(BinaryOp::And, a, b) = exprs.node(part) {
            parts.extend([a, b]);
            continue;
        }
        match exprs.variables(part) {
            [one] => said.push((*one, values(exprs, *one, part))),
            several => said.extend(several.iter().map(|variable| (*variable, None))),
        }
    }
    said.into()
}

/// The values for which a condition on this one variable holds, if they can be determined.
fn values(exprs: &Exprs, variable: VariableId, condition: ExprId) -> Option<Set> {
    let width = exprs.variable_width(variable);
    intervals::values(exprs, condition).or_else(|| {
        if width > NARROW {
            return None;
        }
        let holds = |value: &u64| {
            let one = Assignment([(variable, Bv::new(width, *value))].into());
            !exprs.evaluate(condition, &one).is_zero()
        };
        Set::of_all((0..1 << width).filter(holds).map(|value| (value, value)).collect())
    })
}

/// Random numbers (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
/// 2014). They depend on the name and the index alone.
struct Random(u64);

impl Random {
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

    fn new(name: &str, index: u32) -> Self {
        // The hash of Fowler, Noll and Vo (FNV-1a).
        let hash = name.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        let mut mixed = Self(hash);
        Self(mixed.next() ^ Self(u64::from(index)).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number less than `count`, which is at most 2 to the power of 64; 0 if `count` is 0. The
    /// bias is negligible.
    fn below(&mut self, count: u128) -> u128 {
        (u128::from(self.next()) * count) >> 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_path_demands_bounds_a_variable_and_what_a_branch_demands_does_not() {
        let exprs = Exprs::new();
        let (x, c) = (exprs.input("x", 32), exprs.input("c", 8));
        let number = |n: u64| exprs.constant(32, n);
        let assumed = exprs.and(exprs.sle(number(10), x), exprs.slt(x, number(20)));
        let low = exprs.slt(x, number(15));
        let digit = [b'0', b'7'].map(|digit| exprs.eq(c, exprs.constant(8, digit.into())));
        let paths = [
            vec![assumed, low, digit[0]],
            vec![assumed, low, digit[1]],
            vec![assumed, exprs.not(low)],
        ];
        let of = |paths: &[Vec<ExprId>]| {
            let paths = paths.iter().map(|path| (&path[..], Vec::new()));
            Domains::new(&exprs, paths).expect("few conditions")
        };
        let domains = of(&paths);
        assert_eq!(domains.count(20), Some(20));
        assert_eq!(domains.count(19), None);
        let (x, c) = (exprs.as_variable(x).unwrap(), exprs.as_variable(c).unwrap());
        let pair = |input: Assignment| [x, c].map(|v| input.0[&v].to_u64().unwrap());
        let mut all: Vec<_> = (0..20).map(|index| pair(domains.get(index))).collect();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == 20 && all.iter().all(|[x, c]| (10..20).contains(x) && *c < 58));
        let drawn: Vec<_> = (0..1000).map(|index| pair(domains.draw(index))).collect();
        for value in 10..20 {
            let hits = drawn.iter().filter(|[x, _]| *x == value).count();
            assert!((60..140).contains(&hits), "{value}: {hits}");
        }
        let sevens = drawn.iter().filter(|[_, c]| *c == u64::from(b'7')).count();
        assert!((430..570).contains(&sevens), "{sevens}");
        // The other side of a branch may be a path that is only known to exist.
        assert_eq!(of(&paths[..2]).count(1000), Some(10));
    }

    #[test]
    fn a_variable_that_some_path_reads_freely_is_free() {
        let exprs = Exprs::new();
        let x = exprs.input("x", 16);
        let small = exprs.ult(x, exprs.constant(16, 4));
        let variable = exprs.as_variable(x).unwrap();
        let paths = [(&[small][..], Vec::new()), (&[][..], vec![variable])];
        assert_eq!(Domains::new(&exprs, paths.into_iter()).unwrap().count(1 << 16), Some(1 << 16));
    }
}
