//! Models for people: small numbers and printable characters where a solver gives `-2147483647`.
//!
//! The numbers of a model are first replaced by their ranks, all at once. Then each variable gets
//! the simplest usual value that keeps the conditions true. No solver is asked.

use std::collections::{BTreeMap, BTreeSet};

use crate::expr::{Assignment, Bv, ExprId, Exprs, VariableId, VariableKind};

/// The greatest number of conditions, and of variables, for which a model is simplified. The effort
/// grows with both.
const MOST_CONDITIONS: usize = 256;
const MOST_VARIABLES: usize = 32;

/// Whole numbers, the simplest first.
const INTEGERS: [i64; 32] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 20, 42, 50, 60, 70, 80, 90, 99, 100, 101, 345, 1000,
    12345, 1_000_000, -1, -2, -5, -10, -100,
];
/// Floating-point numbers, the simplest first. Products and quotients of the last ones are rounded.
const REALS: [f64; 18] = [
    0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 50.0, 75.0, 100.0, 0.5, 1.5, -1.0, 1000.0, -100.0, 0.1, 3.7,
    -2.3, 59.9,
];
/// Bytes, the simplest first.
const BYTES: &[u8] = b"ab10eyAZ -.,\n\t";

/// Makes a model of the conditions as simple as little effort can make it. `reals` names the
/// objects that are floating-point numbers, as in [`usual`].
pub(super) fn simple(
    exprs: &Exprs,
    reals: &BTreeSet<String>,
    conditions: &[ExprId],
    model: Assignment,
) -> Assignment {
    let mut of: BTreeMap<VariableId, Vec<ExprId>> = BTreeMap::new();
    for condition in conditions {
        for variable in exprs.variables(*condition) {
            of.entry(*variable).or_default().push(*condition);
        }
    }
    of.retain(|variable, _| exprs.variable_kind(*variable) == VariableKind::Input);
    if conditions.len() > MOST_CONDITIONS || of.len() > MOST_VARIABLES {
        return model;
    }
    let ranks = [i64::MIN, 0].map(|origin| ranked(exprs, reals, of.keys(), origin, &model));
    let ranked = ranks.into_iter().find(|ranked| holds(exprs, conditions, ranked));
    let mut model = ranked.unwrap_or(model);
    for (variable, conditions) in &of {
        for value in simpler(exprs, reals, *variable, &model) {
            let before = model.0.insert(*variable, value);
            if holds(exprs, conditions, &model) {
                break;
            }
            model.0.extend(before.map(|before| (*variable, before)));
        }
    }
    model
}

fn holds(exprs: &Exprs, conditions: &[ExprId], model: &Assignment) -> bool {
    conditions.iter().all(|condition| !exprs.evaluate(*condition, model).is_zero())
}

/// The assignment with every whole number replaced by its rank. The rank counts the different
/// numbers from `origin` to the number, including the number but not `origin`. The rank of a number
/// below `origin` is negative.
fn ranked<'v>(
    exprs: &Exprs,
    reals: &BTreeSet<String>,
    variables: impl Iterator<Item = &'v VariableId>,
    origin: i64,
    model: &Assignment,
) -> Assignment {
    let numbers: Vec<(VariableId, i64)> = variables
        .filter(|variable| is_integer(exprs, reals, **variable))
        .filter_map(|variable| Some((*variable, number(model.0.get(variable)?))))
        .collect();
    let values: BTreeSet<i64> = numbers.iter().map(|(_, value)| *value).collect();
    let mut ranked = model.clone();
    for (variable, value) in &numbers {
        let value = *value;
        let rank = match value < origin {
            true => -(values.range(value..origin).count() as i64),
            // The origin itself is 0, whether or not it is one of the numbers.
            false => values.range(origin..=value).filter(|other| **other != origin).count() as i64,
        };
        ranked.0.insert(*variable, Bv::new(exprs.variable_width(*variable), rank as u64));
    }
    ranked
}

/// The usual values of a variable that are simpler than its value in the model.
fn simpler(
    exprs: &Exprs,
    reals: &BTreeSet<String>,
    variable: VariableId,
    model: &Assignment,
) -> Vec<Bv> {
    let Some(now) = model.0.get(&variable) else { return Vec::new() };
    usual(exprs, reals, variable).into_iter().take_while(|value| value != now).collect()
}

/// The usual values of a variable, the simplest first; none if no value is usual. `reals` names the
/// objects that are floating-point numbers.
pub(super) fn usual(exprs: &Exprs, reals: &BTreeSet<String>, variable: VariableId) -> Vec<Bv> {
    let width = exprs.variable_width(variable);
    let new = |bits: u64| Bv::new(width, bits);
    match width {
        8 if is_character(exprs, variable) => {
            BYTES.iter().map(|byte| new((*byte).into())).collect()
        }
        32 if is_real(exprs, reals, variable) => {
            REALS.iter().map(|value| new((*value as f32).to_bits().into())).collect()
        }
        64 if is_real(exprs, reals, variable) => {
            REALS.iter().map(|value| new(value.to_bits())).collect()
        }
        _ if is_integer(exprs, reals, variable) => {
            INTEGERS.iter().map(|n| new(*n as u64)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a variable is a floating-point number. If it was read, its name says so (`stdin.0:f64`);
/// an object is one if `reals` has its name.
pub(super) fn is_real(exprs: &Exprs, reals: &BTreeSet<String>, variable: VariableId) -> bool {
    let mut parts = exprs.variable_name(variable).split(':');
    parts.next().is_some_and(|name| reals.contains(name)) || parts.any(|kind| kind.starts_with('f'))
}

fn is_integer(exprs: &Exprs, reals: &BTreeSet<String>, variable: VariableId) -> bool {
    matches!(exprs.variable_width(variable), 16 | 32 | 64) && !is_real(exprs, reals, variable)
}

/// Whether an 8-bit variable is a character, and not the length of a word.
fn is_character(exprs: &Exprs, variable: VariableId) -> bool {
    !exprs.variable_name(variable).ends_with(".length")
}

fn number(value: &Bv) -> i64 {
    let width = value.width();
    let bits = value.to_u64().unwrap_or_default();
    (bits << (64 - width)) as i64 >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_conditions_allow_becomes_simple() {
        let exprs = Exprs::new();
        let (x, y) = (exprs.input("x", 32), exprs.input("y", 32));
        let byte = exprs.input("c", 8);
        let conditions = [
            exprs.slt(x, y),
            exprs.slt(exprs.constant(32, 50), exprs.add(y, y)),
            exprs.ult(byte, exprs.constant(8, b'a'.into())),
        ];
        let of = |name| exprs.variable_id(name).expect("it was made");
        let model = Assignment(
            [
                (of("x"), Bv::new(32, -2_147_483_647i32 as u32 as u64)),
                (of("y"), Bv::new(32, 2_000_000)),
                (of("c"), Bv::new(8, 3)),
            ]
            .into(),
        );
        let simple = simple(&exprs, &BTreeSet::new(), &conditions, model);
        assert!(holds(&exprs, &conditions, &simple));
        let values = ["x", "y", "c"].map(|name| simple.0[&of(name)].to_u64().expect("small"));
        assert_eq!(values, [0, 42, b'1'.into()]);
    }

    #[test]
    fn numbers_keep_their_order() {
        let exprs = Exprs::new();
        let names = ["a", "b", "c"];
        let [a, b, c] = names.map(|name| exprs.input(name, 32));
        let conditions = [exprs.slt(a, b), exprs.slt(b, exprs.constant(32, 0)), exprs.slt(b, c)];
        let of = |name: &str| exprs.variable_id(name).expect("it was made");
        let given = [-2_147_483_648i64, -7, 2_147_483_647];
        let values = names.iter().zip(given).map(|(name, n)| (of(name), Bv::new(32, n as u64)));
        let simple = simple(&exprs, &BTreeSet::new(), &conditions, Assignment(values.collect()));
        assert_eq!(
            names.map(|name| simple.0[&of(name)].to_u64()),
            [-2i32, -1, 0].map(|n| Some(u64::from(n as u32)))
        );
    }
}
