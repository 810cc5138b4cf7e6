//! The file system of the process: files, directories, and what is open.

use std::{collections::BTreeMap, sync::Arc};

use super::errno::Errno;
use crate::{
    expr::ExprId,
    memory::{Byte, Value},
    subject::{FileState, path_text},
};

/// The files and directories in and below the start directory, by path.
pub type FileStates = BTreeMap<String, FileState<Arc<Vec<Byte>>>>;

/// The index of a [`Node`] in [`Files`].
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NodeId(u32);

/// The directory that the program starts in.
pub const START: NodeId = NodeId(0);
/// `/dev/null`.
pub const NULL: NodeId = NodeId(1);
const STDIN: NodeId = NodeId(2);
const STDOUT: NodeId = NodeId(3);
const STDERR: NodeId = NodeId(4);

/// The name of the start directory in the root directory.
pub(super) const START_NAME: &[u8] = b"psychic";

/// Flags of `open` (Linux, asm-generic/fcntl.h).
pub(super) const O_ACCMODE: u64 = 3;
pub(super) const O_CREAT: u64 = 0o100;
pub(super) const O_EXCL: u64 = 0o200;
pub(super) const O_TRUNC: u64 = 0o1000;
pub(super) const O_NONBLOCK: u64 = 0o4000;
pub(super) const O_APPEND: u64 = 0o2000;
pub(super) const O_DIRECTORY: u64 = 0o200_000;
pub(super) const O_NOFOLLOW: u64 = 0o400_000;
pub(super) const O_CLOEXEC: u64 = 0o2_000_000;
pub(super) const O_PATH: u64 = 0o10_000_000;
pub(super) const O_TMPFILE: u64 = 0o20_000_000 | O_DIRECTORY;

/// What a file is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Content {
    /// A directory.
    Directory {
        /// The entries of the directory, ordered by name.
        entries: BTreeMap<Vec<u8>, NodeId>,
        /// The parent directory; the start directory is its own parent.
        parent: NodeId,
    },
    /// A regular file with these bytes.
    Regular(Arc<Vec<Byte>>),
    /// A symbolic link with this target.
    Link(Vec<u8>),
    /// `/dev/null`: empty, and swallows what is written to it.
    Null,
    /// Standard input, output or error: a pipe to the outside.
    Standard(Standard),
    /// A pipe that the program made, with the bytes that were written but not read yet.
    Pipe(Arc<Vec<Byte>>),
}

/// The standard streams.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standard {
    Input,
    Output,
    Error,
}

/// A file, a directory, or anything else that [`Content`] lists.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Node {
    /// The kind of the node, and what it contains.
    pub content: Content,
    /// Permission bits.
    pub permissions: u32,
}

/// An open file, which several descriptors may share.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Description {
    pub node: NodeId,
    /// The position in bytes from the start; in entries, for a directory.
    pub position: u64,
    /// The flags that `open` got, with the changes that `fcntl` made.
    pub flags: u64,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Descriptor {
    description: usize,
    close_on_exec: bool,
}

/// The file system of one process, and its descriptors.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Files {
    nodes: Vec<Arc<Node>>,
    /// The nodes in the order in which the program first saw their numbers.
    seen: Vec<Option<NodeId>>,
    descriptions: Vec<Description>,
    descriptors: Vec<Option<Descriptor>>,
    pub(super) directory: NodeId,
    /// When the files that existed before the start were last changed, in seconds since 1970.
    times: Arc<BTreeMap<NodeId, Value>>,
    /// The files and directories that existed at the start.
    start: Arc<FileStates>,
}

/// Permission bits (Linux, stat.h).
const SET_USER: u32 = 0o4000;
const SET_GROUP: u32 = 0o2000;
const GROUP_EXECUTES: u32 = 0o010;

/// The largest number of descriptors of a process.
const DESCRIPTORS: usize = 240;

impl Default for Files {
    /// An empty start directory, and the standard streams.
    fn default() -> Self {
        let node = |content, permissions| Arc::new(Node { content, permissions });
        let directory = Content::Directory { entries: BTreeMap::new(), parent: START };
        let standard = |stream| node(Content::Standard(stream), 0o600);
        let description = |node, flags| Description { node, position: 0, flags };
        let descriptor = |description| Some(Descriptor { description, close_on_exec: false });
        Self {
            nodes: vec![
                node(directory, 0o755),
                node(Content::Null, 0o666),
                standard(Standard::Input),
                standard(Standard::Output),
                standard(Standard::Error),
            ],
            seen: Vec::new(),
            descriptions: vec![
                description(STDIN, 0),
                description(STDOUT, 1),
                description(STDERR, 1),
            ],
            descriptors: vec![descriptor(0), descriptor(1), descriptor(2)],
            directory: START,
            times: Arc::default(),
            start: Arc::default(),
        }
    }
}

impl Files {
    /// The node of this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        Arc::make_mut(&mut self.nodes[id.0 as usize])
    }

    /// Whether a byte of a file or pipe is an expression that satisfies `is`.
    pub fn any_symbolic(&self, is: &dyn Fn(ExprId) -> bool) -> bool {
        self.nodes.iter().any(|node| match &node.content {
            Content::Regular(bytes) | Content::Pipe(bytes) => {
                bytes.iter().any(|byte| matches!(byte, Byte::Symbolic(e) if is(*e)))
            }
            Content::Directory { .. } | Content::Link(_) | Content::Null | Content::Standard(_) => {
                false
            }
        })
    }

    /// The node of this name in a directory, if there is one.
    pub fn entry(&self, directory: NodeId, name: &[u8]) -> Option<NodeId> {
        match &self.node(directory).content {
            Content::Directory { entries, .. } => entries.get(name).copied(),
            _ => None,
        }
    }

    /// Puts a node into a directory. It replaces a node of the same name.
    ///
    /// # Panics
    /// If `directory` is not a directory.
    pub fn add(&mut self, directory: NodeId, name: &[u8], node: Node) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Arc::new(node));
        self.entries_mut(directory).insert(name.to_owned(), id);
        id
    }

    /// The bytes of a regular file, for changes; `None` for other nodes. As in Linux, the owner's
    /// change clears the set-user-ID bit. It clears the set-group-ID bit if the group may execute.
    pub(super) fn contents_mut(&mut self, node: NodeId) -> Option<&mut Arc<Vec<Byte>>> {
        let node = self.node_mut(node);
        let Content::Regular(bytes) = &mut node.content else { return None };
        node.permissions &= !SET_USER;
        if node.permissions & GROUP_EXECUTES != 0 {
            node.permissions &= !SET_GROUP;
        }
        Some(bytes)
    }

    /// Puts an empty directory into a directory.
    pub fn add_directory(&mut self, parent: NodeId, name: &[u8], permissions: u32) -> NodeId {
        let content = Content::Directory { entries: BTreeMap::new(), parent };
        // As in Linux, a directory inherits the set-group-ID bit.
        let permissions = permissions | self.node(parent).permissions & SET_GROUP;
        self.add(parent, name, Node { content, permissions })
    }

    pub(super) fn entries_mut(&mut self, directory: NodeId) -> &mut BTreeMap<Vec<u8>, NodeId> {
        match &mut self.node_mut(directory).content {
            Content::Directory { entries, .. } => entries,
            _ => panic!("names are in directories only"),
        }
    }

    /// Makes a pipe, and returns the descriptors of its read end and its write end.
    pub(super) fn pipe(&mut self, flags: u64) -> Result<[i32; 2], Errno> {
        let node = NodeId(self.nodes.len() as u32);
        self.nodes
            .push(Arc::new(Node { content: Content::Pipe(Arc::default()), permissions: 0o600 }));
        let reading = self.open(node, flags)?;
        match self.open(node, flags | 1) {
            Ok(writing) => Ok([reading, writing]),
            Err(errno) => {
                self.close(reading)?;
                Err(errno)
            }
        }
    }

    /// Whether a pipe is open for writing (`writing`), or for reading (otherwise).
    pub(super) fn is_open(&self, pipe: NodeId, writing: bool) -> bool {
        self.descriptors.iter().flatten().any(|descriptor| {
            let open = &self.descriptions[descriptor.description];
            open.node == pipe && (open.flags & O_ACCMODE == 1) == writing
        })
    }

    /// Removes a name from a directory. Open descriptors of the file stay valid.
    pub(super) fn take_away(&mut self, directory: NodeId, name: &[u8]) {
        self.entries_mut(directory).remove(name);
    }

    /// Removes a name. If it was the file's last name, the file's number is forgotten and never
    /// reused.
    pub(super) fn remove(&mut self, directory: NodeId, name: &[u8]) {
        let removed = match &self.node(directory).content {
            Content::Directory { entries, .. } => entries.get(name).copied(),
            _ => None,
        };
        self.take_away(directory, name);
        if let Some(node) = removed.filter(|node| self.place_of(*node).is_none())
            && let Some(seen) = self.seen.iter_mut().find(|seen| **seen == Some(node))
        {
            *seen = None;
        }
    }

    /// Gives a node a name in a directory. A node that had this name loses it.
    pub(super) fn put_name(&mut self, directory: NodeId, name: Vec<u8>, node: NodeId) {
        self.entries_mut(directory).insert(name, node);
        if let Content::Directory { .. } = self.node(node).content
            && let Content::Directory { parent, .. } = &mut self.node_mut(node).content
        {
            *parent = directory;
        }
    }

    /// Whether `directory` is `other` or somewhere below it.
    pub(super) fn is_within(&self, mut directory: NodeId, other: NodeId) -> bool {
        while directory != other {
            match self.node(directory).content {
                Content::Directory { parent, .. } if parent != directory => directory = parent,
                _ => return false,
            }
        }
        true
    }

    /// Whether a directory has been removed, so that it has no name.
    pub(super) fn is_removed(&self, directory: NodeId) -> bool {
        directory != START && self.place_of(directory).is_none()
    }

    /// The directory that a node is in, and its name there.
    pub(super) fn place_of(&self, node: NodeId) -> Option<(NodeId, Vec<u8>)> {
        (0..).zip(&self.nodes).find_map(|(directory, other)| match &other.content {
            Content::Directory { entries, .. } => {
                let (name, _) = entries.iter().find(|(_, entry)| **entry == node)?;
                Some((NodeId(directory), name.clone()))
            }
            _ => None,
        })
    }

    /// The number (`st_ino`) of a node as the program sees it. Nodes are counted from 1, in the
    /// order in which the program first sees their numbers.
    pub(super) fn number(&mut self, node: NodeId) -> u64 {
        if let Some(index) = self.seen.iter().position(|seen| *seen == Some(node)) {
            return index as u64 + 1;
        }
        self.seen.push(Some(node));
        self.seen.len() as u64
    }

    /// Sets when a file was last changed.
    pub fn set_time(&mut self, node: NodeId, time: Value) {
        Arc::make_mut(&mut self.times).insert(node, time);
    }

    /// When a file that existed before the start was last changed; `None` for other files, and for
    /// a file that has been removed.
    pub(super) fn time(&self, node: NodeId) -> Option<Value> {
        self.times.get(&node).copied().filter(|_| self.place_of(node).is_some())
    }

    fn descriptor(&self, number: i32) -> Result<Descriptor, Errno> {
        let found = usize::try_from(number).ok().and_then(|at| self.descriptors.get(at).copied());
        found.flatten().ok_or(Errno::Ebadf)
    }

    /// The open file of a descriptor, even if it was opened with O_PATH.
    pub(super) fn described(&self, number: i32) -> Result<&Description, Errno> {
        Ok(&self.descriptions[self.descriptor(number)?.description])
    }

    /// The open file of a descriptor, unless it was opened with O_PATH, which gives EBADF.
    pub(super) fn open_file(&self, number: i32) -> Result<&Description, Errno> {
        self.described(number).and_then(|open| match open.flags & O_PATH {
            0 => Ok(open),
            _ => Err(Errno::Ebadf),
        })
    }

    pub(super) fn open_file_mut(&mut self, number: i32) -> Result<&mut Description, Errno> {
        let description = self.descriptor(number)?.description;
        Ok(&mut self.descriptions[description])
    }

    fn place(&mut self, descriptor: Descriptor, least: i32) -> Result<i32, Errno> {
        let least = usize::try_from(least).map_err(|_| Errno::Einval)?;
        let free = (least..DESCRIPTORS)
            .find(|at| self.descriptors.get(*at).is_none_or(Option::is_none))
            .ok_or(if least < DESCRIPTORS { Errno::Emfile } else { Errno::Einval })?;
        self.put(free, descriptor);
        Ok(free as i32)
    }

    fn put(&mut self, at: usize, descriptor: Descriptor) {
        if self.descriptors.len() <= at {
            self.descriptors.resize(at + 1, None);
        }
        self.descriptors[at] = Some(descriptor);
    }

    pub(super) fn open(&mut self, node: NodeId, flags: u64) -> Result<i32, Errno> {
        let descriptor = Descriptor {
            description: self.descriptions.len(),
            close_on_exec: flags & O_CLOEXEC != 0,
        };
        let number = self.place(descriptor, 0)?;
        self.descriptions.push(Description { node, position: 0, flags });
        Ok(number)
    }

    /// Makes the lowest free descriptor from `least` on refer to the open file of `number`.
    pub(super) fn duplicate(
        &mut self,
        number: i32,
        least: i32,
        close_on_exec: bool,
    ) -> Result<i32, Errno> {
        let descriptor = Descriptor { close_on_exec, ..self.descriptor(number)? };
        self.place(descriptor, least)
    }

    /// Makes the descriptor `to` refer to the open file of `from`.
    pub(super) fn duplicate_to(
        &mut self,
        from: i32,
        to: i32,
        close_on_exec: bool,
    ) -> Result<i32, Errno> {
        let descriptor = Descriptor { close_on_exec, ..self.descriptor(from)? };
        let at = usize::try_from(to).ok().filter(|at| *at < DESCRIPTORS).ok_or(Errno::Ebadf)?;
        if from != to {
            self.put(at, descriptor);
        }
        Ok(to)
    }

    pub(super) fn close(&mut self, number: i32) -> Result<(), Errno> {
        self.descriptor(number)?;
        self.descriptors[number as usize] = None;
        Ok(())
    }

    pub(super) fn close_on_exec(&self, number: i32) -> Result<bool, Errno> {
        Ok(self.descriptor(number)?.close_on_exec)
    }

    pub(super) fn set_close_on_exec(&mut self, number: i32, on: bool) -> Result<(), Errno> {
        let descriptor = Descriptor { close_on_exec: on, ..self.descriptor(number)? };
        self.descriptors[number as usize] = Some(descriptor);
        Ok(())
    }

    /// The absolute path of a directory, as `getcwd` gives it.
    pub(super) fn path(&self, mut directory: NodeId) -> Vec<u8> {
        let mut names: Vec<&[u8]> = Vec::new();
        while let Content::Directory { parent, .. } = &self.node(directory).content
            && *parent != directory
        {
            if let Content::Directory { entries, .. } = &self.node(*parent).content {
                let name = entries.iter().find(|(_, node)| **node == directory);
                names.extend(name.map(|(name, _)| name.as_slice()));
            }
            directory = *parent;
        }
        names.push(START_NAME);
        names.reverse();
        names.iter().flat_map(|name| [b"/", *name].concat()).collect()
    }

    /// Records the present files and directories as those that the program starts with.
    pub fn begin(&mut self) {
        self.start = Arc::new(self.states());
    }

    /// The files and directories that the program started with.
    pub fn start(&self) -> &FileStates {
        &self.start
    }

    /// The start directory, whose path is `.`, and everything below it. A node with several names
    /// is a hard link under all but the first of them.
    pub fn states(&self) -> FileStates {
        let mut first: BTreeMap<NodeId, String> = BTreeMap::new();
        let state = |(path, id): (String, NodeId)| {
            let node = self.node(id);
            let permissions = node.permissions;
            let state = match &node.content {
                Content::Directory { .. } => FileState::Directory { permissions },
                Content::Null | Content::Standard(_) | Content::Pipe(_) => return None,
                Content::Regular(_) | Content::Link(_) if first.contains_key(&id) => {
                    FileState::HardLink(first[&id].clone())
                }
                Content::Regular(bytes) => FileState::Regular { permissions, bytes: bytes.clone() },
                Content::Link(target) => FileState::Link(target.clone()),
            };
            first.entry(id).or_insert_with(|| path.clone());
            Some((path, state))
        };
        self.paths().into_iter().filter_map(state).collect()
    }

    /// The node of every path, relative to the start directory.
    fn paths(&self) -> BTreeMap<String, NodeId> {
        let mut found = BTreeMap::from([(".".into(), START)]);
        let mut open = vec![(String::new(), START)];
        while let Some((prefix, directory)) = open.pop() {
            let Content::Directory { entries, .. } = &self.node(directory).content else {
                continue;
            };
            for (name, node) in entries {
                let path = prefix.clone() + &path_text(name);
                open.push((format!("{path}/"), *node));
                found.insert(path, *node);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_share_what_is_open_and_take_the_lowest_number() {
        let mut files = Files::default();
        let content = Content::Regular(Arc::default());
        let node = files.add(START, b"a", Node { content, permissions: 0o644 });
        let first = files.open(node, 0).unwrap();
        let second = files.duplicate(first, 0, false).unwrap();
        assert_eq!((first, second), (3, 4));
        files.open_file_mut(first).unwrap().position = 7;
        assert_eq!(files.open_file(second).unwrap().position, 7);
        files.close(first).unwrap();
        assert_eq!(files.close(first), Err(Errno::Ebadf));
        assert_eq!(files.open(node, O_CLOEXEC).unwrap(), 3);
        assert!(files.close_on_exec(3).unwrap());
        assert_eq!(files.open_file(3).unwrap().position, 0);
    }

    #[test]
    fn a_file_of_two_names_is_told_once() {
        let mut files = Files::default();
        let sub = files.add_directory(START, b"a", 0o700);
        let link = Node { content: Content::Link(b"to".to_vec()), permissions: 0o777 };
        let link = files.add(sub, b"b", link);
        files.put_name(START, b"a-b".to_vec(), link);
        let expected = [
            (".", FileState::Directory { permissions: 0o755 }),
            ("a", FileState::Directory { permissions: 0o700 }),
            ("a-b", FileState::Link(b"to".to_vec())),
            ("a/b", FileState::HardLink("a-b".into())),
        ];
        assert_eq!(files.states(), expected.map(|(path, state)| (path.to_owned(), state)).into());
    }

    #[test]
    fn paths_and_numbers_count_from_the_start() {
        let mut files = Files::default();
        let sub = files.add_directory(START, b"sub", 0o755);
        let deep = files.add_directory(sub, b"deep", 0o755);
        assert_eq!(files.path(START), b"/psychic");
        assert_eq!(files.path(deep), b"/psychic/sub/deep");
        assert_eq!([files.number(deep), files.number(START), files.number(deep)], [1, 2, 1]);
    }
}
