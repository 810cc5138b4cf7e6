//! The helper process that sandboxes are forks of: this executable takes longer to load than a
//! sandbox takes to be built.
//!
//! For each sandbox, the tool sends its isolation and two files over the helper's standard input, a
//! socket: where its requests come from, and where its answers go.

use std::{
    io::{self, IoSlice, IoSliceMut},
    mem::MaybeUninit,
    net::Shutdown,
    os::{
        fd::{BorrowedFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt},
    },
    process::{Child, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use nix::unistd::{ForkResult, fork};
use rustix::{
    cmsg_space,
    net::{
        RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
    },
};

use super::{
    error::SandboxError,
    helper::{helper, refuse_idle_helper},
    limits::Isolation,
};

/// A helper process, which is started when it is first needed, and again if it is gone.
#[derive(Debug, Default)]
pub(in crate::replay) struct Zygote {
    process: Mutex<Option<Process>>,
    /// Whether a sandbox forked from it has answered, which shows that the executable is a helper.
    has_served: AtomicBool,
}

#[derive(Debug)]
struct Process {
    child: Child,
    control: UnixStream,
}

impl Zygote {
    /// Makes the helper fork a sandbox that reads and writes these files. Returns whether an
    /// earlier one [has answered](Self::serves).
    pub(super) fn fork(
        &self,
        isolation: Isolation,
        requests: BorrowedFd<'_>,
        answers: BorrowedFd<'_>,
    ) -> Result<bool, SandboxError> {
        // Nothing panics while it is locked.
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        let hand_over = |known: &Process| hand_over(&known.control, isolation, [requests, answers]);
        let has_served = self.has_served.load(Ordering::Relaxed);
        if process.as_ref().is_some_and(|known| hand_over(known).is_ok()) {
            return Ok(has_served);
        }
        hand_over(process.insert(Process::start()?)).map_err(SandboxError::Lost)?;
        Ok(has_served)
    }

    /// Records that a sandbox has answered.
    pub(super) fn serves(&self) {
        self.has_served.store(true, Ordering::Relaxed);
    }
}

impl Process {
    fn start() -> Result<Self, SandboxError> {
        refuse_idle_helper()?;
        let (helper, arguments) = helper();
        let start = || {
            let (control, input) = UnixStream::pair()?;
            let mut command = Command::new(&helper);
            command.args(arguments).stdin(OwnedFd::from(input)).stdout(Stdio::null());
            // Otherwise the allocator reserves all the memory that the helper's limit allows.
            command.env("MIMALLOC_ARENA_RESERVE", "0");
            // An interrupt must not reach the helper: the tool still wants its answers.
            Ok(Self { child: command.process_group(0).spawn()?, control })
        };
        start().map_err(|error| SandboxError::Start { helper: helper.clone(), error })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The helper ends when the socket is shut down.
        let _ = self.control.shutdown(Shutdown::Both);
        let _ = self.child.wait();
    }
}

/// The number of files that a message hands over.
const FILES: usize = 2;

fn hand_over(
    to: &UnixStream,
    isolation: Isolation,
    files: [BorrowedFd<'_>; FILES],
) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&files));
    let message = [isolation as u8];
    sendmsg(to, &[IoSlice::new(&message)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives the isolation, the requests and the answers of the next sandbox; `None` if the tool
/// wants no more.
pub(super) fn take_over(from: BorrowedFd<'_>) -> io::Result<Option<(Isolation, OwnedFd, OwnedFd)>> {
    let mut message = [0];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(FILES))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let into = &mut [IoSliceMut::new(&mut message)];
    let received = recvmsg(from, into, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut files = control.drain().flat_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => files.collect(),
        _ => Vec::new(),
    });
    let (Some(requests), Some(answers)) = (files.next(), files.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let isolation = match message[0] == Isolation::Landlock as u8 {
        true => Isolation::Landlock,
        false => Isolation::Namespaces,
    };
    Ok(Some((isolation, requests, answers)))
}

/// Forks this process, which is the helper or a sandbox.
#[allow(unsafe_code)]
pub(super) fn fork_process() -> nix::Result<ForkResult> {
    // SAFETY: this process has one thread. The executable of the unit tests has a second one, which
    // only waits and holds no lock.
    unsafe { fork() }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{RunLimits, Sandbox},
        *,
    };

    #[test]
    fn a_helper_that_is_gone_is_started_again() {
        let zygote = Zygote::default();
        let start = |strongest| {
            Sandbox::start(&zygote, (&[], true), &[], RunLimits::default(), true, strongest)
                .unwrap()
        };
        let isolation = start(Isolation::Namespaces).isolation();
        let first = {
            let mut process = zygote.process.lock().unwrap();
            let child = &mut process.as_mut().unwrap().child;
            child.kill().unwrap();
            child.wait().unwrap();
            child.id()
        };
        start(isolation);
        assert_ne!(zygote.process.lock().unwrap().as_ref().unwrap().child.id(), first);
    }
}
