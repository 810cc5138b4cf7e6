//! Path resolution: from a path, whose bytes may be symbolic, to a file.

use super::{
    errno::Errno,
    files::{Content, Files, NULL, NodeId, START, START_NAME},
    outcome::{Failure, Outcome, int},
};
use crate::{
    env::{Machine, Stop, libc::access::string_at},
    memory::{Byte, Value},
};

/// The descriptor that stands for the working directory.
const AT_FDCWD: i32 = -100;
/// The longest path with its NUL, and the longest name in a path, in bytes (Linux, limits.h).
const PATH_MAX: usize = 4096;
const NAME_MAX: usize = 255;
/// The largest number of symbolic links that are followed, including links inside links.
const LINKS: u32 = 40;
/// The owner's permissions: to search a directory, to write and to read.
pub(super) const SEARCH: u32 = 0o100;
pub(super) const WRITE: u32 = 0o200;
pub(super) const READ: u32 = 0o400;

/// Where a path leads.
pub(super) enum Target {
    /// The path leads to this file. If it ends with a name, `place` is the directory that contains
    /// the file, and the name there.
    Found { node: NodeId, place: Option<(NodeId, Vec<u8>)> },
    /// There is no file, but one with this name could be made in this directory.
    Missing { directory: NodeId, name: Vec<Byte> },
}

impl Target {
    /// Whether the path leads to a directory but does not end with the directory's name: it is the
    /// path of the start directory, or ends with `.` or `..`.
    pub(super) fn is_nameless(&self) -> bool {
        matches!(self, Self::Found { node, place: None } if *node != NULL)
    }
}

/// The directory from which a relative path starts. An absolute path ignores the error.
pub(super) type Base = Result<NodeId, Errno>;

/// The working directory.
pub(super) fn here(machine: &dyn Machine) -> Base {
    Ok(machine.world().kernel.files.directory)
}

/// The directory of a descriptor, or the working directory for AT_FDCWD.
pub(super) fn base(machine: &mut dyn Machine, descriptor: Value) -> Result<Base, Stop> {
    let descriptor = int(machine, descriptor, "descriptor of a directory")?;
    if descriptor == AT_FDCWD {
        return Ok(here(machine));
    }
    let files = &machine.world().kernel.files;
    Ok(files.described(descriptor).and_then(|open| match files.node(open.node).content {
        Content::Directory { .. } => Ok(open.node),
        _ => Err(Errno::Enotdir),
    }))
}

/// Reads the path at an address; ENAMETOOLONG if it is longer than allowed.
pub(super) fn read(machine: &mut dyn Machine, address: Value) -> Outcome<Vec<Byte>> {
    let path = string_at(machine, address, Some(PATH_MAX as u64))?;
    if path.len() >= PATH_MAX {
        return Err(Errno::Enametoolong.into());
    }
    Ok(path)
}

/// Removes the slashes at the end of a path, and returns whether there were any.
pub(super) fn trim(machine: &mut dyn Machine, path: &mut Vec<Byte>) -> Outcome<bool> {
    let length = path.len();
    while let Some(last) = path.last().copied()
        && is(machine, last, b'/')?
    {
        path.pop();
    }
    Ok(path.len() < length)
}

/// Follows a path. A symbolic link at its end is followed only if `follow` is true.
pub(super) fn walk(
    machine: &mut dyn Machine,
    base: Base,
    path: &[Byte],
    follow: bool,
) -> Outcome<Target> {
    let mut links = LINKS;
    walk_within(machine, base, path, follow, &mut links)
}

/// Follows a path for calls that make, move or remove names. Slashes at the end are removed, and
/// the `bool` says whether there were any. A symbolic link at the end is never followed.
pub(super) fn named(
    machine: &mut dyn Machine,
    base: Base,
    path: &mut Vec<Byte>,
) -> Outcome<(Target, bool)> {
    let slash = trim(machine, path)?;
    Ok((walk(machine, base, path, false)?, slash))
}

/// Fails with EACCES if the owner may not add names to a directory or remove them.
pub(super) fn change_names(machine: &dyn Machine, directory: NodeId) -> Outcome<()> {
    allowed(machine, directory, SEARCH | WRITE)
}

/// Fails with EACCES if the owner of a file lacks one of the permissions `needed`.
pub(super) fn allowed(machine: &dyn Machine, node: NodeId, needed: u32) -> Outcome<()> {
    let permissions = machine.world().kernel.files.node(node).permissions;
    if permissions & needed == needed { Ok(()) } else { Err(Errno::Eacces.into()) }
}

/// The file that a path leads to; ENOENT if there is none. A symbolic link at the end is followed
/// only if `follow` is true.
pub(super) fn find(
    machine: &mut dyn Machine,
    base: Base,
    path: &[Byte],
    follow: bool,
) -> Outcome<NodeId> {
    match walk(machine, base, path, follow)? {
        Target::Found { node, .. } => Ok(node),
        Target::Missing { .. } => Err(Errno::Enoent.into()),
    }
}

fn walk_within(
    machine: &mut dyn Machine,
    base: Base,
    path: &[Byte],
    follow: bool,
    links: &mut u32,
) -> Outcome<Target> {
    if path.is_empty() {
        return Err(Errno::Enoent.into());
    }
    let mut components: Vec<Vec<Byte>> = vec![Vec::new()];
    for byte in path {
        if is(machine, *byte, b'/')? {
            components.push(Vec::new());
        } else {
            components.last_mut().expect("one at least").push(*byte);
        }
    }
    let absolute = components[0].is_empty();
    let directory_wanted = components.last().is_some_and(Vec::is_empty);
    components.retain(|component| !component.is_empty());
    let mut node = if absolute { START } else { base? };
    let mut place = None;
    let mut rest = components.as_slice();
    if machine.world().kernel.files.is_removed(node) {
        return Err(Errno::Enoent.into());
    }
    if absolute {
        let [first, tail @ ..] = rest else { return Err(Errno::Enoent.into()) };
        if matches(machine, first, b"dev")? {
            let [name] = tail else { return Err(Errno::Enoent.into()) };
            return if !matches(machine, name, b"null")? {
                Err(Errno::Enoent.into())
            } else if directory_wanted {
                Err(Errno::Enotdir.into())
            } else {
                Ok(Target::Found { node: NULL, place: None })
            };
        }
        if !matches(machine, first, START_NAME)? {
            return Err(Errno::Enoent.into());
        }
        rest = tail;
    }
    while let [component, tail @ ..] = rest {
        rest = tail;
        let last = tail.is_empty();
        match step(machine, node, component)? {
            None if last => {
                return Ok(Target::Missing { directory: node, name: component.clone() });
            }
            None => return Err(Errno::Enoent.into()),
            Some((next, name)) => {
                place = name.map(|name| (node, name));
                let content = machine.world().kernel.files.node(next).content.clone();
                node = match content {
                    Content::Link(target) if !last || follow || directory_wanted => {
                        *links = links.checked_sub(1).ok_or(Errno::Eloop)?;
                        let target: Vec<Byte> = target.into_iter().map(Byte::Concrete).collect();
                        match walk_within(machine, Ok(node), &target, true, links)? {
                            Target::Found { node, place: found } => {
                                place = found;
                                node
                            }
                            missing if last => return Ok(missing),
                            Target::Missing { .. } => return Err(Errno::Enoent.into()),
                        }
                    }
                    _ => next,
                };
            }
        }
    }
    let is_directory =
        matches!(machine.world().kernel.files.node(node).content, Content::Directory { .. });
    if directory_wanted && !is_directory {
        return Err(Errno::Enotdir.into());
    }
    Ok(Target::Found { node, place })
}

/// The node of a name in a directory, if it exists, and the name as the directory spells it. The
/// latter is `None` for `.` and `..`.
fn step(
    machine: &mut dyn Machine,
    node: NodeId,
    name: &[Byte],
) -> Outcome<Option<(NodeId, Option<Vec<u8>>)>> {
    let directory = machine.world().kernel.files.node(node).clone();
    let Content::Directory { entries, parent } = directory.content else {
        return Err(Errno::Enotdir.into());
    };
    allowed(machine, node, SEARCH)?;
    if matches(machine, name, b".")? {
        return Ok(Some((node, None)));
    }
    if matches(machine, name, b"..")? {
        return Ok(Some((parent, None)));
    }
    if name.len() > NAME_MAX {
        return Err(Errno::Enametoolong.into());
    }
    for (entry, id) in &entries {
        if matches(machine, name, entry)? {
            return Ok(Some((*id, Some(entry.clone()))));
        }
    }
    Ok(None)
}

fn is(machine: &mut dyn Machine, byte: Byte, value: u8) -> Result<bool, Stop> {
    matches(machine, &[byte], &[value])
}

/// Branches on whether bytes equal a text; forks if they may or may not.
pub(super) fn matches(
    machine: &mut dyn Machine,
    bytes: &[Byte],
    text: &[u8],
) -> Result<bool, Stop> {
    if bytes.len() != text.len() {
        return Ok(false);
    }
    let exprs = machine.exprs();
    let mut all = exprs.constant(1, 1);
    for (byte, value) in bytes.iter().zip(text) {
        let byte = byte.expr(exprs).expect("what was read of a path was written");
        all = exprs.and(all, exprs.eq(byte, exprs.constant(8, u64::from(*value))));
    }
    machine.branch(all)
}

/// The name of a new file, which must be concrete.
pub(super) fn known_name(name: &[Byte]) -> Outcome<Vec<u8>> {
    let known = name.iter().map(|byte| match byte {
        Byte::Concrete(value) => Some(*value),
        _ => None,
    });
    known
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(|| Failure::Stop(Stop::unsupported("a new file whose name depends on input")))
}

/// The files of the machine, for changes.
pub(super) fn files(machine: &mut dyn Machine) -> &mut Files {
    &mut std::sync::Arc::make_mut(&mut machine.world_mut().kernel).files
}
