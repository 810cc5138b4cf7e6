//! The sandbox's side of the fork server in native programs (`compile/runtime/server.c`): a program
//! is started once for a command line, and each run is a fork of it.

use std::{
    io::{self, Read, Write},
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command},
    time::Duration,
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

use rustix::process::{Resource, Rlimit, getrlimit, prlimit};

use super::streams::Streams;

/// A program that waits for requests to fork.
#[derive(Debug)]
pub(super) struct ForkServer {
    process: Child,
    control: UnixStream,
    pub(super) streams: Streams,
}

impl ForkServer {
    /// Starts a server. Each of its runs may have at most `files` files open. The command's
    /// environment says that it has to serve. Its answers are awaited for at most `time`: what a
    /// program does before it serves may never end.
    pub(super) fn start(mut command: Command, files: u64, time: Duration) -> io::Result<Self> {
        let (control, input) = UnixStream::pair()?;
        control.set_read_timeout(Some(time))?;
        // Resolve functions of libraries once, and not in each run.
        command.env("LD_BIND_NOW", "1");
        let mut process = command.stdin(OwnedFd::from(input)).spawn()?;
        // Set the limit afterwards: while the server starts, the other servers' files are open
        // here.
        let files = getrlimit(Resource::Nofile).maximum.map_or(files, |own| files.min(own));
        let most = Rlimit { current: Some(files), maximum: Some(files) };
        let pid = i32::try_from(process.id()).ok().and_then(rustix::process::Pid::from_raw);
        prlimit(pid, Resource::Nofile, most)?;
        let streams = Streams::new(&mut process)?;
        Ok(Self { process, control, streams })
    }

    /// Begins a run of a revision and returns its process.
    ///
    /// # Errors
    /// Fails if the server is gone or does not answer in time.
    pub(super) fn begin(&mut self, revision: u32) -> io::Result<Pid> {
        self.control.write_all(&revision.to_ne_bytes())?;
        let process = self.number()?;
        match process > 0 {
            true => Ok(Pid::from_raw(process)),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// The streams of the run, and a file that can be read from when it has ended.
    pub(super) fn watching(&mut self) -> (&mut Streams, BorrowedFd<'_>) {
        (&mut self.streams, self.control.as_fd())
    }

    /// Waits for the end of the run, which is killed first if `stop` is set. Returns its wait
    /// status.
    ///
    /// # Errors
    /// Fails if the server is gone.
    pub(super) fn end(&mut self, stop: bool, run: Pid) -> io::Result<i32> {
        if stop {
            // The run may have ended by itself.
            let _ = kill(run, Signal::SIGKILL);
        }
        self.number()
    }

    fn number(&mut self) -> io::Result<i32> {
        let mut bytes = [0; size_of::<i32>()];
        self.control.read_exact(&mut bytes)?;
        Ok(i32::from_ne_bytes(bytes))
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
