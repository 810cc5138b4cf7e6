//! The calls on open files: opening, reading, writing, seeking, duplicating, waiting, pipes.

use std::sync::Arc;

use super::{
    errno::Errno,
    files::{
        Content, Node, NodeId, O_ACCMODE, O_APPEND, O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL,
        O_NOFOLLOW, O_NONBLOCK, O_PATH, O_TMPFILE, O_TRUNC, Standard,
    },
    outcome::{Failure, Outcome, int, is_null, known},
    paths::{self, Base, READ, Target, WRITE, files},
};
use crate::{
    env::{
        Halt, Machine, Stop,
        libc::{access::byte_at, stdin::Stdin, strings},
        offset,
    },
    errors::Error,
    memory::{Byte, Value},
};

/// The most bytes that one buffer of a call transfers.
const TRANSFER: u64 = 1 << 20;
/// The largest file, in bytes.
const FILE_LIMIT: u64 = 1 << 26;
/// How many bytes always fit into a pipe of Linux. A pipe has sixteen pages, and any two
/// consecutive pages hold more than one page of bytes.
const PIPE_LIMIT: usize = 8 * 4096;
const SIGPIPE: u64 = 13;
/// How many descriptors `select` knows (FD_SETSIZE).
const SELECTED: u64 = 1024;
/// The most buffers of one call (Linux, UIO_MAXIOV).
const BUFFERS: u64 = 1024;
/// Where `lseek` counts from.
const SEEK_SET: u64 = 0;
const SEEK_CUR: u64 = 1;
const SEEK_END: u64 = 2;
/// Commands of `fcntl` (Linux, asm-generic/fcntl.h and linux/fcntl.h).
const F_DUPFD: u64 = 0;
const F_GETFD: u64 = 1;
const F_SETFD: u64 = 2;
const F_GETFL: u64 = 3;
const F_SETFL: u64 = 4;
const F_SETLK: u64 = 6;
const F_SETLKW: u64 = 7;
const F_DUPFD_CLOEXEC: u64 = 1030;

fn descriptor(machine: &mut dyn Machine, value: Value) -> Result<i32, Stop> {
    int(machine, value, "descriptor")
}

pub(super) fn open(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    open_from(machine, base, arguments)
}

pub(super) fn openat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    open_from(machine, base, &arguments[1..])
}

pub(super) fn creat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    let flags = Value::Int(O_CREAT | O_TRUNC | 1);
    open_from(machine, base, &[arguments[0], flags, arguments[1]])
}

fn open_from(machine: &mut dyn Machine, base: Base, rest: &[Value]) -> Outcome {
    let mut flags = known(machine, rest[1], "flags of open")?;
    if flags & O_PATH != 0 {
        flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    }
    if flags & O_TMPFILE == O_TMPFILE {
        return Err(Errno::Eopnotsupp.into());
    }
    let mut path = paths::read(machine, rest[0])?;
    if flags & O_CREAT != 0
        && let (target, true) = paths::named(machine, base, &mut path)?
        && !target.is_nameless()
    {
        return Err(Errno::Eisdir.into());
    }
    let needed = match flags & O_ACCMODE {
        0 if flags & O_PATH != 0 => 0,
        0 => READ,
        1 => WRITE,
        _ => READ | WRITE,
    } | if flags & O_TRUNC != 0 { WRITE } else { 0 };
    let is_new = flags & (O_CREAT | O_EXCL) == O_CREAT | O_EXCL;
    let follow = flags & O_NOFOLLOW == 0 && !is_new;
    let node = match paths::walk(machine, base, &path, follow)? {
        Target::Found { .. } if is_new => {
            return Err(Errno::Eexist.into());
        }
        Target::Found { node, .. } => {
            match machine.world().kernel.files.node(node).content {
                Content::Directory { .. } if needed & WRITE != 0 || flags & O_CREAT != 0 => {
                    return Err(Errno::Eisdir.into());
                }
                Content::Directory { .. } => {}
                _ if flags & O_DIRECTORY != 0 => return Err(Errno::Enotdir.into()),
                Content::Link(_) if flags & O_PATH == 0 => return Err(Errno::Eloop.into()),
                _ => {}
            }
            paths::allowed(machine, node, needed)?;
            if flags & O_TRUNC != 0 {
                resize(machine, node, 0);
            }
            node
        }
        Target::Missing { .. } if flags & O_CREAT == 0 => return Err(Errno::Enoent.into()),
        Target::Missing { directory, name } => {
            let mode = known(machine, rest[2], "mode of a new file")?;
            paths::change_names(machine, directory)?;
            let name = paths::known_name(&name)?;
            let permissions = (mode & 0o7777 & !machine.world().kernel.umask) as u32;
            let content = Content::Regular(Arc::default());
            files(machine).add(directory, &name, Node { content, permissions })
        }
    };
    Ok(files(machine).open(node, flags)? as u64)
}

pub(super) fn close(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    files(machine).close(number)?;
    Ok(0)
}

/// Reads at most `most` bytes of an open file. It reads at position `at` if that is given;
/// otherwise at the current position, which then advances.
fn read_bytes(
    machine: &mut dyn Machine,
    number: i32,
    at: Option<u64>,
    most: u64,
) -> Outcome<Vec<Byte>> {
    let open = machine.world().kernel.files.open_file(number)?;
    let (node, position) = (open.node, at.unwrap_or(open.position));
    if open.flags & O_ACCMODE == 1 {
        return Err(Errno::Ebadf.into());
    }
    match &machine.world().kernel.files.node(node).content {
        Content::Directory { .. } => Err(Errno::Eisdir.into()),
        Content::Link(_) => Err(Errno::Einval.into()),
        Content::Null | Content::Standard(Standard::Output | Standard::Error) => Ok(Vec::new()),
        Content::Regular(bytes) => {
            let start = bytes.len().min(position as usize);
            let end = bytes.len().min(start + most as usize);
            let taken = bytes[start..end].to_vec();
            if at.is_none() {
                files(machine).open_file_mut(number)?.position += taken.len() as u64;
            }
            Ok(taken)
        }
        Content::Pipe(bytes) if bytes.is_empty() => {
            let is_over = most == 0 || !machine.world().kernel.files.is_open(node, true);
            match open.flags & O_NONBLOCK {
                _ if is_over => Ok(Vec::new()),
                // No other process could write to it.
                0 => Err(Failure::Stop(Stop::Halt(Halt::Hang))),
                _ => Err(Errno::Eagain.into()),
            }
        }
        Content::Pipe(bytes) => {
            let mut taken = bytes.to_vec();
            let rest = taken.split_off(taken.len().min(most as usize));
            files(machine).node_mut(node).content = Content::Pipe(Arc::new(rest));
            Ok(taken)
        }
        Content::Standard(Standard::Input) => match &mut machine.world_mut().stdin {
            Stdin::Bytes(input) => Ok(input.take(most as usize)),
            Stdin::Typed(_) => Err(Failure::Stop(Stop::unsupported(
                "a system call that reads typed standard input (say how many bytes it has)",
            ))),
        },
    }
}

fn length(machine: &mut dyn Machine, value: Value) -> Outcome {
    Ok(known(machine, value, "number of bytes of a system call")?.min(TRANSFER))
}

pub(super) fn read(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let most = length(machine, arguments[2])?;
    let bytes = read_bytes(machine, number, None, most)?;
    strings::write(machine, arguments[1], &bytes)?;
    Ok(bytes.len() as u64)
}

/// The position at which `pread64` or `pwrite64` reads or writes an open file.
fn position(machine: &mut dyn Machine, number: i32, value: Value) -> Outcome<u64> {
    machine.world().kernel.files.open_file(number)?;
    let at = known(machine, value, "position in a file")?;
    if at > i64::MAX as u64 {
        return Err(Errno::Einval.into());
    }
    seekable(machine, number)?;
    Ok(at)
}

pub(super) fn pread64(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let most = length(machine, arguments[2])?;
    let at = position(machine, number, arguments[3])?;
    let bytes = read_bytes(machine, number, Some(at), most)?;
    strings::write(machine, arguments[1], &bytes)?;
    Ok(bytes.len() as u64)
}

/// The buffers that an array of `struct iovec` describes, each an address and a length.
fn buffers(machine: &mut dyn Machine, vector: Value, count: Value) -> Outcome<Vec<(Value, u64)>> {
    let count = known(machine, count, "number of buffers")?;
    if count > BUFFERS {
        return Err(Errno::Einval.into());
    }
    let mut found = Vec::new();
    for index in 0..count {
        let at = offset(machine.exprs(), vector, 16 * index);
        let address = machine.load(at, 64)?;
        let at = offset(machine.exprs(), vector, 16 * index + 8);
        let size = machine.load(at, 64)?;
        let size = length(machine, size)?;
        if size > 0 && is_null(machine, address)? {
            // The kernel still reads or writes the buffers before it.
            let what = "a null pointer among the buffers of a system call";
            return Err(Failure::Stop(Stop::unsupported(what)));
        }
        found.push((address, size));
    }
    Ok(found)
}

pub(super) fn readv(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let buffers = buffers(machine, arguments[1], arguments[2])?;
    let most = buffers.iter().map(|(_, size)| size).sum();
    let bytes = read_bytes(machine, number, None, most)?;
    let mut rest = bytes.as_slice();
    for (address, size) in buffers {
        let (part, tail) = rest.split_at(rest.len().min(size as usize));
        strings::write(machine, address, part)?;
        rest = tail;
    }
    Ok(bytes.len() as u64)
}

fn write_bytes(machine: &mut dyn Machine, number: i32, at: Option<u64>, bytes: &[Byte]) -> Outcome {
    let open = machine.world().kernel.files.open_file(number)?;
    let (node, position, flags) = (open.node, open.position, open.flags);
    if flags & O_ACCMODE == 0 {
        return Err(Errno::Ebadf.into());
    }
    match machine.world().kernel.files.node(node).content.clone() {
        Content::Directory { .. } | Content::Link(_) => return Err(Errno::Ebadf.into()),
        Content::Null | Content::Standard(Standard::Input) => {}
        Content::Standard(stream) => {
            let expr = |byte: &Byte, machine: &dyn Machine| byte.expr(machine.exprs());
            let exprs: Option<Vec<_>> = bytes.iter().map(|byte| expr(byte, machine)).collect();
            let exprs = exprs.ok_or(Failure::Stop(Error::UninitialisedRead.into()))?;
            let mut text = match stream {
                Standard::Output => machine.world().stdout.clone(),
                _ => machine.world().stderr.clone(),
            };
            exprs.into_iter().for_each(|byte| text.push_byte(machine.exprs(), byte));
            match stream {
                Standard::Output => machine.world_mut().stdout = text,
                _ => machine.world_mut().stderr = text,
            }
        }
        Content::Pipe(mut content) => {
            if !machine.world().kernel.files.is_open(node, false) {
                super::process::raise(machine, Value::Int(SIGPIPE))?;
                return Err(Errno::Epipe.into());
            }
            let held = Arc::make_mut(&mut content);
            held.extend(bytes);
            if held.len() > PIPE_LIMIT {
                let what = format!("more than {PIPE_LIMIT} bytes in a pipe");
                return Err(Failure::Stop(Stop::unsupported(what)));
            }
            files(machine).node_mut(node).content = Content::Pipe(content);
        }
        Content::Regular(_) if bytes.is_empty() => {}
        Content::Regular(content) => {
            // With O_APPEND, Linux appends even in `pwrite64`.
            let start = match at {
                _ if flags & O_APPEND != 0 => content.len() as u64,
                Some(at) => at,
                None => position,
            };
            let end = start.saturating_add(bytes.len() as u64);
            if end > FILE_LIMIT {
                let what = format!("a file of more than {FILE_LIMIT} bytes");
                return Err(Failure::Stop(Stop::unsupported(what)));
            }
            drop(content);
            let files = files(machine);
            let held = Arc::make_mut(files.contents_mut(node).expect("a regular file"));
            if held.len() < end as usize {
                held.resize(end as usize, Byte::Concrete(0));
            }
            held[start as usize..end as usize].copy_from_slice(bytes);
            if at.is_none() {
                files.open_file_mut(number)?.position = end;
            }
        }
    }
    Ok(bytes.len() as u64)
}

fn bytes_at(machine: &mut dyn Machine, address: Value, length: u64) -> Outcome<Vec<Byte>> {
    let mut bytes = Vec::with_capacity(length as usize);
    for index in 0..length {
        bytes.push(byte_at(machine, address, index)?);
    }
    Ok(bytes)
}

pub(super) fn write(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    machine.world().kernel.files.open_file(number)?;
    let length = length(machine, arguments[2])?;
    if swallows(machine, number)? {
        return Ok(length);
    }
    let bytes = bytes_at(machine, arguments[1], length)?;
    write_bytes(machine, number, None, &bytes)
}

/// Whether a write to a descriptor does not even read its bytes from memory: it is `/dev/null`.
fn swallows(machine: &dyn Machine, number: i32) -> Outcome<bool> {
    let open = machine.world().kernel.files.open_file(number)?;
    let is_null = matches!(machine.world().kernel.files.node(open.node).content, Content::Null);
    Ok(is_null && open.flags & O_ACCMODE != 0)
}

pub(super) fn pwrite64(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let length = length(machine, arguments[2])?;
    let at = position(machine, number, arguments[3])?;
    let bytes = bytes_at(machine, arguments[1], length)?;
    write_bytes(machine, number, Some(at), &bytes)
}

pub(super) fn writev(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    machine.world().kernel.files.open_file(number)?;
    let mut bytes = Vec::new();
    for (address, length) in buffers(machine, arguments[1], arguments[2])? {
        bytes.extend(bytes_at(machine, address, length)?);
    }
    write_bytes(machine, number, None, &bytes)
}

fn seekable(machine: &dyn Machine, number: i32) -> Outcome<NodeId> {
    let files = &machine.world().kernel.files;
    let node = files.open_file(number)?.node;
    match files.node(node).content {
        Content::Standard(_) | Content::Pipe(_) => Err(Errno::Espipe.into()),
        _ => Ok(node),
    }
}

pub(super) fn lseek(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let by = known(machine, arguments[1], "distance to seek")? as i64;
    let whence = known(machine, arguments[2], "origin of a seek")?;
    machine.world().kernel.files.open_file(number)?;
    if ![SEEK_SET, SEEK_CUR, SEEK_END].contains(&whence) {
        return Err(Errno::Einval.into());
    }
    let node = seekable(machine, number)?;
    let files = files(machine);
    let from = match (whence, &files.node(node).content) {
        (_, Content::Null) => return Ok(0),
        (SEEK_SET, _) => 0,
        (SEEK_CUR, _) => files.open_file(number)?.position,
        (SEEK_END, Content::Regular(bytes)) => bytes.len() as u64,
        (SEEK_END, Content::Directory { .. }) => return Err(Errno::Einval.into()),
        _ => 0,
    };
    let position = (from as i64).checked_add(by).and_then(|at| u64::try_from(at).ok());
    let position = position.ok_or(Errno::Einval)?;
    files.open_file_mut(number)?.position = position;
    Ok(position)
}

fn resize(machine: &mut dyn Machine, node: NodeId, size: usize) {
    if let Some(bytes) = files(machine).contents_mut(node) {
        Arc::make_mut(bytes).resize(size, Byte::Concrete(0));
    }
}

pub(super) fn ftruncate(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let size = known(machine, arguments[1], "size of a file")?;
    let open = machine.world().kernel.files.open_file(number)?.clone();
    let is_regular =
        matches!(machine.world().kernel.files.node(open.node).content, Content::Regular(_));
    if open.flags & O_ACCMODE == 0 || !is_regular || size > FILE_LIMIT {
        return Err(Errno::Einval.into());
    }
    resize(machine, open.node, size as usize);
    Ok(0)
}

pub(super) fn truncate(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let path = paths::read(machine, arguments[0])?;
    let size = known(machine, arguments[1], "size of a file")?;
    let base = paths::here(machine);
    if size > i64::MAX as u64 {
        return Err(Errno::Einval.into());
    }
    let node = paths::find(machine, base, &path, true)?;
    match machine.world().kernel.files.node(node).content {
        Content::Directory { .. } => return Err(Errno::Eisdir.into()),
        Content::Regular(_) => paths::allowed(machine, node, WRITE)?,
        _ => return Err(Errno::Einval.into()),
    }
    if size > FILE_LIMIT {
        return Err(Errno::Einval.into());
    }
    resize(machine, node, size as usize);
    Ok(0)
}

pub(super) fn dup(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    Ok(files(machine).duplicate(number, 0, false)? as u64)
}

pub(super) fn dup2(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let from = descriptor(machine, arguments[0])?;
    let to = descriptor(machine, arguments[1])?;
    Ok(files(machine).duplicate_to(from, to, false)? as u64)
}

pub(super) fn dup3(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let from = descriptor(machine, arguments[0])?;
    let to = descriptor(machine, arguments[1])?;
    let flags = known(machine, arguments[2], "flags of dup3")?;
    if from == to {
        return Err(Errno::Einval.into());
    }
    Ok(files(machine).duplicate_to(from, to, flags & O_CLOEXEC != 0)? as u64)
}

pub(super) fn fcntl(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    /// The flags that `F_SETFL` may change: O_APPEND, O_NONBLOCK, O_ASYNC, O_DIRECT, O_NOATIME.
    const CHANGEABLE: u64 = 0o2000 | 0o4000 | 0o20000 | 0o40000 | 0o1_000_000;
    let number = descriptor(machine, arguments[0])?;
    let command = known(machine, arguments[1], "command of fcntl")?;
    let flags = machine.world().kernel.files.described(number)?.flags;
    match command {
        F_DUPFD | F_DUPFD_CLOEXEC => {
            let least = int(machine, arguments[2], "least descriptor")?;
            let close_on_exec = command == F_DUPFD_CLOEXEC;
            Ok(files(machine).duplicate(number, least, close_on_exec)? as u64)
        }
        F_GETFD => Ok(machine.world().kernel.files.close_on_exec(number)?.into()),
        F_SETFD => {
            let flags = int(machine, arguments[2], "flags of a descriptor")?;
            files(machine).set_close_on_exec(number, flags & 1 != 0)?;
            Ok(0)
        }
        F_GETFL => Ok(flags & !(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC)),
        _ if flags & O_PATH != 0 => Err(Errno::Ebadf.into()),
        F_SETFL => {
            let flags = int(machine, arguments[2], "flags of an open file")? as u64;
            let files = files(machine);
            let node = files.open_file(number)?.node;
            if matches!(files.node(node).content, Content::Standard(_)) {
                return Ok(0);
            }
            let open = files.open_file_mut(number)?;
            open.flags = open.flags & !CHANGEABLE | flags & CHANGEABLE;
            Ok(0)
        }
        F_SETLK | F_SETLKW => Ok(0),
        _ => Err(Errno::Einval.into()),
    }
}

pub(super) fn ioctl(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    machine.world().kernel.files.open_file(number)?;
    Err(Errno::Enotty.into())
}

pub(super) fn fadvise64(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    seekable(machine, number)?;
    Ok(0)
}

pub(super) fn fsync(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    let files = &machine.world().kernel.files;
    match files.node(files.open_file(number)?.node).content {
        Content::Regular(_) | Content::Directory { .. } => Ok(0),
        _ => Err(Errno::Einval.into()),
    }
}

/// A call without effect that succeeds for every open file.
pub(super) fn synced(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = descriptor(machine, arguments[0])?;
    machine.world().kernel.files.open_file(number)?;
    Ok(0)
}

/// Says which of the requested events are ready; reading and writing always are. `struct pollfd`
/// has a descriptor, the requested events, and the ready events.
pub(super) fn poll(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    const POLLIN: u64 = 1;
    const POLLOUT: u64 = 4;
    const POLLNVAL: u64 = 32;
    let count = known(machine, arguments[1], "number of descriptors")?;
    let mut ready = 0;
    for index in 0..count.min(BUFFERS) {
        let at = offset(machine.exprs(), arguments[0], 8 * index);
        let number = machine.load(at, 32)?;
        let number = machine.concretise(number, 32, "descriptor")? as i32;
        let asked = machine.load(offset(machine.exprs(), at, 4), 16)?;
        let asked = machine.concretise(asked, 16, "events to wait for")?;
        let events = match machine.world().kernel.files.open_file(number) {
            _ if number < 0 => 0,
            Ok(_) => asked & (POLLIN | POLLOUT),
            Err(_) => POLLNVAL,
        };
        ready += u64::from(events != 0);
        machine.store(offset(machine.exprs(), at, 6), 16, Value::Int(events))?;
    }
    Ok(ready)
}

/// Says which of the descriptors in three sets of bits are ready. All are ready for reading (first
/// set) and writing (second set); none has an exceptional condition (third set).
pub(super) fn select(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let count = int(machine, arguments[0], "number of descriptors")?;
    let count = u64::try_from(count).unwrap_or(0).min(SELECTED);
    let (mut ready, mut left) = (0, Vec::new());
    for (set, address) in arguments[1..4].iter().enumerate() {
        if is_null(machine, *address)? {
            continue;
        }
        for byte in 0..count.div_ceil(8) {
            let at = offset(machine.exprs(), *address, byte);
            let bits = machine.load(at, 8)?;
            let bits = machine.concretise(bits, 8, "descriptors to wait for")?;
            let known = (1 << (count - 8 * byte).min(8)) - 1;
            for bit in (0..8).filter(|bit| bits & known & 1 << bit != 0) {
                machine.world().kernel.files.open_file((8 * byte + bit) as i32)?;
                ready += u64::from(set < 2);
            }
            if set == 2 {
                left.push((at, bits & !known));
            }
        }
    }
    for (at, bits) in left {
        machine.store(at, 8, Value::Int(bits))?;
    }
    Ok(ready)
}

/// Makes a pipe, and writes its two descriptors, 32 bits each.
fn pipe_with(machine: &mut dyn Machine, address: Value, flags: u64) -> Outcome {
    if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
        return Err(Errno::Einval.into());
    }
    let ends = files(machine).pipe(flags)?;
    for (at, end) in (0..).step_by(4).zip(ends) {
        machine.store(offset(machine.exprs(), address, at), 32, Value::Int(end as u64))?;
    }
    Ok(0)
}

pub(super) fn pipe(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    pipe_with(machine, arguments[0], 0)
}

pub(super) fn pipe2(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = int(machine, arguments[1], "flags of a pipe")?;
    pipe_with(machine, arguments[0], flags as u32 as u64)
}
