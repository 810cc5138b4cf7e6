//! The calls that make, change and remove names of files: `unlink`, `rename`, `link`, `mkdir` and
//! their kind.

use super::{
    errno::Errno,
    files::{Content, NULL, Node, NodeId},
    outcome::{Outcome, int, known},
    paths::{self, Base, Target, WRITE, files},
};
use crate::{env::Machine, memory::Value};

const AT_REMOVEDIR: u64 = 0x200;
const AT_SYMLINK_FOLLOW: u64 = 0x400;
const RENAME_NOREPLACE: u64 = 1;

fn is_directory(machine: &dyn Machine, node: NodeId) -> bool {
    matches!(machine.world().kernel.files.node(node).content, Content::Directory { .. })
}

fn remove(machine: &mut dyn Machine, base: Base, path: Value, directory: bool) -> Outcome {
    let mut path = paths::read(machine, path)?;
    let (target, slash) = paths::named(machine, base, &mut path)?;
    let Target::Found { node, place } = target else {
        return Err(Errno::Enoent.into());
    };
    if node == NULL {
        return Err(Errno::Eacces.into());
    }
    // The path is that of the start directory, or ends with `.` or `..`.
    let Some((parent, name)) = place else {
        let parent = path.len() >= 2 && paths::matches(machine, &path[path.len() - 2..], b"..")?;
        return Err(match paths::matches(machine, &path[path.len() - 1..], b".")? {
            _ if !directory => Errno::Eisdir,
            true if parent => Errno::Enotempty,
            true => Errno::Einval,
            false => Errno::Ebusy,
        }
        .into());
    };
    let is_directory = is_directory(machine, node);
    if slash && !directory {
        return Err(if is_directory { Errno::Eisdir } else { Errno::Enotdir }.into());
    }
    paths::change_names(machine, parent)?;
    match &machine.world().kernel.files.node(node).content {
        Content::Directory { .. } if !directory => return Err(Errno::Eisdir.into()),
        Content::Directory { entries, .. } if !entries.is_empty() => {
            return Err(Errno::Enotempty.into());
        }
        _ if directory && !is_directory => return Err(Errno::Enotdir.into()),
        _ => {}
    }
    files(machine).remove(parent, &name);
    Ok(0)
}

pub(super) fn unlink(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    remove(machine, base, arguments[0], false)
}

pub(super) fn rmdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    remove(machine, base, arguments[0], true)
}

pub(super) fn unlinkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    let flags = int(machine, arguments[2], "flags of unlinkat")? as u32 as u64;
    if flags & !AT_REMOVEDIR != 0 {
        return Err(Errno::Einval.into());
    }
    remove(machine, base, arguments[1], flags & AT_REMOVEDIR != 0)
}

/// Gives a file a new name. A file that had this name loses it.
fn rename_between(
    machine: &mut dyn Machine,
    (from, old): (Base, Value),
    (to, new): (Base, Value),
    flags: u64,
) -> Outcome {
    let (mut old, mut new) = (paths::read(machine, old)?, paths::read(machine, new)?);
    if flags & !RENAME_NOREPLACE != 0 {
        return Err(Errno::Einval.into());
    }
    let (source, source_slash) = paths::named(machine, from, &mut old)?;
    let (target, target_slash) = paths::named(machine, to, &mut new)?;
    if [&source, &target].iter().any(|target| matches!(target, Target::Found { node: NULL, .. })) {
        return Err(Errno::Eacces.into());
    }
    if source.is_nameless() {
        return Err(Errno::Ebusy.into());
    }
    let keeps = flags & RENAME_NOREPLACE != 0;
    if target.is_nameless() {
        return Err(if keeps { Errno::Eexist } else { Errno::Ebusy }.into());
    }
    let Target::Found { node, place: Some((old_parent, old_name)) } = source else {
        return Err(Errno::Enoent.into());
    };
    let moves_directory = is_directory(machine, node);
    let (replaced, parent, name) = match target {
        Target::Found { .. } if keeps => return Err(Errno::Eexist.into()),
        Target::Found { node, place } => {
            let (parent, name) = place.expect("not nameless");
            (Some(node), parent, Ok(name))
        }
        Target::Missing { directory, name } => (None, directory, paths::known_name(&name)),
    };
    if (source_slash || target_slash) && !moves_directory {
        return Err(Errno::Enotdir.into());
    }
    let files = &machine.world().kernel.files;
    if files.is_within(parent, node) {
        return Err(Errno::Einval.into());
    }
    if replaced.is_some_and(|replaced| files.is_within(old_parent, replaced)) {
        return Err(Errno::Enotempty.into());
    }
    if replaced == Some(node) {
        return Ok(0);
    }
    paths::change_names(machine, old_parent)?;
    paths::change_names(machine, parent)?;
    let is_empty = match replaced.map(|replaced| &files.node(replaced).content) {
        Some(Content::Directory { .. }) if !moves_directory => return Err(Errno::Eisdir.into()),
        Some(Content::Directory { entries, .. }) => entries.is_empty(),
        Some(_) if moves_directory => return Err(Errno::Enotdir.into()),
        _ => true,
    };
    if moves_directory && parent != old_parent {
        // The move changes its `..`.
        paths::allowed(machine, node, WRITE)?;
    }
    if !is_empty {
        return Err(Errno::Enotempty.into());
    }
    let name = name?;
    let files = paths::files(machine);
    files.remove(parent, &name);
    files.take_away(old_parent, &old_name);
    files.put_name(parent, name, node);
    Ok(0)
}

pub(super) fn rename(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
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
    let flags = int(machine, arguments[4], "flags of renameat2")?;
    rename_from(machine, arguments, flags as u32 as u64)
}

/// The directory and the name of a new file at `path`. `null` is the error for `/dev/null`.
fn new_place(
    machine: &mut dyn Machine,
    base: Base,
    path: Value,
    null: Errno,
    directory: bool,
) -> Outcome<(NodeId, Vec<u8>)> {
    let mut path = paths::read(machine, path)?;
    // Anything that exists gives EEXIST, even a link that leads nowhere.
    let (target, slash) = paths::named(machine, base, &mut path)?;
    match target {
        Target::Found { node: NULL, .. } => Err(null.into()),
        Target::Found { .. } => Err(Errno::Eexist.into()),
        Target::Missing { .. } if slash && !directory => Err(Errno::Enoent.into()),
        Target::Missing { directory, name } => {
            paths::change_names(machine, directory)?;
            Ok((directory, paths::known_name(&name)?))
        }
    }
}

/// Gives a file another name.
fn link_between(
    machine: &mut dyn Machine,
    (from, old): (Base, Value),
    (to, new): (Base, Value),
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
    let base = paths::here(machine);
    link_between(machine, (base, arguments[0]), (base, arguments[1]), false)
}

pub(super) fn linkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let from = paths::base(machine, arguments[0])?;
    let to = paths::base(machine, arguments[2])?;
    let flags = known(machine, arguments[4], "flags of linkat")?;
    let follow = flags & AT_SYMLINK_FOLLOW != 0;
    link_between(machine, (from, arguments[1]), (to, arguments[3]), follow)
}

fn make_link(machine: &mut dyn Machine, target: Value, base: Base, path: Value) -> Outcome {
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
    let base = paths::here(machine);
    make_link(machine, arguments[0], base, arguments[1])
}

pub(super) fn symlinkat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[1])?;
    make_link(machine, arguments[0], base, arguments[2])
}

fn make_directory(machine: &mut dyn Machine, base: Base, path: Value, mode: Value) -> Outcome {
    let mode = known(machine, mode, "mode of a directory")?;
    let (directory, name) = new_place(machine, base, path, Errno::Eexist, true)?;
    // `mkdir` cannot set the set-user-ID and set-group-ID bits.
    let permissions = (mode & 0o1777 & !machine.world().kernel.umask) as u32;
    files(machine).add_directory(directory, &name, permissions);
    Ok(0)
}

pub(super) fn mkdir(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::here(machine);
    make_directory(machine, base, arguments[0], arguments[1])
}

pub(super) fn mkdirat(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let base = paths::base(machine, arguments[0])?;
    make_directory(machine, base, arguments[1], arguments[2])
}
