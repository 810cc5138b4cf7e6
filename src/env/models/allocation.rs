//! `malloc`, `calloc`, `realloc`, `free` and their kind (C11 7.22.3).

use super::{Arguments, Model};
use crate::{
    env::{Error, Machine, Stop},
    ir::address::offset,
    memory::{Fault, Object, Segment, Value},
};

pub(super) const MODELS: &[(&str, Model)] = &[
    ("malloc", |m, a| {
        let size = size(m, a.get(0))?;
        Ok(Some(Value::Int(allocate(m, size, false)?)))
    }),
    ("calloc", calloc),
    ("realloc", realloc),
    ("reallocarray", |m, a| {
        let Some(total) = product(m, a.get(1), a.get(2))? else { return Ok(Some(Value::Int(0))) };
        realloc(m, Arguments { values: &[a.get(0), Value::Int(total)], passed: a.passed })
    }),
    ("aligned_alloc", aligned),
    ("memalign", aligned),
    ("posix_memalign", posix_memalign),
    ("free", |m, a| {
        let address = m.concrete(a.get(0), 64, "pointer to free")?;
        free(m, address)?;
        Ok(None)
    }),
];

/// Numbers of errors: there is no memory left, an argument makes no sense.
const ENOMEM: i32 = 12;
const EINVAL: u64 = 22;
/// A request above this fails, as it does natively under the limits of the replay.
const LIMIT: u64 = 1 << 28;
/// Any `malloc` on x86-64 gives multiples of this (System V ABI: that of `max_align_t`).
const ALIGNMENT: u32 = 16;

fn size(machine: &mut dyn Machine, value: Value) -> Result<u64, Stop> {
    machine.concrete(value, 64, "size to allocate")
}

fn product(machine: &mut dyn Machine, count: Value, each: Value) -> Result<Option<u64>, Stop> {
    let (count, each) = (size(machine, count)?, size(machine, each)?);
    Ok(count.checked_mul(each))
}

/// Gives 0 where the request is too large. A request of no bytes gives an object of none.
fn allocate(machine: &mut dyn Machine, size: u64, zeroed: bool) -> Result<u64, Stop> {
    machine.commit();
    allocate_aligned(machine, size, zeroed, ALIGNMENT)
}

fn allocate_aligned(
    machine: &mut dyn Machine,
    size: u64,
    zeroed: bool,
    alignment: u32,
) -> Result<u64, Stop> {
    if size > LIMIT || machine.memory().is_full() {
        let errno = Value::Int(machine.world().errno);
        machine.store(errno, 32, Value::Int(ENOMEM as u64))?;
        return Ok(0);
    }
    let size = size as usize;
    let object = if zeroed {
        Object::zeroed(Segment::Heap, size)
    } else {
        Object::uninitialised(Segment::Heap, size)
    };
    Ok(machine.memory_mut().allocate(object.aligned(alignment)))
}

/// The alignment of memory that was asked for at multiples of `alignment`.
fn at_least(alignment: u64) -> u32 {
    let valid = u32::try_from(alignment).ok().filter(|alignment| alignment.is_power_of_two());
    valid.unwrap_or(ALIGNMENT).max(ALIGNMENT)
}

fn aligned(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let alignment = machine.concrete(arguments.get(0), 64, "alignment")?;
    let size = size(machine, arguments.get(1))?;
    machine.commit();
    let address = allocate_aligned(machine, size, false, at_least(alignment))?;
    Ok(Some(Value::Int(address)))
}

fn calloc(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let total = product(machine, arguments.get(0), arguments.get(1))?;
    // Too many elements to count are too many to allocate.
    let total = total.unwrap_or(u64::MAX);
    Ok(Some(Value::Int(allocate(machine, total, true)?)))
}

/// POSIX.1-2017, `posix_memalign`. Every object here starts at a multiple of 64 GiB.
fn posix_memalign(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let alignment = machine.concrete(arguments.get(1), 64, "alignment")?;
    let size = size(machine, arguments.get(2))?;
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(8) {
        return Ok(Some(Value::Int(EINVAL)));
    }
    // It gives its error as a value and leaves the pointer alone.
    if size > LIMIT || machine.memory().is_full() {
        return Ok(Some(Value::Int(ENOMEM as u64)));
    }
    let address = allocate_aligned(machine, size, false, at_least(alignment))?;
    machine.store(arguments.get(0), 64, Value::Int(address))?;
    Ok(Some(Value::Int(0)))
}

fn realloc(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let old = machine.concrete(arguments.get(0), 64, "pointer to reallocate")?;
    let size = size(machine, arguments.get(1))?;
    if old == 0 {
        return Ok(Some(Value::Int(allocate(machine, size, false)?)));
    }
    let kept = heap_object(machine, old)?.size().min(size);
    if size == 0 {
        // As glibc does it (C11 leaves the choice).
        free(machine, old)?;
        return Ok(Some(Value::Int(0)));
    }
    let new = allocate(machine, size, false)?;
    if new == 0 {
        return Ok(Some(Value::Int(0)));
    }
    machine.copy(Value::Int(new), Value::Int(old), Value::Int(kept))?;
    free(machine, old)?;
    Ok(Some(Value::Int(new)))
}

/// The heap object that starts at `address`; anything else may not be freed.
fn heap_object(machine: &mut dyn Machine, address: u64) -> Result<&Object, Stop> {
    match machine.memory().object(address) {
        Ok(object) if object.segment == Segment::Heap && offset(address) == 0 => Ok(object),
        Ok(_) | Err(Fault::Dead(_) | Fault::Wild | Fault::Null) => Err(Error::DoubleFree.into()),
        Err(fault) => Err(fault.into()),
    }
}

fn free(machine: &mut dyn Machine, address: u64) -> Result<(), Stop> {
    if address != 0 {
        heap_object(machine, address)?;
        machine.commit();
        machine.memory_mut().free(address)?;
    }
    Ok(())
}
