//! What the tool and a sandbox say to each other, over the sandbox's standard input and output:
//! frames of a little-endian 32-bit length and a [`postcard`] message.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    path::PathBuf,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Isolation, Limits};
use crate::{
    replay::outcome::Termination,
    subject::{FileState, GivenFile},
};

/// No frame is larger, whatever a limit says.
const LARGEST_FRAME: u32 = 1 << 30;

/// The first frame to the sandbox.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Setup {
    /// The programs that requests name by their index.
    pub(super) programs: Vec<PathBuf>,
    /// Whether they have a fork server.
    pub(super) serves: bool,
    pub(super) limits: Limits,
    /// Whether [`Limits::memory`] is enforced; a sanitizer's shadow memory would not fit.
    pub(super) limit_memory: bool,
    /// What every program finds in its directory.
    pub(super) files: Vec<GivenFile>,
    /// Where to work if the sandbox cannot have a file system of its own.
    pub(super) scratch: PathBuf,
    /// No other sandbox of this run has it.
    pub(super) number: u32,
}

/// The sandbox's first frame: it is ready.
pub(super) type Ready = Result<Isolation, String>;

/// One run.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::replay) struct Request {
    /// Index into [`Setup::programs`].
    pub(in crate::replay) program: usize,
    /// The command line, the program's name first.
    pub(in crate::replay) args: Vec<Vec<u8>>,
    pub(in crate::replay) revision: u32,
    /// The environment that the program sees.
    pub(in crate::replay) variables: BTreeMap<String, Vec<u8>>,
    pub(in crate::replay) stdin: Vec<u8>,
    /// The test for the runtime, as bytes of a `.ktest` file.
    pub(in crate::replay) ktest: Vec<u8>,
    /// Further files that the program finds in its directory, or others in place of those.
    pub(in crate::replay) files: Vec<GivenFile>,
    /// Processor time allowed.
    pub(in crate::replay) time: Duration,
    /// Bytes of each of stdout and stderr.
    pub(in crate::replay) output: u64,
}

/// What came of it; an error of the sandbox itself as text.
pub(super) type Answer = Result<Reply, String>;

/// One run's end.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::replay) struct Reply {
    pub(in crate::replay) termination: Termination,
    pub(in crate::replay) stdout: Vec<u8>,
    pub(in crate::replay) stderr: Vec<u8>,
    pub(in crate::replay) files: BTreeMap<String, FileState>,
    /// What `psychic_output` appended.
    pub(in crate::replay) outputs: Vec<u8>,
    /// A sanitizer's report, or nothing.
    pub(in crate::replay) report: String,
}

pub(super) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LARGEST_FRAME);
    let length = length.ok_or_else(|| io::Error::other("a message of more than 1 GiB"))?;
    // One write: the reader wakes up once.
    to.write_all(&[&length.to_le_bytes()[..], &bytes].concat())?;
    to.flush()
}

/// `None` at the end of the stream.
pub(super) fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > LARGEST_FRAME {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map(Some).map_err(io::Error::other)
}
