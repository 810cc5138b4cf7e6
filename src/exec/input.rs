//! What a program finds when it starts: its command line, its environment and its files.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    env::{
        Argument, InputObject, World,
        kernel::files::{Content, Files, Node, NodeId, START},
    },
    expr::{Assignment, Bv, ExprId, Exprs},
    memory::{Byte, Memory, Object, Segment},
    subject::{Given, GivenFile},
};

/// A part of a command line, or the value of an environment variable (at most one argument then).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Arguments {
    /// One argument, which is this text.
    Text(Vec<u8>),
    /// From `least` to `most` symbolic arguments, each of up to `size` bytes behind `prefix`.
    Symbolic {
        /// The least number of arguments.
        least: u32,
        /// The greatest number of arguments.
        most: u32,
        /// What each argument begins with.
        prefix: Vec<u8>,
        /// The most bytes of each argument behind the prefix.
        size: u32,
    },
    /// From `least` to `most` arguments, each any of the texts.
    OneOf {
        /// The least number of arguments.
        least: u32,
        /// The greatest number of arguments.
        most: u32,
        /// The texts that each argument may be.
        texts: Vec<Vec<u8>>,
    },
}

impl Arguments {
    /// All ways to fill in the arguments, the shortest first. The number of a way is that of its
    /// arguments, or that of its choice of texts.
    fn ways(&self) -> Vec<(u32, Vec<Argument>)> {
        match self {
            Self::Text(text) => vec![(1, vec![Argument::Text(text.clone())])],
            Self::Symbolic { least, most, prefix, size } => {
                let argument = Argument::Symbolic { prefix: prefix.clone(), size: *size };
                let of_length = |count| (count, vec![argument.clone(); count as usize]);
                (*least..=*most).map(of_length).collect()
            }
            Self::OneOf { least, most, texts } => {
                let (mut of_length, mut all) = (vec![Vec::new()], Vec::new());
                for length in 0..=*most {
                    if length > 0 {
                        let longer = |way: Vec<Argument>| {
                            let with = move |text: &Vec<u8>| {
                                [way.as_slice(), &[Argument::Text(text.clone())]].concat()
                            };
                            texts.iter().map(with)
                        };
                        of_length = of_length.into_iter().flat_map(longer).collect();
                    }
                    if length >= *least {
                        all.extend(of_length.iter().cloned());
                    }
                }
                (0..).zip(all).collect()
            }
        }
    }

    /// The name of the input that gives the number of the way.
    fn counter(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Symbolic { .. } => "n_args",
            Self::OneOf { .. } => "which_args",
        }
    }
}

/// An environment variable.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value, which is the object `NAME-env` if it is symbolic. The object `NAME-env-count`
    /// says whether the variable is there at all, if that is not fixed.
    pub value: Arguments,
}

/// A file that the program finds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InputFile {
    /// A file with known content, a directory or a link.
    Given(GivenFile),
    /// A file of that name in the start directory, with that many symbolic bytes: the object
    /// `NAME-data`, as KLEE calls it.
    Symbolic(String, u32),
}

/// One of the ways in which a run may begin.
#[derive(Clone, Default)]
pub(super) struct Beginning {
    pub line: Vec<Argument>,
    /// Names and values.
    pub environment: Vec<(String, Argument)>,
    /// Where there are several ways ([`Arguments::ways`]), the input that says which one it is, and
    /// the number of the way.
    chosen: Vec<(String, u32)>,
}

impl Beginning {
    /// The conditions that tell this beginning from the others, and an input that they allow. As in
    /// KLEE, the number of arguments is an input of its own, `n_args`.
    pub fn conditions(&self, exprs: &Exprs, world: &mut World) -> (Vec<ExprId>, Assignment) {
        let mut model = Assignment::default();
        let mut path = Vec::new();
        for (name, number) in &self.chosen {
            let name = name.clone();
            let bytes: Vec<ExprId> =
                (0..4).map(|at| world.input(exprs, &format!("{name}[{at}]"), 8)).collect();
            for (byte, value) in bytes.iter().zip(number.to_le_bytes()) {
                path.push(exprs.eq(*byte, exprs.constant(8, value.into())));
                if let Some(variable) = exprs.as_variable(*byte) {
                    model.0.insert(variable, Bv::new(8, value.into()));
                }
            }
            Arc::make_mut(&mut world.objects).push(InputObject { name, bytes });
        }
        (path, model)
    }
}

/// All ways in which a run may begin, the shortest command line first.
pub(super) fn beginnings(args: &[Arguments], variables: &[Variable]) -> Vec<Beginning> {
    let mut all = vec![Beginning::default()];
    let mut go_on = |of: &Arguments, counter: &str, add: &dyn Fn(&mut Beginning, Argument)| {
        let ways = of.ways();
        let next = |beginning: &Beginning, (number, way): &(u32, Vec<Argument>)| {
            let mut next = beginning.clone();
            way.iter().for_each(|argument| add(&mut next, argument.clone()));
            if ways.len() > 1 {
                next.chosen.push((counter.to_owned(), *number));
            }
            next
        };
        all = all
            .iter()
            .flat_map(|b| ways.iter().map(|way| next(b, way)).collect::<Vec<_>>())
            .collect();
        ways.len() > 1
    };
    let mut groups = BTreeMap::<&str, u32>::new();
    for of in args {
        let group = groups.entry(of.counter()).or_default();
        let counter = match *group {
            0 => of.counter().to_owned(),
            number => format!("{}_{number}", of.counter()),
        };
        let varies = go_on(of, &counter, &|beginning, argument| beginning.line.push(argument));
        *group += u32::from(varies);
    }
    for Variable { name, value } in variables {
        go_on(value, &format!("{name}-env-count"), &|beginning, value| {
            beginning.environment.push((name.clone(), value));
        });
    }
    all
}

/// Puts the texts of a command line into memory; returns their addresses.
pub(super) fn place_arguments(
    exprs: &Exprs,
    memory: &mut Memory,
    world: &mut World,
    line: Vec<Argument>,
) -> Vec<u64> {
    let mut symbolic = 0;
    let place = |argument: &Argument| {
        let name = format!("arg{symbolic:02}");
        symbolic += u32::from(matches!(argument, Argument::Symbolic { .. }));
        place_text(exprs, memory, world, b"", argument, &name)
    };
    let pointers = line.iter().map(place).collect();
    world.arguments = Arc::new(line);
    pointers
}

/// Puts environment variables into memory; returns their addresses.
pub(super) fn place_variables(
    exprs: &Exprs,
    memory: &mut Memory,
    world: &mut World,
    environment: &[(String, Argument)],
) -> Vec<u64> {
    let place = |(name, value): &(String, Argument)| {
        let before = format!("{name}=");
        place_text(exprs, memory, world, before.as_bytes(), value, &format!("{name}-env"))
    };
    environment.iter().map(place).collect()
}

/// Puts a text into memory behind the known text `before`; returns the address of both. A symbolic
/// text is the input object `name`.
fn place_text(
    exprs: &Exprs,
    memory: &mut Memory,
    world: &mut World,
    before: &[u8],
    text: &Argument,
    name: &str,
) -> u64 {
    let object = match text {
        Argument::Text(text) => Object::filled(Segment::Static, [before, text, &[0]].concat()),
        Argument::Symbolic { prefix, size } => {
            let before = [before, prefix].concat();
            let zeros = vec![0; *size as usize + 1];
            let mut object = Object::filled(Segment::Static, [&before[..], &zeros].concat());
            let bytes = symbolic_bytes(exprs, world, name, *size);
            for (index, byte) in (before.len()..).zip(&bytes) {
                object.set_byte(exprs, index, *byte);
            }
            object.with_extent(size_of_text(exprs, before.len(), &bytes))
        }
    };
    memory.allocate(object)
}

/// The size of a text with `before` known bytes in front of `bytes`: it ends behind the first NUL.
fn size_of_text(exprs: &Exprs, before: usize, bytes: &[Byte]) -> ExprId {
    let size = |index: usize| exprs.constant(64, (before + index + 1) as u64);
    (0..bytes.len()).rev().fold(size(bytes.len()), |longer, index| {
        let byte = bytes[index].expr(exprs).expect("a byte of the input");
        exprs.ite(exprs.eq(byte, exprs.constant(8, 0)), size(index), longer)
    })
}

/// The bytes of a new symbolic object of the input.
fn symbolic_bytes(exprs: &Exprs, world: &mut World, name: &str, size: u32) -> Vec<Byte> {
    let byte = |i: u32| world.input(exprs, &format!("{name}[{i}]"), 8);
    let bytes: Vec<ExprId> = (0..size).map(byte).collect();
    let found = bytes.iter().map(|byte| Byte::of(exprs, *byte)).collect();
    Arc::make_mut(&mut world.objects).push(InputObject { name: name.into(), bytes });
    found
}

/// Puts `argv` or `envp`, a table of the addresses of texts, into memory; returns its address.
pub(super) fn table(memory: &mut Memory, texts: &[u64]) -> u64 {
    memory.allocate(words(&[texts, &[0]].concat()))
}

fn words(words: &[u64]) -> Object {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Object::filled(Segment::Static, bytes).aligned(16)
}

/// Puts the stack that the kernel gives a program into memory; returns its address. It holds the
/// number of the arguments, their addresses, those of the environment variables, and the auxiliary
/// vector (System V ABI, x86-64 supplement, 3.4.1).
pub(super) fn initial_stack(memory: &mut Memory, arguments: &[u64], variables: &[u64]) -> u64 {
    const AT_NULL: u64 = 0;
    const AT_PHNUM: u64 = 5;
    const AT_PAGESZ: u64 = 6;
    const AT_IDS: [u64; 4] = [11, 12, 13, 14];
    const AT_SECURE: u64 = 23;
    const AT_RANDOM: u64 = 25;
    const PAGE: u64 = 4096;
    const USER: u64 = 1000;
    let random = memory.allocate(Object::filled(Segment::Static, (0..16).collect()));
    let mut stack = vec![arguments.len() as u64];
    stack.extend([arguments, &[0], variables, &[0]].concat());
    stack.extend([AT_PAGESZ, PAGE, AT_RANDOM, random, AT_SECURE, 0, AT_PHNUM, 0]);
    stack.extend(AT_IDS.iter().flat_map(|id| [*id, USER]));
    stack.extend([AT_NULL, 0]);
    memory.allocate(words(&stack))
}

/// The node with this path, relative to the start directory.
pub(super) fn node<'p>(
    files: &Files,
    mut components: impl Iterator<Item = &'p [u8]>,
) -> Option<NodeId> {
    components.try_fold(START, |at, component| files.entry(at, component))
}

/// Puts the files where the program finds them.
///
/// # Panics
/// when a file comes before the directory that it is in.
pub(super) fn add_files(exprs: &Exprs, world: &mut World, files: &[InputFile]) {
    for file in files {
        let bytes = match file {
            InputFile::Symbolic(name, size) => {
                symbolic_bytes(exprs, world, &format!("{name}-data"), *size)
            }
            InputFile::Given(GivenFile { content: Given::Regular { bytes, .. }, .. }) => {
                bytes.iter().copied().map(Byte::Concrete).collect()
            }
            InputFile::Given(_) => Vec::new(),
        };
        let (path, permissions) = match file {
            InputFile::Symbolic(name, _) => (name, 0o644),
            InputFile::Given(file) => (&file.path, file.content.permissions()),
        };
        let mut components = path.as_bytes().split(|byte| *byte == b'/');
        let name = components.next_back().expect("one at least");
        let files: &mut Files = &mut Arc::make_mut(&mut world.kernel).files;
        let directory = node(files, components).expect("a directory comes before what it holds");
        let content = match file {
            InputFile::Given(GivenFile { content: Given::Directory, .. }) => {
                files.add_directory(directory, name, permissions);
                continue;
            }
            InputFile::Given(GivenFile { content: Given::Link(target), .. }) => {
                Content::Link(target.clone())
            }
            _ => Content::Regular(Arc::new(bytes)),
        };
        files.add(directory, name, Node { content, permissions });
    }
    Arc::make_mut(&mut world.kernel).files.begin();
}
