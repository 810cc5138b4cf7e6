//! When a program starts and how old its files are, as parts of its input.

use std::{ops::RangeInclusive, sync::Arc};

use super::input;
use crate::{
    env::{InputObject, World, libc::intrinsics::scalar_name},
    expr::{Assignment, Bv, ExprId, Exprs},
    memory::Value,
    subject::Times,
};

/// Sets when the program starts and when its files were last changed, as `times` says. The files
/// are there already. Returns the conditions on the input, and an input that they allow.
///
/// # Panics
/// when a file is not there.
pub(super) fn place(exprs: &Exprs, world: &mut World, times: &Times) -> (Vec<ExprId>, Assignment) {
    let (mut path, mut model) = (Vec::new(), Assignment::default());
    let mut number = |world: &mut World, name: &str, range: &RangeInclusive<u64>| {
        let [least, most] = [*range.start(), *range.end()].map(|bound| exprs.constant(64, bound));
        if least == most {
            return least;
        }
        let number = world.input(exprs, &scalar_name(name, 64), 64);
        if let Some(variable) = exprs.as_variable(number) {
            model.0.insert(variable, Bv::new(64, *range.start()));
        }
        let bytes = (0..8).map(|at| exprs.extract(number, 8 * at, 8)).collect();
        Arc::make_mut(&mut world.objects).push(InputObject { name: name.to_owned(), bytes });
        let bounds = [exprs.ule(least, number), exprs.ule(number, most)];
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
