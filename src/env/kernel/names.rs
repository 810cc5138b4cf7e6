//! Names of files: made, changed and removed.

use super::{
    Errno, Outcome,
    files::{Content, NULL, Node, NodeId, START},
    paths::{self, Target, files},
};
use crate::{env::Machine, memory::Value};

const AT_REMOVEDIR: u64 = 0x200;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const RENAME_NOREPLACE: u64 = 1;

fn here(machine: &mut dyn Machine) -> NodeId {
    machine.world().kernel.files.directory
}

fn is_directory(machine: &dyn Machine, node: NodeId) -> bool {
    matches!(machine.world().kernel.files.node(node).content, Content::Directory { .. })
}

fn remove(machine: &mut dyn Machine, base: NodeId, path: Value, directory: bool) -> Outcome {
    let path = paths::read(machine, path)?;
    let Target::Found { node, place } = paths::walk(machine, base, &path, false)? else {
        return Err(Errno::Enoent.into());
    };
    if node == START {
        return Err(if directory { Errno::Ebusy } else { Errno::Eisdir }.into());
    }
    let is_empty = match &machine.world().kernel.files.node(node).content {
        Content::Directory { .. } if !directory => return Err(Errno::Eisdir.into()),
        Content::Directory { entries, .. } => entries.is_empty(),
        Content::Null | Content::Standard(_) | Content::Pipe(_) => {
            return Err(Errno::Eacces.into());
        }
        _ if directory => return Err(Errno::Enotdir.into()),
        _ => true,
    };
    if !is_empty {
        return Err(Errno::Enotempty.into());
    }
    let files = files(machine);
    let (parent, name) = place.or_else(|| files.place_of(node)).ok_or(Errno::Enoent)?;
    files.take_away(parent, &name);
    Ok(0)
}

pub(super) fn unlink(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    remove(machine, base, arguments[0], false)
}

pub(super) fn rmdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    remove(machine, base, arguments[0], true)
}

pub(super) fn unlinkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    let flags = super::known(machine, arguments[2], "flags of unlinkat")?;
    remove(machine, base, arguments[1], flags & AT_REMOVEDIR != 0)
}

/// A new name for a file, in place of one that had it.
fn rename_between(
    machine: &mut dyn Machine,
    (from, old): (NodeId, Value),
    (to, new): (NodeId, Value),
    flags: u64,
) -> Outcome {
    let (old, new) = (paths::read(machine, old)?, paths::read(machine, new)?);
    let Target::Found { node, place } = paths::walk(machine, from, &old, false)? else {
        return Err(Errno::Enoent.into());
    };
    let target = paths::walk(machine, to, &new, false)?;
    let slash = paths::trim(machine, &mut new.clone())?;
    let replaced = match target {
        Target::Found { node, .. } => Some(node),
        Target::Missing { .. } => None,
    };
    if node == NULL || replaced == Some(NULL) {
        return Err(Errno::Eacces.into());
    }
    if node == START || replaced == Some(START) {
        return Err(Errno::Ebusy.into());
    }
    if flags & !RENAME_NOREPLACE != 0 {
        return Err(Errno::Einval.into());
    }
    if replaced.is_some() && flags & RENAME_NOREPLACE != 0 {
        return Err(Errno::Eexist.into());
    }
    let moves_directory = is_directory(machine, node);
    if slash && !moves_directory {
        return Err(Errno::Enotdir.into());
    }
    let place = place.or_else(|| machine.world().kernel.files.place_of(node));
    let (old_parent, old_name) = place.ok_or(Errno::Enoent)?;
    let (parent, name) = match target {
        Target::Found { node: other, .. } if other == node => return Ok(0),
        Target::Found { node: other, place } => {
            let files = &machine.world().kernel.files;
            let place = place.or_else(|| files.place_of(other)).ok_or(Errno::Enoent)?;
            if files.is_within(place.0, node) {
                return Err(Errno::Einval.into());
            }
            match &files.node(other).content {
                Content::Directory { entries, .. } => {
                    if files.is_within(old_parent, other) {
                        return Err(Errno::Enotempty.into());
                    }
                    if !moves_directory {
                        return Err(Errno::Eisdir.into());
                    }
                    if !entries.is_empty() {
                        return Err(Errno::Enotempty.into());
                    }
                }
                _ if moves_directory => return Err(Errno::Enotdir.into()),
                _ => {}
            }
            place
        }
        Target::Missing { directory, name } => {
            if machine.world().kernel.files.is_within(directory, node) {
                return Err(Errno::Einval.into());
            }
            (directory, paths::known_name(&name)?)
        }
    };
    let files = files(machine);
    if replaced.is_some() {
        files.take_away(parent, &name);
    }
    files.take_away(old_parent, &old_name);
    files.put_name(parent, name, node);
    Ok(0)
}

pub(super) fn rename(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    rename_between(machine, (base, arguments[0]), (base, arguments[1]), 0)
}

fn rename_from(machine: &mut dyn Machine, arguments: &[Value; 6], flags: u64) -> Outcome {
    let from = paths::base(machine, arguments[0])?;
    let to = paths::base(machine, arguments[2])?;
    rename_between(machine, (from, arguments[1]), (to, arguments[3]), flags)
}

pub(super) fn renameat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    rename_from(machine, arguments, 0)
}

pub(super) fn renameat2(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let flags = super::int(machine, arguments[4], "flags of renameat2")?;
    rename_from(machine, arguments, flags as u32 as u64)
}

/// The place for a new file at a path.
fn new_place(
    machine: &mut dyn Machine,
    base: NodeId,
    path: Value,
    null: Errno,
    directory: bool,
) -> Outcome<(NodeId, Vec<u8>)> {
    let mut path = paths::read(machine, path)?;
    // What is there is there, whatever it is.
    let slash = paths::trim(machine, &mut path)?;
    match paths::walk(machine, base, &path, false)? {
        Target::Found { node: NULL, .. } => Err(null.into()),
        Target::Found { .. } => Err(Errno::Eexist.into()),
        Target::Missing { .. } if slash && !directory => Err(Errno::Enoent.into()),
        Target::Missing { directory, name } => Ok((directory, paths::known_name(&name)?)),
    }
}

/// Another name for a file.
fn link_between(
    machine: &mut dyn Machine,
    (from, old): (NodeId, Value),
    (to, new): (NodeId, Value),
    follow: bool,
) -> Outcome {
    let old = paths::read(machine, old)?;
    let node = paths::find(machine, from, &old, follow)?;
    if node == NULL {
        return Err(Errno::Eacces.into());
    }
    let (directory, name) = new_place(machine, to, new, Errno::Eacces, false)?;
    if is_directory(machine, node) {
        return Err(Errno::Eperm.into());
    }
    files(machine).put_name(directory, name, node);
    Ok(0)
}

pub(super) fn link(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    link_between(machine, (base, arguments[0]), (base, arguments[1]), false)
}

pub(super) fn linkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let from = paths::base(machine, arguments[0])?;
    let to = paths::base(machine, arguments[2])?;
    let flags = super::known(machine, arguments[4], "flags of linkat")?;
    let follow = flags & AT_SYMLINK_FOLLOW != 0;
    link_between(machine, (from, arguments[1]), (to, arguments[3]), follow)
}

fn make_link(machine: &mut dyn Machine, target: Value, base: NodeId, path: Value) -> Outcome {
    let target = paths::read(machine, target)?;
    if target.is_empty() {
        return Err(Errno::Enoent.into());
    }
    let target = paths::known_name(&target)?;
    let (directory, name) = new_place(machine, base, path, Errno::Eexist, false)?;
    let link = Node { content: Content::Link(target), permissions: 0o777 };
    files(machine).add(directory, &name, link);
    Ok(0)
}

pub(super) fn symlink(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    make_link(machine, arguments[0], base, arguments[1])
}

pub(super) fn symlinkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[1])?;
    make_link(machine, arguments[0], base, arguments[2])
}

fn make_directory(machine: &mut dyn Machine, base: NodeId, path: Value, mode: Value) -> Outcome {
    let mode = super::known(machine, mode, "mode of a directory")?;
    let (directory, name) = new_place(machine, base, path, Errno::Eexist, true)?;
    let permissions = (mode & 0o7777 & !machine.world().kernel.umask) as u32;
    files(machine).add_directory(directory, &name, permissions);
    Ok(0)
}

pub(super) fn mkdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = here(machine);
    make_directory(machine, base, arguments[0], arguments[1])
}

pub(super) fn mkdirat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    make_directory(machine, base, arguments[1], arguments[2])
}
