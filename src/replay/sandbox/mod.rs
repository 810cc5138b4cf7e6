//! Runs untrusted programs: candidate patches are code that nobody has read.
//!
//! A [`Sandbox`] is a process that takes all rights away from itself once and then runs programs
//! one after the other. So a run costs no more than a `posix_spawn` from a small process, or a
//! `fork` if the program has a fork server. The sandbox is itself a fork of a [`Zygote`], a helper
//! process: this same executable, started with the hidden argument `__sandbox`. In a sandbox a
//! program cannot:
//!
//! - write outside of its scratch directory, which is emptied after every run, or fill the disk
//!   (the directory is a tmpfs of limited size);
//! - reach any network, not even the loopback device;
//! - see, signal or trace any process outside, or outlive its run;
//! - have more processes, memory, open files or output than [`RunLimits`] allows, or run longer.
//!
//! [`Isolation`] names the means; the private module `confine` has the details.

mod confine;
mod error;
mod fork_server;
mod helper;
mod limits;
mod protocol;
mod serve;
mod streams;
mod zygote;

use std::{
    fs::File,
    io::{self, PipeReader, PipeWriter, Write},
    os::fd::AsFd,
    path::Path,
    sync::atomic::{AtomicU32, Ordering},
};

use tempfile::TempDir;

use crate::subject::GivenFile;
pub use error::SandboxError;
#[cfg(feature = "engine")]
pub(crate) use helper::refuse_idle_helper;
pub use limits::{Isolation, RunLimits};
use protocol::{Answer, Ready, Setup, receive, send};
pub(super) use protocol::{Reply, Request};
pub(super) use zygote::Zygote;

/// Serves as sandbox helper and exits, if this process was started as one; otherwise returns at
/// once. Call it first in `main`, while there is only one thread.
pub fn sandbox_helper() {
    if helper::is_asked_to_help() {
        std::process::exit(match serve::serve() {
            Ok(()) => 0,
            Err(error) => {
                // The tool only sees that the helper is gone.
                _ = writeln!(io::stderr(), "psychic: sandbox: {error}");
                1
            }
        });
    }
}

/// A process that runs programs, one at a time.
#[derive(Debug)]
pub(super) struct Sandbox {
    requests: Option<PipeWriter>,
    answers: PipeReader,
    isolation: Isolation,
    /// The directory that a sandbox without a file system of its own writes to.
    _scratch: TempDir,
}

impl Sandbox {
    /// Forks a sandbox that can run `programs`, each of which finds `files` in its directory.
    /// `serves` says whether the programs contain a fork server. The sandbox has the isolation
    /// `strongest` if the system allows it, else the other one.
    pub(super) fn start(
        zygote: &Zygote,
        (programs, serves): (&[&Path], bool),
        files: &[GivenFile],
        limits: RunLimits,
        limit_memory: bool,
        strongest: Isolation,
    ) -> Result<Self, SandboxError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let readable = |program: &&Path| {
            let opened = File::open(program).and_then(|_| std::path::absolute(program));
            opened.map_err(|error| SandboxError::Program { program: program.to_path_buf(), error })
        };
        let programs = programs.iter().map(readable).collect::<Result<Vec<_>, _>>()?;
        let scratch = tempfile::Builder::new().prefix("psychic-sandbox-").tempdir();
        let scratch = scratch.map_err(SandboxError::Lost)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let setup = Setup {
            programs,
            serves,
            limits,
            limit_memory,
            files: files.to_owned(),
            scratch: scratch.path().to_owned(),
            number: std::process::id().wrapping_mul(64).wrapping_add(number) % 0x0800_0000,
        };
        let result = Self::fork(zygote, &setup, strongest);
        let (requests, answers, isolation) = match result {
            Err(SandboxError::Denied(first)) if strongest == Isolation::Namespaces => {
                Self::fork(zygote, &setup, Isolation::Landlock).map_err(|error| match error {
                    SandboxError::Denied(second) => {
                        SandboxError::Denied(format!("{first}; {second}"))
                    }
                    other => other,
                })?
            }
            other => other?,
        };
        Ok(Self { requests: Some(requests), answers, isolation, _scratch: scratch })
    }

    fn fork(
        zygote: &Zygote,
        setup: &Setup,
        isolation: Isolation,
    ) -> Result<(PipeWriter, PipeReader, Isolation), SandboxError> {
        let helper = || helper::helper().0;
        let start = |error| SandboxError::Start { helper: helper(), error };
        let (its_requests, mut requests) = io::pipe().map_err(start)?;
        let (mut answers, its_answers) = io::pipe().map_err(start)?;
        let has_served = zygote.fork(isolation, its_requests.as_fd(), its_answers.as_fd())?;
        // While these are open here, nobody would see that the other side has ended.
        drop((its_requests, its_answers));
        let ready = send(&mut requests, setup).and_then(|()| receive::<Ready>(&mut answers));
        match ready {
            Ok(Some(Ok(isolation))) => {
                zygote.serves();
                Ok((requests, answers, isolation))
            }
            Ok(Some(Err(reason))) => Err(SandboxError::Denied(reason)),
            Ok(None) if has_served => Err(SandboxError::Lost(io::ErrorKind::UnexpectedEof.into())),
            Err(error) if has_served => Err(SandboxError::Lost(error)),
            Ok(None) | Err(_) => Err(SandboxError::NotAHelper { helper: helper() }),
        }
    }

    pub(super) fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Runs one program to its end. After an error the sandbox cannot be used any more.
    pub(super) fn run(&mut self, request: &Request) -> Result<Reply, SandboxError> {
        let requests = self.requests.as_mut().ok_or(io::ErrorKind::BrokenPipe);
        let requests = requests.map_err(|error| SandboxError::Lost(error.into()))?;
        send(requests, request).map_err(SandboxError::Lost)?;
        match receive::<Answer>(&mut self.answers).map_err(SandboxError::Lost)? {
            Some(Ok(reply)) => Ok(reply),
            Some(Err(reason)) => Err(SandboxError::Failed(reason)),
            None => Err(SandboxError::Lost(io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The sandbox ends when its requests do, and that ends the answers.
        drop(self.requests.take());
        let _ = io::copy(&mut self.answers, &mut io::sink());
    }
}

#[cfg(test)]
#[test]
#[ignore = "run by other tests as their sandbox helper"]
fn serve_as_helper() {
    serve::serve().unwrap();
}
