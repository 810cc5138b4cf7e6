//! The calls on a file's metadata (`stat`, `access`, `chmod`, `chown`, `utime`), on links, on the
//! working directory, and on what a directory contains.

use super::{
    errno::Errno,
    files::{Content, NodeId},
    outcome::{Outcome, int, is_null, known, store_values, store_words},
    paths::{self, Base, SEARCH, files},
};
use crate::{
    env::{Machine, libc::strings},
    memory::{Byte, Value},
};

const S_IFIFO: u32 = 0o010_000;
const S_IFCHR: u32 = 0o020_000;
const S_IFDIR: u32 = 0o040_000;
const S_IFREG: u32 = 0o100_000;
const S_IFLNK: u32 = 0o120_000;
const BLOCK: u64 = 4096;
/// The user id and the group id to which everything belongs.
pub(super) const USER: u64 = 1000;
/// The device number of `/dev/null`.
const NULL_DEVICE: u64 = 0x103;
const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
const AT_EMPTY_PATH: u64 = 0x1000;

/// Writes the `struct stat` of a node (Linux on x86-64, asm/stat.h), 144 bytes.
fn fill(machine: &mut dyn Machine, node: NodeId, address: Value) -> Outcome {
    let number = files(machine).number(node);
    let kernel = &machine.world().kernel;
    let found = kernel.files.node(node);
    let (kind, size, links) = match &found.content {
        Content::Directory { .. } => (S_IFDIR, BLOCK, 2),
        Content::Regular(bytes) => (S_IFREG, bytes.len() as u64, 1),
        Content::Link(target) => (S_IFLNK, target.len() as u64, 1),
        Content::Null => (S_IFCHR, 0, 1),
        Content::Standard(_) | Content::Pipe(_) => (S_IFIFO, 0, 1),
    };
    let device = if found.content == Content::Null { NULL_DEVICE } else { 0 };
    let mode = u64::from(kind | found.permissions);
    let time = kernel.files.time(node).unwrap_or(kernel.start);
    let zero = Value::Int(0);
    let words =
        [1, number, links, mode | USER << 32, USER, device, size, BLOCK, size.div_ceil(512)];
    let times = [time, zero, time, zero, time, zero, zero, zero, zero];
    store_values(machine, address, words.map(Value::Int).into_iter().chain(times))?;
    Ok(0)
}

pub(super) fn fstat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = int(machine, arguments[0], "descriptor")?;
    let node = machine.world().kernel.files.described(number)?.node;
    fill(machine, node, arguments[1])
}

fn by_path(machine: &mut dyn Machine, path: Value, to: Value, follow: bool) -> Outcome {
    let path = paths::read(machine, path)?;
    let base = paths::here(machine);
    let node = paths::find(machine, base, &path, follow)?;
    fill(machine, node, to)
}

pub(super) fn stat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    by_path(machine, arguments[0], arguments[1], true)
}

pub(super) fn lstat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    by_path(machine, arguments[0], arguments[1], false)
}

pub(super) fn newfstatat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = known(machine, arguments[3], "flags of fstatat")?;
    let path = paths::read(machine, arguments[1])?;
    if path.is_empty() && flags & AT_EMPTY_PATH != 0 {
        let number = int(machine, arguments[0], "descriptor")?;
        let node = machine.world().kernel.files.described(number)?.node;
        return fill(machine, node, arguments[2]);
    }
    let base = paths::base(machine, arguments[0])?;
    let node = paths::find(machine, base, &path, flags & AT_SYMLINK_NOFOLLOW == 0)?;
    fill(machine, node, arguments[2])
}

fn access_from(machine: &mut dyn Machine, base: Base, rest: [Value; 2], follow: bool) -> Outcome {
    let mode = known(machine, rest[1], "mode of access")? as u32;
    let path = paths::read(machine, rest[0])?;
    let node = paths::find(machine, base, &path, follow)?;
    let owner = machine.world().kernel.files.node(node).permissions >> 6 & 7;
    if mode & !owner & 7 != 0 { Err(Errno::Eacces.into()) } else { Ok(0) }
}

pub(super) fn access(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    access_from(machine, base, [arguments[0], arguments[1]], true)
}

pub(super) fn faccessat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    access_from(machine, base, [arguments[1], arguments[2]], true)
}

/// `faccessat` with flags. AT_EACCESS makes no difference, as the real and effective ids are equal.
pub(super) fn faccessat2(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = known(machine, arguments[3], "flags of faccessat2")?;
    let base = paths::base(machine, arguments[0])?;
    let follow = flags & AT_SYMLINK_NOFOLLOW == 0;
    access_from(machine, base, [arguments[1], arguments[2]], follow)
}

fn read_link(machine: &mut dyn Machine, base: Base, rest: &[Value]) -> Outcome {
    let size = int(machine, rest[2], "size of a buffer")?;
    if size <= 0 {
        return Err(Errno::Einval.into());
    }
    let path = paths::read(machine, rest[0])?;
    let node = paths::find(machine, base, &path, false)?;
    let Content::Link(target) = machine.world().kernel.files.node(node).content.clone() else {
        return Err(Errno::Einval.into());
    };
    let bytes: Vec<Byte> = target.into_iter().take(size as usize).map(Byte::Concrete).collect();
    strings::write(machine, rest[1], &bytes)?;
    Ok(bytes.len() as u64)
}

pub(super) fn readlink(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    read_link(machine, base, arguments)
}

pub(super) fn readlinkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    read_link(machine, base, &arguments[1..])
}

pub(super) fn getcwd(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let size = known(machine, arguments[1], "size of a buffer")?;
    let files = &machine.world().kernel.files;
    if files.is_removed(files.directory) {
        return Err(Errno::Enoent.into());
    }
    let mut path = files.path(files.directory);
    path.push(0);
    if path.len() as u64 > size {
        return Err(Errno::Erange.into());
    }
    let bytes: Vec<Byte> = path.into_iter().map(Byte::Concrete).collect();
    strings::write(machine, arguments[0], &bytes)?;
    Ok(bytes.len() as u64)
}

fn enter(machine: &mut dyn Machine, node: NodeId) -> Outcome {
    let Content::Directory { .. } = machine.world().kernel.files.node(node).content else {
        return Err(Errno::Enotdir.into());
    };
    paths::allowed(machine, node, SEARCH)?;
    files(machine).directory = node;
    Ok(0)
}

pub(super) fn chdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let path = paths::read(machine, arguments[0])?;
    let base = paths::here(machine);
    let node = paths::find(machine, base, &path, true)?;
    enter(machine, node)
}

pub(super) fn fchdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = int(machine, arguments[0], "descriptor")?;
    let node = machine.world().kernel.files.described(number)?.node;
    enter(machine, node)
}

/// Writes `struct linux_dirent64` entries one after another: `.` and `..`, then the other names in
/// order.
pub(super) fn getdents64(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    const HEAD: usize = 19;
    let number = int(machine, arguments[0], "descriptor")?;
    let size = known(machine, arguments[2], "size of a buffer")? as usize;
    let open = machine.world().kernel.files.open_file(number)?.clone();
    let Content::Directory { entries, parent } =
        machine.world().kernel.files.node(open.node).content.clone()
    else {
        return Err(Errno::Enotdir.into());
    };
    let mut names = vec![(b".".to_vec(), open.node), (b"..".to_vec(), parent)];
    names.extend(entries);
    let mut bytes: Vec<u8> = Vec::new();
    let mut position = open.position;
    for (name, node) in names.into_iter().skip(open.position as usize) {
        let length = (HEAD + name.len() + 1).next_multiple_of(8);
        if bytes.len() + length > size {
            if bytes.is_empty() {
                return Err(Errno::Einval.into());
            }
            break;
        }
        position += 1;
        let kind = match machine.world().kernel.files.node(node).content {
            Content::Directory { .. } => 4,
            Content::Regular(_) => 8,
            Content::Link(_) => 10,
            Content::Null => 2,
            Content::Standard(_) | Content::Pipe(_) => 1,
        };
        let end = bytes.len() + length;
        bytes.extend(files(machine).number(node).to_le_bytes());
        bytes.extend(position.to_le_bytes());
        bytes.extend((length as u16).to_le_bytes());
        bytes.push(kind);
        bytes.extend(name);
        bytes.resize(end, 0);
    }
    let bytes: Vec<Byte> = bytes.into_iter().map(Byte::Concrete).collect();
    strings::write(machine, arguments[1], &bytes)?;
    files(machine).open_file_mut(number)?.position = position;
    Ok(bytes.len() as u64)
}

/// Writes the `struct statfs` of a file system in memory (x86-64), fifteen words.
fn fill_statfs(machine: &mut dyn Machine, address: Value) -> Outcome {
    const MEMORY: u64 = 0x0102_1994;
    let blocks = [1 << 18, 1 << 17, 1 << 17, 1 << 16, 1 << 15];
    let mut words = vec![MEMORY, BLOCK];
    words.extend(blocks);
    words.extend([0, 255, BLOCK, 0, 0, 0, 0, 0]);
    store_words(machine, address, words)?;
    Ok(0)
}

pub(super) fn statfs(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let path = paths::read(machine, arguments[0])?;
    let base = paths::here(machine);
    paths::find(machine, base, &path, true)?;
    fill_statfs(machine, arguments[1])
}

pub(super) fn fstatfs(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = int(machine, arguments[0], "descriptor")?;
    machine.world().kernel.files.described(number)?;
    fill_statfs(machine, arguments[1])
}

fn change_mode(machine: &mut dyn Machine, node: NodeId, mode: Value) -> Outcome {
    let mode = known(machine, mode, "mode of a file")? as u32;
    let files = files(machine);
    match files.node(node).content {
        Content::Null => Err(Errno::Eperm.into()),
        Content::Standard(_) => Ok(0),
        _ => {
            files.node_mut(node).permissions = mode & 0o7777;
            Ok(0)
        }
    }
}

pub(super) fn chmod(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let path = paths::read(machine, arguments[0])?;
    let base = paths::here(machine);
    let node = paths::find(machine, base, &path, true)?;
    change_mode(machine, node, arguments[1])
}

pub(super) fn fchmod(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = int(machine, arguments[0], "descriptor")?;
    let node = machine.world().kernel.files.open_file(number)?.node;
    change_mode(machine, node, arguments[1])
}

pub(super) fn fchmodat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    let path = paths::read(machine, arguments[1])?;
    let node = paths::find(machine, base, &path, true)?;
    change_mode(machine, node, arguments[2])
}

/// Changes the owner of a file or of the process. If every id is the present one or -1, this
/// succeeds without effect; otherwise it fails with EPERM.
pub(super) fn change_owner(machine: &mut dyn Machine, ids: &[Value]) -> Outcome {
    for id in ids {
        let id = int(machine, *id, "number of an owner")?;
        if id != -1 && id as u64 != USER {
            return Err(Errno::Eperm.into());
        }
    }
    Ok(0)
}

fn chown_from(machine: &mut dyn Machine, base: Base, rest: &[Value], follow: bool) -> Outcome {
    let path = paths::read(machine, rest[0])?;
    paths::find(machine, base, &path, follow)?;
    change_owner(machine, &rest[1..3])
}

pub(super) fn chown(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    chown_from(machine, base, arguments, true)
}

pub(super) fn lchown(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    chown_from(machine, base, arguments, false)
}

pub(super) fn fchownat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = known(machine, arguments[4], "flags of fchownat")?;
    let base = paths::base(machine, arguments[0])?;
    chown_from(machine, base, &arguments[1..], flags & AT_SYMLINK_NOFOLLOW == 0)
}

pub(super) fn fchown(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let number = int(machine, arguments[0], "descriptor")?;
    machine.world().kernel.files.open_file(number)?;
    change_owner(machine, &arguments[1..3])
}

/// Changes the times of a file: succeeds without effect if the file exists.
fn touch(machine: &mut dyn Machine, base: Base, path: Value, follow: bool) -> Outcome {
    let path = paths::read(machine, path)?;
    paths::find(machine, base, &path, follow)?;
    Ok(0)
}

/// Changes the times of a file, without effect. The file is given by its path, or by its
/// descriptor if the path is null.
fn touch_at(machine: &mut dyn Machine, arguments: &[Value; 6], follow: bool) -> Outcome {
    if is_null(machine, arguments[1])? {
        let number = int(machine, arguments[0], "descriptor")?;
        machine.world().kernel.files.open_file(number)?;
        return Ok(0);
    }
    let base = paths::base(machine, arguments[0])?;
    touch(machine, base, arguments[1], follow)
}

pub(super) fn utime(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    touch(machine, base, arguments[0], true)
}

pub(super) fn futimesat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    touch_at(machine, arguments, true)
}

pub(super) fn utimensat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = known(machine, arguments[3], "flags of utimensat")?;
    touch_at(machine, arguments, flags & AT_SYMLINK_NOFOLLOW == 0)
}
