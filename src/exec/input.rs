//! What a program finds when it starts: its command line and its files.

use std::sync::Arc;

use crate::{
    env::{
        Argument, InputObject, World,
        kernel::files::{Content, Files, Node, START},
    },
    expr::{Assignment, Bv, ExprId, Exprs},
    memory::{Byte, Memory, Object, Segment},
    subject::{Given, GivenFile},
};

/// What a command line is made of.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Arguments {
    /// This text.
    Text(Vec<u8>),
    /// From `least` to `most` symbolic arguments of up to `size` bytes each.
    Symbolic {
        /// The fewest there are.
        least: u32,
        /// The most there are.
        most: u32,
        /// The most bytes of each.
        size: u32,
    },
}

/// A file that the program finds.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum InputFile {
    /// One that is known.
    Given(GivenFile),
    /// A file of that name in the start directory: so many symbolic bytes, the object
    /// `NAME-data`, as KLEE calls it.
    Symbolic(String, u32),
}

/// One command line of those that a program may get.
pub(super) struct CommandLine {
    pub line: Vec<Argument>,
    /// How many arguments there are of each group whose number is not fixed.
    groups: Vec<u32>,
}

impl CommandLine {
    /// The conditions that tell it from the others, and an input that they allow. As in KLEE
    /// the number of arguments is an input of its own, `n_args`.
    pub fn counts(&self, exprs: &Exprs, world: &mut World) -> (Vec<ExprId>, Assignment) {
        let mut model = Assignment::default();
        let mut path = Vec::new();
        for (index, count) in self.groups.iter().enumerate() {
            let name = if index == 0 { "n_args".into() } else { format!("n_args_{index}") };
            let bytes: Vec<ExprId> =
                (0..4).map(|at| exprs.input(&format!("{name}[{at}]"), 8)).collect();
            for (byte, value) in bytes.iter().zip(count.to_le_bytes()) {
                path.push(exprs.eq(*byte, exprs.constant(8, value.into())));
                let variable = exprs.as_variable(*byte).expect("an input is a variable");
                model.0.insert(variable, Bv::new(8, value.into()));
            }
            Arc::make_mut(&mut world.objects).push(InputObject { name, bytes });
        }
        (path, model)
    }
}

/// Every command line that there may be, the shortest first.
pub(super) fn command_lines(args: &[Arguments]) -> Vec<CommandLine> {
    let mut lines = vec![CommandLine { line: Vec::new(), groups: Vec::new() }];
    for part in args {
        lines = lines
            .into_iter()
            .flat_map(|CommandLine { line, groups }| {
                let (argument, least, most) = match part {
                    Arguments::Text(text) => (Argument::Text(text.clone()), 1, 1),
                    Arguments::Symbolic { least, most, size } => {
                        (Argument::Symbolic(*size), *least, *most)
                    }
                };
                (least..=most).map(move |count| {
                    let (mut line, mut groups) = (line.clone(), groups.clone());
                    line.extend(std::iter::repeat_n(argument.clone(), count as usize));
                    if least != most {
                        groups.push(count);
                    }
                    CommandLine { line, groups }
                })
            })
            .collect();
    }
    lines
}

/// Puts the texts of a command line into memory; their addresses.
pub(super) fn place_arguments(
    exprs: &Exprs,
    memory: &mut Memory,
    world: &mut World,
    line: Vec<Argument>,
) -> Vec<u64> {
    let mut symbolic = 0;
    let pointers = line.iter().map(|argument| {
        let object = match argument {
            Argument::Text(text) => {
                Object::filled(Segment::Static, [text.as_slice(), &[0]].concat())
            }
            Argument::Symbolic(size) => {
                let name = format!("arg{symbolic:02}");
                symbolic += 1;
                let mut object = Object::zeroed(Segment::Static, *size as usize + 1);
                let bytes = symbolic_bytes(exprs, world, &name, *size);
                for (index, byte) in bytes.into_iter().enumerate() {
                    object.set_byte(exprs, index, byte);
                }
                object
            }
        };
        memory.allocate(object)
    });
    let pointers = pointers.collect();
    world.arguments = Arc::new(line);
    pointers
}

/// A symbolic object of the input.
fn symbolic_bytes(exprs: &Exprs, world: &mut World, name: &str, size: u32) -> Vec<Byte> {
    let bytes: Vec<ExprId> = (0..size).map(|i| exprs.input(&format!("{name}[{i}]"), 8)).collect();
    let found = bytes.iter().copied().map(Byte::Symbolic).collect();
    Arc::make_mut(&mut world.objects).push(InputObject { name: name.into(), bytes });
    found
}

/// `argv` and an empty `envp`.
pub(super) fn tables(memory: &mut Memory, arguments: &[u64]) -> (u64, u64) {
    let argv = [arguments, &[0]].concat();
    (memory.allocate(words(&argv)), memory.allocate(words(&[0])))
}

fn words(words: &[u64]) -> Object {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Object::filled(Segment::Static, bytes).aligned(16)
}

/// The stack that the kernel gives a program: the number of its arguments, their addresses, an
/// empty environment, and the auxiliary vector (System V ABI, x86-64 supplement, 3.4.1).
pub(super) fn initial_stack(memory: &mut Memory, arguments: &[u64]) -> u64 {
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
    stack.extend(arguments);
    stack.extend([0, 0]);
    stack.extend([AT_PAGESZ, PAGE, AT_RANDOM, random, AT_SECURE, 0, AT_PHNUM, 0]);
    stack.extend(AT_IDS.iter().flat_map(|id| [*id, USER]));
    stack.extend([AT_NULL, 0]);
    memory.allocate(words(&stack))
}

/// Puts the files where the program finds them.
///
/// # Panics
/// where a file comes before the directory that it is in.
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
        let directory = components
            .try_fold(START, |at, component| files.entry(at, component))
            .expect("a directory comes before what it holds");
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
