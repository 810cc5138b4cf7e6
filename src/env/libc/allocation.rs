//! `malloc`, `calloc`, `realloc`, `free` and their kind (C11 7.22.3).
//!
//! A request of `HOPELESS` bytes or more fails on every machine. Any other request succeeds on
//! every machine, as long as no more than `CERTAIN` bytes are allocated in total. Nothing is
//! claimed about the remaining requests, which may or may not succeed.

use crate::env::call::{Arguments, Model};
use crate::{
    env::{Machine, Stop},
    errors::Error,
    expr::ExprId,
    ir::address::offset,
    memory::{Fault, Object, Segment, Value},
};

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("malloc", malloc),
    ("__libc_malloc", malloc),
    ("calloc", calloc),
    ("__libc_calloc", calloc),
    ("realloc", sized),
    ("__libc_realloc", sized),
    ("reallocarray", |m, a| {
        let size = product(m, a.get(1), a.get(2))?;
        realloc(m, a.get(0), size)
    }),
    ("aligned_alloc", aligned),
    ("memalign", aligned),
    ("posix_memalign", posix_memalign),
    ("free", release),
    ("__libc_free", release),
    // C++: `new`, `new[]`, and `delete` of both with and without a size (Itanium C++ ABI, 5.1.5).
    ("_Znwm", new),
    ("_Znam", new),
    ("_ZdlPv", release),
    ("_ZdlPvm", release),
    ("_ZdaPv", release),
    ("_ZdaPvm", release),
];

/// Error numbers (Linux).
const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;
/// Allocations certainly succeed as long as they never add up to more than this many bytes: half of
/// the address space that a native run is given.
const CERTAIN: u64 = 1 << 30;
/// Requests of this many bytes or more always fail: no process on x86-64 has so many addresses.
pub(in crate::env) const HOPELESS: u64 = 1 << 47;
/// An object of more bytes than this stores only its first [`FIRST`] bytes.
const STORED: u64 = 1 << 28;
const FIRST: u64 = 1 << 20;
/// The alignment of all memory from `malloc` on x86-64: that of `max_align_t` (System V ABI).
const ALIGNMENT: u32 = 16;
/// The size of a page, to which large objects of whole programs are aligned (`docs/world.md`,
/// "Memory").
const PAGE: u32 = 4096;

fn malloc(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let size = machine.free_of_revision(arguments.get(0), 64)?;
    allocate(machine, size, false, ALIGNMENT).map(Some)
}

/// `new`: throws an exception, which is unsupported, if there is no memory.
fn new(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    match malloc(machine, arguments)? {
        Some(Value::Int(0)) => Err(Stop::unsupported("an exception of C++: no memory for new")),
        memory => Ok(memory),
    }
}

fn calloc(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let size = product(machine, arguments.get(0), arguments.get(1))?;
    allocate(machine, size, true, ALIGNMENT).map(Some)
}

fn sized(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let size = machine.free_of_revision(arguments.get(1), 64)?;
    realloc(machine, arguments.get(0), size)
}

fn release(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let address = machine.concretise(arguments.get(0), 64, "pointer to free")?;
    free(machine, address)?;
    Ok(None)
}

/// `count * each` bytes, a 64-bit expression; all ones if the product overflows.
fn product(machine: &mut dyn Machine, count: Value, each: Value) -> Result<ExprId, Stop> {
    let (count, each) = (machine.free_of_revision(count, 64)?, machine.free_of_revision(each, 64)?);
    let exprs = machine.exprs();
    let product = exprs.mul(exprs.zext(count, 128), exprs.zext(each, 128));
    let overflow = exprs.not(exprs.eq(exprs.extract(product, 64, 64), exprs.constant(64, 0)));
    Ok(exprs.ite(overflow, exprs.constant(64, u64::MAX), exprs.extract(product, 0, 64)))
}

/// Allocates `size` bytes, and returns their address; null if the request is too large. A request
/// of 0 bytes gives an object of 0 bytes.
fn allocate(
    machine: &mut dyn Machine,
    size: ExprId,
    zeroed: bool,
    alignment: u32,
) -> Result<Value, Stop> {
    let object = object(machine, size, zeroed, alignment, None)?;
    machine.commit();
    match object {
        Some(object) => Ok(Value::Int(machine.memory_mut().allocate(object))),
        None => no_memory(machine),
    }
}

fn no_memory(machine: &mut dyn Machine) -> Result<Value, Stop> {
    let errno = Value::Int(machine.world().errno);
    machine.store(errno, 32, Value::Int(ENOMEM))?;
    Ok(Value::Int(0))
}

/// The object for a request, or `None` if it certainly fails. `freed` bytes are about to be freed,
/// so they do not count as allocated.
fn object(
    machine: &mut dyn Machine,
    size: ExprId,
    zeroed: bool,
    alignment: u32,
    freed: Option<ExprId>,
) -> Result<Option<Object>, Stop> {
    let exprs = machine.exprs();
    let hopeless = exprs.ule(exprs.constant(64, HOPELESS), size);
    if machine.branch(hopeless)? {
        return Ok(None);
    }
    let exprs = machine.exprs();
    let all = exprs.add(machine.memory().allocated(exprs), size);
    let all = freed.map_or(all, |freed| exprs.sub(all, freed));
    let certain = exprs.ule(all, exprs.constant(64, CERTAIN));
    if !machine.branch(certain)? || machine.memory().is_full() {
        return Err(Stop::unsupported(format!(
            "more than {CERTAIN} bytes of memory at a time, which may or may not be there"
        )));
    }
    let known = machine.exprs().as_u64(size);
    let capacity = match known {
        Some(size) if size > STORED => FIRST,
        Some(size) => size,
        None => machine.capacity(size),
    } as usize;
    let object = if zeroed {
        Object::zeroed(Segment::Heap, capacity)
    } else {
        Object::uninitialised(Segment::Heap, capacity)
    };
    let is_large = known.is_some_and(|size| size >= u64::from(PAGE));
    let pages = if is_large && machine.world().is_whole { PAGE } else { 1 };
    let object = object.aligned(alignment.max(pages));
    let is_whole = known == Some(capacity as u64);
    Ok(Some(if is_whole { object } else { object.with_extent(size) }))
}

/// The alignment of memory for which `alignment` was requested. An alignment that is not a power of
/// two is unsupported: one libc refuses it, another rounds it up, and a sanitizer ends the program.
fn at_least(alignment: u64) -> Result<u32, Stop> {
    let valid = u32::try_from(alignment).ok().filter(|alignment| alignment.is_power_of_two());
    let alignment =
        valid.ok_or_else(|| Stop::unsupported(format!("memory aligned at {alignment} bytes")))?;
    Ok(alignment.max(ALIGNMENT))
}

fn aligned(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let alignment = machine.concretise(arguments.get(0), 64, "alignment")?;
    let size = machine.free_of_revision(arguments.get(1), 64)?;
    allocate(machine, size, false, at_least(alignment)?).map(Some)
}

/// `posix_memalign` (POSIX.1-2017).
fn posix_memalign(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let alignment = machine.concretise(arguments.get(1), 64, "alignment")?;
    let size = machine.free_of_revision(arguments.get(2), 64)?;
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(8) {
        return Ok(Some(Value::Int(EINVAL)));
    }
    // The result is the error number, and the pointer keeps its value.
    let Some(object) = object(machine, size, false, at_least(alignment)?, None)? else {
        no_memory(machine)?;
        return Ok(Some(Value::Int(ENOMEM)));
    };
    let address = machine.memory_mut().allocate(object);
    machine.store(arguments.get(0), 64, Value::Int(address))?;
    Ok(Some(Value::Int(0)))
}

/// Reallocates `old`, which may be null, to `size` bytes, and returns the new address.
pub(super) fn reallocated(machine: &mut dyn Machine, old: Value, size: u64) -> Result<Value, Stop> {
    let size = machine.exprs().constant(64, size);
    Ok(realloc(machine, old, size)?.unwrap_or(Value::Int(0)))
}

fn realloc(machine: &mut dyn Machine, old: Value, size: ExprId) -> Result<Option<Value>, Stop> {
    let old = machine.concretise(old, 64, "pointer to reallocate")?;
    if old == 0 {
        return allocate(machine, size, false, ALIGNMENT).map(Some);
    }
    let object = heap_object(machine, old)?;
    let (kept, stored) = (object.extent(), object.capacity());
    let nothing = machine.exprs().eq(size, machine.exprs().constant(64, 0));
    if machine.branch(nothing)? {
        // glibc frees the object; C11 allows either.
        free(machine, old)?;
        return Ok(Some(Value::Int(0)));
    }
    let kept = kept.unwrap_or_else(|| machine.exprs().constant(64, stored));
    let Some(new) = self::object(machine, size, false, ALIGNMENT, Some(kept))? else {
        return no_memory(machine).map(Some);
    };
    let exprs = machine.exprs();
    let kept = exprs.ite(exprs.ule(kept, size), kept, size);
    let kept = match exprs.as_u64(kept) {
        // Nothing was ever written after the bytes that an object stores.
        Some(kept) => Value::Int(kept.min(stored).min(new.capacity())),
        None => Value::Expr(kept),
    };
    let address = machine.memory_mut().allocate(new);
    machine.copy(Value::Int(address), Value::Int(old), kept)?;
    free(machine, old)?;
    Ok(Some(Value::Int(address)))
}

/// The heap object that starts at `address`. Nothing else may be freed.
///
/// # Errors
/// [`Error::DoubleFree`] if no heap object starts there.
fn heap_object(machine: &dyn Machine, address: u64) -> Result<&Object, Stop> {
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
