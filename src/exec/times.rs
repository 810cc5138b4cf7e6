//! When a program starts and how old its files are, as parts of its input.

use std::{ops::RangeInclusive, sync::Arc};

use super::input;
use crate::{
    env::{InputObject, World},
    expr::{Assignment, Bv, ExprId, Exprs},
    memory::Value,
    subject::Times,
};

/// Lets the program start, and its files be last changed, when `times` says. The files are there
/// already. Returns the conditions on the input, and an input that they allow.
///
/// # Panics
/// when a file is not there.
pub(super) fn place(exprs: &Exprs, world: &mut World, times: &Times) -> (Vec<ExprId>, Assignment) {
    let (mut path, mut model) = (Vec::new(), Assignment::default());
    let mut number = |world: &mut World, name: &str, range: &RangeInclusive<u64>| {
        let (least, most) = (*range.start(), *range.end());
        if least == most {
            return exprs.constant(64, least);
        }
        let bytes: Vec<ExprId> =
            (0..8).map(|at| byte(exprs, world, &mut model, (name, at), [least, most])).collect();
        let [first, others @ ..] = &bytes[..] else { unreachable!("there are eight") };
        let number = others.iter().fold(*first, |low, high| exprs.concat(*high, low));
        Arc::make_mut(&mut world.objects).push(InputObject { name: name.to_owned(), bytes });
        let bounds = [
            exprs.ule(exprs.constant(64, least), number),
            exprs.ule(number, exprs.constant(64, most)),
        ];
        path.extend(bounds.into_iter().filter(|bound| !exprs.is_true(*bound)));
        number
    };
    let start = number(world, Times::CLOCK, &times.clock);
    Arc::make_mut(&mut world.kernel).start = Value::from_expr(exprs, start);
    for (file, range) in &times.ages {
        let age = number(world, &Times::age_of(file), range);
        let time = Value::from_expr(exprs, exprs.sub(start, age));
        let files = &mut Arc::make_mut(&mut world.kernel).files;
        let node = input::node(files, file.as_bytes().split(|byte| *byte == b'/'))
            .expect("a file of the program");
        files.set_time(node, time);
    }
    (path, model)
}

/// A byte of a number within bounds: a part of the input, unless all numbers in between have the
/// same one.
fn byte(
    exprs: &Exprs,
    world: &mut World,
    model: &mut Assignment,
    (name, at): (&str, u32),
    [least, most]: [u64; 2],
) -> ExprId {
    let of_least = (least >> (8 * at)) & 0xff;
    if least >> (8 * at) == most >> (8 * at) {
        return exprs.constant(8, of_least);
    }
    let byte = world.input(exprs, &format!("{name}[{at}]"), 8);
    if let Some(variable) = exprs.as_variable(byte) {
        model.0.insert(variable, Bv::new(8, of_least));
    }
    byte
}
