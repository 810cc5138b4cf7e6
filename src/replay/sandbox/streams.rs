//! Reads what a program prints from its pipes.

use std::{
    fs::File,
    io::{self, Read},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    process::Child,
};

use nix::{
    fcntl::{FcntlArg, fcntl},
    poll::{PollFd, PollFlags, PollTimeout, poll},
};

/// The size of a pipe in bytes. It is small so that a run which prints without end soon has to
/// wait. On a busy core, the reader would otherwise get its turn only when the run's time slice
/// ends.
const PIPE: i32 = 2 * 4096;

/// An entry for `poll` that waits for something to read, or for the other side to hang up.
pub(super) fn waiting(fd: BorrowedFd) -> PollFd {
    PollFd::new(fd, PollFlags::POLLIN)
}

/// The standard output and standard error of the runs of a process.
#[derive(Debug)]
pub(super) struct Streams {
    stdout: Stream,
    stderr: Stream,
}

/// What one run printed, up to the number of bytes that are kept.
#[derive(Debug)]
pub(super) struct Printed {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// Whether it printed more than is kept.
    pub(super) is_over: bool,
}

/// A pipe, and what came through it.
#[derive(Debug)]
struct Stream {
    pipe: Option<File>,
    bytes: Vec<u8>,
    most: usize,
    is_over: bool,
}

impl Streams {
    /// Takes the pipes of a child.
    pub(super) fn new(child: &mut Child) -> io::Result<Self> {
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stderr = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let stream = |pipe: OwnedFd| {
            // If that fails (the program has printed more already, or the user has too many pipes),
            // the pipe keeps its size.
            _ = fcntl(&pipe, FcntlArg::F_SETPIPE_SZ(PIPE));
            let pipe = Some(File::from(pipe));
            Stream { pipe, bytes: Vec::new(), most: usize::MAX, is_over: false }
        };
        Ok(Self { stdout: stream(stdout.into()), stderr: stream(stderr.into()) })
    }

    /// Sets how many bytes of each stream are kept in the next run.
    pub(super) fn keep(&mut self, most: u64) {
        for stream in self.both() {
            stream.most = usize::try_from(most).unwrap_or(usize::MAX);
        }
    }

    fn both(&mut self) -> [&mut Stream; 2] {
        [&mut self.stdout, &mut self.stderr]
    }

    pub(super) fn is_over(&self) -> bool {
        self.stdout.is_over || self.stderr.is_over
    }

    /// Whether both pipes are still open.
    pub(super) fn are_open(&self) -> bool {
        self.stdout.pipe.is_some() && self.stderr.pipe.is_some()
    }

    pub(super) fn waiting<'fd>(&'fd self, fds: &mut Vec<PollFd<'fd>>) {
        let pipes = [&self.stdout, &self.stderr].into_iter().flat_map(|s| &s.pipe);
        fds.extend(pipes.map(|pipe| waiting(pipe.as_fd())));
    }

    /// Reads what is there and to be kept. Returns whether there was anything.
    pub(super) fn read_ready(&mut self) -> io::Result<bool> {
        let read = self.both().map(Stream::read_ready);
        read.into_iter().try_fold(false, |any, one| Ok(any | one?))
    }

    /// Reads what is left in the pipes. No process that could write more may be left.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        for stream in self.both() {
            while stream.pipe.is_some() && !stream.is_over {
                stream.read_once()?;
            }
        }
        Ok(())
    }

    /// Returns what came since the last call. No process that could write more may be left. If a
    /// limit was exceeded, the rest in the pipes is discarded, so that it does not reach the next
    /// run.
    pub(super) fn take(&mut self) -> io::Result<Printed> {
        let is_over = self.is_over();
        for stream in self.both() {
            while stream.is_over && stream.has_more()? {
                stream.read_once()?;
            }
            stream.is_over = false;
        }
        let [stdout, stderr] = self.both().map(|stream| std::mem::take(&mut stream.bytes));
        Ok(Printed { stdout, stderr, is_over })
    }
}

impl Stream {
    fn read_ready(&mut self) -> io::Result<bool> {
        let mut any = false;
        while !self.is_over && self.has_more()? {
            self.read_once()?;
            any = true;
        }
        Ok(any)
    }

    /// Whether a read would return at once, perhaps with the end of the stream.
    fn has_more(&self) -> io::Result<bool> {
        let Some(pipe) = &self.pipe else { return Ok(false) };
        Ok(poll(&mut [waiting(pipe.as_fd())], PollTimeout::ZERO)? > 0)
    }

    fn read_once(&mut self) -> io::Result<()> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        let mut buffer = [0; 1 << 16];
        let count = match pipe.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        };
        let room = self.most - self.bytes.len();
        self.bytes.extend(&buffer[..count.min(room)]);
        self.is_over |= count > room;
        if count == 0 {
            self.pipe = None;
        }
        Ok(())
    }
}
