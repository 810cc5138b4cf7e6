//! The messages between the tool and a sandbox, over the sandbox's standard input and output:
//! frames of a little-endian 32-bit length and a [`postcard`] message.

use std::{
    collections::BTreeMap,
    io::{self, Read, Write},
    path::PathBuf,
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::limits::{Isolation, RunLimits};
use crate::{
    replay::outcome::Termination,
    subject::{FileState, GivenFile, Times},
};

/// The largest frame in bytes, whatever a limit says.
const LARGEST_FRAME: u32 = 1 << 30;

/// The first frame that the tool sends to the sandbox.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Setup {
    /// The programs that requests name by their index.
    pub(super) programs: Vec<PathBuf>,
    /// Whether they contain a fork server.
    pub(super) serves: bool,
    pub(super) limits: RunLimits,
    /// Whether [`RunLimits::memory`] is enforced: a sanitizer's shadow memory would not fit.
    pub(super) limit_memory: bool,
    /// The files that every program finds in its directory.
    pub(super) files: Vec<GivenFile>,
    /// The directory to use if the sandbox cannot have a file system of its own.
    pub(super) scratch: PathBuf,
    /// A number that no other sandbox of this run has.
    pub(super) number: u32,
}

/// The sandbox's first frame: its isolation, or why it could not confine itself.
pub(super) type Ready = Result<Isolation, String>;

/// A request to run a program.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::replay) struct Request {
    /// Index into [`Setup::programs`].
    pub(in crate::replay) program: usize,
    /// The command line, the program's name first.
    pub(in crate::replay) args: Vec<Vec<u8>>,
    pub(in crate::replay) revision: u32,
    /// The environment that the program sees.
    pub(in crate::replay) variables: BTreeMap<String, Vec<u8>>,
    /// When the program starts, and how old its files are then.
    pub(in crate::replay) times: Times,
    pub(in crate::replay) stdin: Vec<u8>,
    /// The test for the runtime, as bytes of a `.ktest` file.
    pub(in crate::replay) ktest: Vec<u8>,
    /// Files that the program finds in its directory, in addition to [`Setup::files`] or in their
    /// place.
    pub(in crate::replay) files: Vec<GivenFile>,
    /// Processor time allowed.
    pub(in crate::replay) time: Duration,
    /// The most bytes of each of stdout and stderr.
    pub(in crate::replay) output: u64,
}

/// The result of a request, or an error of the sandbox itself as text.
pub(super) type Answer = Result<Reply, String>;

/// The result of a run.
#[derive(Debug, Deserialize, Serialize)]
pub(in crate::replay) struct Reply {
    pub(in crate::replay) termination: Termination,
    pub(in crate::replay) stdout: Vec<u8>,
    pub(in crate::replay) stderr: Vec<u8>,
    pub(in crate::replay) files: BTreeMap<String, FileState>,
    /// The records that `psychic_output` appended.
    pub(in crate::replay) outputs: Vec<u8>,
    /// A sanitizer's report, or empty.
    pub(in crate::replay) report: String,
}

pub(super) fn send<T: Serialize>(to: &mut impl Write, message: &T) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= LARGEST_FRAME);
    let length = length.ok_or_else(|| io::Error::other("a message of more than 1 GiB"))?;
    // A single write wakes the reader up only once.
    to.write_all(&[&length.to_le_bytes()[..], &bytes].concat())?;
    to.flush()
}

/// Receives a message; `None` at the end of the stream.
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
