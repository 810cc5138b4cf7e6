//! KLEE's `.ktest` files: one concrete input.
//!
//! The format is version 3 of KLEE's (`lib/Basic/KTest.cpp`): the magic `KTEST`, then big-endian
//! 32-bit numbers and length-prefixed bytes: version, arguments, `symArgvs`, `symArgvLen`, objects
//! (name, bytes). KLEE's tools can read the files that are written here.

use std::{collections::BTreeMap, fs, io, path::Path};

use crate::subject::{Given, GivenFile};

const MAGIC: &[u8; 5] = b"KTEST";
/// The magic that older versions of KLEE wrote, with the same contents.
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";
const VERSION: u32 = 3;
/// The name that KLEE's POSIX runtime gives to the object that holds standard input.
const STDIN: &str = "stdin";
/// The most words of a command line: a damaged file must not fill the memory.
const MOST_WORDS: usize = 4096;

/// One concrete input of a program.
#[derive(Clone, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct TestInput {
    /// The command line. The first argument is the program's name.
    pub args: Vec<Vec<u8>>,
    /// Standard input. `None` is empty, too, but is not written as an object.
    pub stdin: Option<Vec<u8>>,
    /// Named symbolic objects, in the order in which they were made.
    pub objects: Vec<(String, Vec<u8>)>,
}

/// The name of a program whose test has none.
const PROGRAM: &[u8] = b"program";

/// Why a `.ktest` file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KtestError {
    /// The file does not begin as a `.ktest` file does.
    #[error("not a .ktest file (it does not begin with KTEST)")]
    NotKtest,
    /// The file is of a later version.
    #[error("version {0} of the .ktest format is not known (3 is the last known one)")]
    Version(u32),
    /// The file ends too early or goes on too long.
    #[error("damaged .ktest file at byte {0}")]
    Damaged(usize),
    /// An object's name is not UTF-8 text.
    #[error("damaged .ktest file: an object's name is not UTF-8 text")]
    Name,
    /// A number does not fit the format's 32 bits.
    #[error("too large for a .ktest file: {0}")]
    TooLarge(&'static str),
    /// A program argument contains a NUL byte, which no command line can.
    #[error("argument {0} contains a NUL byte, which no command line can")]
    NulInArgument(usize),
    /// The file could not be read or written.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

impl TestInput {
    /// The input as the bytes of a `.ktest` file.
    ///
    /// Standard input becomes the first object, named `stdin`.
    ///
    /// # Errors
    /// [`KtestError::NulInArgument`], [`KtestError::TooLarge`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, KtestError> {
        let mut out = MAGIC.to_vec();
        put(&mut out, VERSION);
        put(&mut out, length(self.args.len(), "number of arguments")?);
        for (index, arg) in self.args.iter().enumerate() {
            if arg.contains(&0) {
                return Err(KtestError::NulInArgument(index));
            }
            put_bytes(&mut out, arg, "argument")?;
        }
        // symArgvs and symArgvLen: KLEE itself has written zeros since its argument options
        // became part of the arguments.
        put(&mut out, 0);
        put(&mut out, 0);
        let count = self.objects.len() + usize::from(self.stdin.is_some());
        put(&mut out, length(count, "number of objects")?);
        let stdin = self.stdin.iter().map(|bytes| (STDIN, bytes));
        for (name, bytes) in stdin.chain(self.objects.iter().map(|(n, b)| (n.as_str(), b))) {
            put_bytes(&mut out, name.as_bytes(), "name of an object")?;
            put_bytes(&mut out, bytes, "object")?;
        }
        Ok(out)
    }

    /// Reads the bytes of a `.ktest` file of any version up to 3.
    ///
    /// # Errors
    /// [`KtestError`] says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KtestError> {
        let mut rest = Reader { bytes, at: 0 };
        let magic = rest.take(MAGIC.len()).map_err(|_| KtestError::NotKtest)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KtestError::NotKtest);
        }
        let version = rest.number()?;
        if version > VERSION {
            return Err(KtestError::Version(version));
        }
        let mut test = Self::default();
        for index in 0..rest.number()? {
            let arg = rest.bytes()?.to_vec();
            if arg.contains(&0) {
                return Err(KtestError::NulInArgument(index as usize));
            }
            test.args.push(arg);
        }
        if version >= 2 {
            rest.number()?;
            rest.number()?;
        }
        for _ in 0..rest.number()? {
            let name = String::from_utf8(rest.bytes()?.to_vec()).map_err(|_| KtestError::Name)?;
            let bytes = rest.bytes()?.to_vec();
            if name == STDIN && test.stdin.is_none() {
                test.stdin = Some(bytes);
            } else {
                test.objects.push((name, bytes));
            }
        }
        if rest.at < bytes.len() {
            return Err(KtestError::Damaged(rest.at));
        }
        Ok(test)
    }

    /// Writes a `.ktest` file.
    ///
    /// # Errors
    /// As [`TestInput::to_bytes`], and [`KtestError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), KtestError> {
        let io = |error| KtestError::Io(path.display().to_string(), error);
        fs::write(path, self.to_bytes()?).map_err(io)
    }

    /// Reads a `.ktest` file.
    ///
    /// # Errors
    /// As [`TestInput::from_bytes`], and [`KtestError::Io`].
    pub fn read(path: &Path) -> Result<Self, KtestError> {
        let io = |error| KtestError::Io(path.display().to_string(), error);
        Self::from_bytes(&fs::read(path).map_err(io)?)
    }

    /// The bytes of the first object with this name.
    pub fn object(&self, name: &str) -> Option<&[u8]> {
        self.objects.iter().find(|(n, _)| n == name).map(|(_, bytes)| &bytes[..])
    }

    /// Whether the object with this name only repeats what the command line says: an argument, the
    /// number of arguments, or the choice among several texts.
    pub fn is_of_command_line(name: &str) -> bool {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let is_group =
            |rest: &str| rest.is_empty() || rest.strip_prefix('_').is_some_and(is_number);
        name.strip_prefix("arg").is_some_and(is_number)
            || ["n_args", "which_args"]
                .iter()
                .any(|kind| name.strip_prefix(kind).is_some_and(is_group))
    }

    /// The number of bytes that a person has to read: those of arguments (except the program's
    /// name), standard input and objects.
    pub fn size(&self) -> usize {
        let args = self.args.iter().skip(1).map(Vec::len);
        let objects = self.objects.iter().map(|(_, bytes)| bytes.len());
        args.chain(objects).chain(self.stdin.iter().map(Vec::len)).sum()
    }

    /// The command line that the program sees. As in KLEE's `klee-replay`, `--sym-arg N` and
    /// `--sym-args MIN MAX N` stand for the objects `arg00`, `arg01`, ..., and KLEE's other options
    /// for no argument. If the test names no program, the first word is `program`.
    pub fn command_line(&self) -> Vec<Vec<u8>> {
        let mut words = self.args.iter();
        let mut line = vec![words.next().map_or(PROGRAM, Vec::as_slice).to_vec()];
        let mut argument = 0;
        let mut sets = 0;
        while let Some(word) = words.next() {
            let option = std::str::from_utf8(word).unwrap_or("").trim_start_matches('-');
            let mut number =
                || words.next().and_then(|w| std::str::from_utf8(w).ok()?.parse().ok());
            match option {
                _ if !word.starts_with(b"-") => line.push(word.clone()),
                "sym-arg" => {
                    number();
                    line.push(self.symbolic_argument(argument));
                    argument += 1;
                }
                "sym-args" => {
                    let least: usize = number().unwrap_or(0);
                    let most: usize = number().unwrap_or(0);
                    number();
                    let count =
                        self.symbolic_count(sets).unwrap_or(least).clamp(least, most.max(least));
                    let count = count.min(MOST_WORDS.saturating_sub(line.len()));
                    for index in argument..argument + count {
                        line.push(self.symbolic_argument(index));
                    }
                    argument += count;
                    sets += 1;
                }
                "sym-files" => {
                    number();
                    number();
                }
                "sym-stdin" | "max-fail" => {
                    number();
                }
                "sym-stdout" | "save-all-writes" | "fd-fail" => {}
                _ => line.push(word.clone()),
            }
        }
        line
    }

    /// The files that the program finds in its directory: `NAME` for every object `NAME-data`. KLEE
    /// names the objects of its `--sym-files` so.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.objects.iter().filter_map(|(name, bytes)| {
            let file = name.strip_suffix("-data")?;
            let is_name = !file.contains(['/', '\0']) && !["", ".", ".."].contains(&file);
            is_name.then_some((file, &bytes[..]))
        })
    }

    /// The value of a symbolic environment variable: the object `NAME-env` up to the first NUL.
    /// Without that object the variable is not set.
    pub fn variable(&self, name: &str) -> Option<&[u8]> {
        self.object(&format!("{name}-env"))?.split(|byte| *byte == 0).next()
    }

    /// These files as they are given to a program.
    pub fn given_files(&self) -> Vec<GivenFile> {
        let given = |(name, bytes): (&str, &[u8])| GivenFile {
            path: name.to_owned(),
            content: Given::Regular { bytes: bytes.to_vec(), executable: false },
        };
        self.files().map(given).collect()
    }

    /// The environment variables of a run on this test: `known` values, and the test's where they
    /// are `None`.
    pub fn variables(&self, known: &[(String, Option<Vec<u8>>)]) -> BTreeMap<String, Vec<u8>> {
        let value = |(name, known): &(String, Option<Vec<u8>>)| {
            Some((name.clone(), known.as_deref().or_else(|| self.variable(name))?.to_vec()))
        };
        known.iter().filter_map(value).collect()
    }

    fn symbolic_argument(&self, index: usize) -> Vec<u8> {
        let bytes = self.object(&format!("arg{index:02}")).unwrap_or_default();
        bytes.iter().copied().take_while(|byte| *byte != 0).collect()
    }

    fn symbolic_count(&self, set: usize) -> Option<usize> {
        let name = if set == 0 { "n_args".to_owned() } else { format!("n_args_{set}") };
        let bytes = self.object(&name)?.first_chunk::<4>()?;
        usize::try_from(u32::from_le_bytes(*bytes)).ok()
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], KtestError> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or(KtestError::Damaged(self.at))?;
        self.at += count;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, KtestError> {
        let at = self.at;
        let bytes = self.take(4)?.try_into().map_err(|_| KtestError::Damaged(at))?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn bytes(&mut self) -> Result<&'a [u8], KtestError> {
        let count = self.number()?;
        self.take(count as usize)
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend(number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8], what: &'static str) -> Result<(), KtestError> {
    put(out, length(bytes.len(), what)?);
    out.extend(bytes);
    Ok(())
}

fn length(count: usize, what: &'static str) -> Result<u32, KtestError> {
    u32::try_from(count).map_err(|_| KtestError::TooLarge(what))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What `gen-random-bout`/`klee` write for `prog -v` with stdin `hi` and an int `x` = 1.
    const FIXTURE: &[u8] = b"KTEST\0\0\0\x03\
        \0\0\0\x02\0\0\0\x04prog\0\0\0\x02-v\
        \0\0\0\0\0\0\0\0\
        \0\0\0\x02\0\0\0\x05stdin\0\0\0\x02hi\0\0\0\x01x\0\0\0\x04\x01\0\0\0";

    fn fixture() -> TestInput {
        TestInput {
            args: vec![b"prog".to_vec(), b"-v".to_vec()],
            stdin: Some(b"hi".to_vec()),
            objects: vec![("x".into(), vec![1, 0, 0, 0])],
        }
    }

    #[test]
    fn the_format_is_klees_byte_for_byte() {
        assert_eq!(fixture().to_bytes().unwrap(), FIXTURE);
        assert_eq!(TestInput::from_bytes(FIXTURE).unwrap(), fixture());
        assert_eq!(fixture().size(), 8);
    }

    #[test]
    fn damaged_files_are_refused() {
        for end in 0..FIXTURE.len() {
            assert!(TestInput::from_bytes(&FIXTURE[..end]).is_err(), "{end}");
        }
        let longer = [FIXTURE, b"x"].concat();
        assert!(matches!(TestInput::from_bytes(&longer), Err(KtestError::Damaged(_))));
        let mut later = FIXTURE.to_vec();
        later[8] = 4;
        assert!(matches!(TestInput::from_bytes(&later), Err(KtestError::Version(4))));
    }

    #[test]
    fn klees_options_become_the_command_line() {
        let words = |text: &str| text.split(' ').map(|w| w.as_bytes().to_vec()).collect::<Vec<_>>();
        let test = TestInput {
            args: words(
                "p --sym-arg 3 -x --sym-args 0 2 4 -sym-arg 1 --sym-files 1 8 -sym-stdin 4",
            ),
            stdin: None,
            objects: vec![
                ("arg00".into(), b"ab\0\0".to_vec()),
                ("n_args".into(), vec![1, 0, 0, 0]),
                ("arg01".into(), b"c\0\0\0\0".to_vec()),
                ("arg02".into(), b"d\0".to_vec()),
                ("A-data".into(), b"contents".to_vec()),
                ("LANG-env".into(), b"C\0x".to_vec()),
                ("A-data-stat".into(), vec![0; 144]),
            ],
        };
        assert_eq!(test.command_line(), words("p ab -x c d"));
        assert_eq!(test.files().collect::<Vec<_>>(), [("A", &b"contents"[..])]);
        assert_eq!(["LANG", "TZ"].map(|name| test.variable(name)), [Some(&b"C"[..]), None]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            args in prop::collection::vec(prop::collection::vec(1u8.., 0..6), 0..4),
            stdin in prop::option::of(prop::collection::vec(any::<u8>(), 0..9)),
            objects in prop::collection::vec(
                ("[a-z]{1,4}(_[0-9])?", prop::collection::vec(any::<u8>(), 0..9)), 0..5),
        ) {
            let test = TestInput { args, stdin, objects };
            let back = TestInput::from_bytes(&test.to_bytes().unwrap()).unwrap();
            prop_assert_eq!(back, test);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut file = b"KTEST\0\0\0\x03".to_vec();
            file.extend(bytes);
            let _ = TestInput::from_bytes(&file);
        }
    }
}
