//! Memory mappings. Each mapping is one object; `malloc` and its family do not use them.

use super::errno::Errno;
use super::outcome::{Failure, Outcome, int, known};
use crate::{
    env::{Machine, Stop, libc::allocation::HOPELESS},
    ir::address::offset,
    memory::{Object, Segment, Value},
};

const PAGE: u64 = 4096;
/// The largest mapping that is supported, in bytes.
const LIMIT: u64 = 1 << 28;
const MAP_ANONYMOUS: u64 = 0x20;
const MAP_FIXED: u64 = 0x10;
const MREMAP_MAYMOVE: u64 = 1;

pub(super) fn mmap(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let length = known(machine, arguments[1], "size of a mapping")?;
    let flags = known(machine, arguments[3], "flags of a mapping")?;
    if flags & MAP_ANONYMOUS == 0 {
        let number = int(machine, arguments[4], "descriptor")?;
        machine.world().kernel.files.open_file(number)?;
        return Err(Errno::Enodev.into());
    }
    if length == 0 || flags & MAP_FIXED != 0 {
        return Err(Errno::Einval.into());
    }
    if length >= HOPELESS {
        return Err(Errno::Enomem.into());
    }
    if length > LIMIT || machine.memory().is_full() {
        let what = format!("a mapping of more than {LIMIT} bytes");
        return Err(Failure::Stop(Stop::unsupported(what)));
    }
    let size = length.next_multiple_of(PAGE) as usize;
    let object = Object::zeroed(Segment::Static, size).aligned(PAGE as u32);
    Ok(machine.memory_mut().allocate(object))
}

pub(super) fn munmap(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let address = known(machine, arguments[0], "address of a mapping")?;
    let length = known(machine, arguments[1], "size of a mapping")?;
    let size = machine.memory().object(address)?.size();
    if offset(address) != 0 || length.next_multiple_of(PAGE) != size {
        return Err(Failure::Stop(Stop::unsupported("munmap of a part of a mapping")));
    }
    machine.memory_mut().free(address)?;
    Ok(0)
}

/// Grows a mapping by moving it, as the kernel is free to choose the place. Other uses of `mremap`
/// are unsupported.
pub(super) fn mremap(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let old = known(machine, arguments[0], "address of a mapping")?;
    let [old_length, length, flags] =
        [1, 2, 3].map(|at| known(machine, arguments[at], "sizes and flags of a mapping"));
    let (old_length, length) = (old_length?, length?);
    let size = machine.memory().object(old)?.size();
    let whole = offset(old) == 0 && old_length.next_multiple_of(PAGE) == size;
    if !whole || flags? != MREMAP_MAYMOVE || length.next_multiple_of(PAGE) < size {
        return Err(Failure::Stop(Stop::unsupported("mremap of other than a growing mapping")));
    }
    let made = [0, length, 0, MAP_ANONYMOUS, 0, 0].map(Value::Int);
    let new = mmap(machine, &made)?;
    machine.copy(Value::Int(new), Value::Int(old), Value::Int(size))?;
    machine.memory_mut().free(old)?;
    Ok(new)
}

/// Always 0: the end of the data segment cannot be moved.
#[allow(clippy::unnecessary_wraps)]
pub(super) fn brk(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(0)
}
