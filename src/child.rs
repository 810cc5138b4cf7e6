//! Programs that have to deal with what a patch says, such as compilers: within limits, and never
//! longer than this process.
//!
//! A few lines of macros keep a compiler busy for hours; one patch must not cost the run. Programs
//! that a patch *is* run in [`crate::replay`]'s sandbox instead.

use std::{
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::{
        prctl::set_pdeathsig,
        resource::{Resource, setrlimit},
        signal::{Signal, killpg},
    },
    unistd::{Pid, getppid},
};

/// What a program may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Processor time of each of its processes; all together they are stopped after five times as
    /// long, so that a busy machine makes no difference.
    pub time: Duration,
    /// Address space of each process, in bytes.
    pub memory: u64,
}

/// A machine can be busy with others.
const WALL: u32 = 5;

impl Limits {
    /// For one look at one source file.
    pub const CHECK: Self = Self { time: Duration::from_secs(60), memory: 4 << 30 };
    /// For what a patched package's own build runs.
    pub const REBUILD: Self = Self { time: Duration::from_secs(120), memory: 4 << 30 };
    /// For a build of all revisions together, or of what a user had us set up.
    pub const BUILD: Self = Self { time: Duration::from_secs(1200), memory: 16 << 30 };
}

/// Turns true for good when all such programs are to end.
static STOPPED: AtomicBool = AtomicBool::new(false);
/// How often that is looked at.
const TICK: Duration = Duration::from_millis(50);
/// How soon they end.
pub const STOPPING: Duration = Duration::from_millis(200);

/// Ends the programs that run, and lets no other one start.
pub fn stop_all() {
    STOPPED.store(true, Ordering::Relaxed);
}

/// Whether [`stop_all`] was called.
pub fn are_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

/// What LLVM, the C++ library and gcc say when there is none left.
const OUT_OF_MEMORY: [&str; 3] =
    ["LLVM ERROR: out of memory", "std::bad_alloc", "virtual memory exhausted"];

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The program cannot be started.
    #[error(transparent)]
    Start(#[from] io::Error),
    /// It was stopped.
    #[error("{program} was stopped: it took more than {} s", time.as_secs())]
    Time {
        /// The program.
        program: String,
        /// How long it might have taken.
        time: Duration,
    },
    /// All are to end.
    #[error("{program} was interrupted")]
    Interrupted {
        /// The program.
        program: String,
    },
    /// It ended for want of memory.
    #[error("{program} was stopped: it took more than {} MiB of memory", memory >> 20)]
    Memory {
        /// The program.
        program: String,
        /// How much it might have had.
        memory: u64,
    },
}

/// Runs a program to its end, without standard input, in a process group of its own. It ends with
/// this process; [`stop_all`] ends all of its group.
///
/// # Errors
/// It cannot be started, is interrupted, or exceeds its limits; see [`ChildError`].
pub fn output(command: &mut Command, limits: Limits) -> Result<Output, ChildError> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let most = Some(limits.time * WALL);
    let output = watched(command, (limits, most), Child::wait_with_output, |o| o.status)?;
    let is_out = OUT_OF_MEMORY.iter().any(|text| contains(&output.stderr, text.as_bytes()));
    if !output.status.success() && is_out {
        let program = command.get_program().to_string_lossy().into_owned();
        return Err(ChildError::Memory { program, memory: limits.memory });
    }
    Ok(output)
}

/// Runs a build in the same way, but with its output where the command says, and however long all of
/// its processes together may take.
///
/// # Errors
/// It cannot be started, or is interrupted.
pub fn status(command: &mut Command, limits: Limits) -> Result<ExitStatus, ChildError> {
    watched(command, (limits, None), |mut child| child.wait(), |status| *status)
}

fn watched<T>(
    command: &mut Command,
    (limits, most): (Limits, Option<Duration>),
    wait: impl FnOnce(Child) -> io::Result<T>,
    status: impl FnOnce(&T) -> ExitStatus,
) -> Result<T, ChildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    if are_stopped() {
        return Err(ChildError::Interrupted { program });
    }
    confine(command, limits);
    let child = command.process_group(0).spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    let (ended, end) = channel::<()>();
    let watch = thread::spawn(move || {
        let start = Instant::now();
        let is_late = || most.is_some_and(|most| start.elapsed() >= most);
        while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            if is_late() || are_stopped() {
                // Gone by itself at the last moment is as well.
                let _ = killpg(group, Signal::SIGKILL);
                return is_late();
            }
        }
        false
    });
    let done = wait(child);
    drop(ended);
    let late = watch.join().unwrap_or(false);
    let done = done?;
    if are_stopped() {
        return Err(ChildError::Interrupted { program });
    }
    if late || status(&done).signal() == Some(Signal::SIGXCPU as i32) {
        return Err(ChildError::Time { program, time: limits.time });
    }
    Ok(done)
}

/// Takes standard input away from a program that is to be started, and limits what each of its
/// processes may use. It ends with this process.
#[allow(unsafe_code, reason = "runs in the child")]
fn confine(command: &mut Command, limits: Limits) {
    let parent = Pid::this();
    let confine = move || {
        let seconds = limits.time.as_secs();
        setrlimit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
        setrlimit(Resource::RLIMIT_AS, limits.memory, limits.memory)?;
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        set_pdeathsig(Signal::SIGKILL)?;
        if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    command.stdin(Stdio::null());
    // SAFETY: system calls only, which neither allocate nor take locks.
    unsafe { command.pre_exec(confine) };
}

/// Whether the bytes have these somewhere.
fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, limits: Limits) -> Result<Output, ChildError> {
        output(Command::new("sh").args(["-c", script]), limits)
    }

    #[test]
    fn processor_time_ends() {
        let limits = Limits { time: Duration::from_secs(1), ..Limits::CHECK };
        let error = shell("while :; do :; done", limits).unwrap_err().to_string();
        assert_eq!(error, "sh was stopped: it took more than 1 s");
    }

    #[test]
    fn who_sleeps_or_leaves_others_behind_ends_too() {
        let limits = Limits { time: Duration::from_secs(1), ..Limits::CHECK };
        let begin = Instant::now();
        let error = shell("sleep 600 & sleep 600", limits).unwrap_err();
        assert!(matches!(error, ChildError::Time { .. }), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn memory_ends() {
        let limits = Limits { memory: 64 << 20, ..Limits::CHECK };
        let script = "exec 2>&1; head -c 200M /dev/zero | tail -c 100M | wc -c";
        let output = shell(script, limits).unwrap();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("104857600"), "{output:?}");
        let error = shell("echo LLVM ERROR: out of memory >&2; exit 1", limits).unwrap_err();
        assert!(matches!(error, ChildError::Memory { .. }), "{error}");
    }

    #[test]
    fn what_is_within_its_limits_is_as_it_was() {
        let output = shell("echo a; echo b >&2; exit 3", Limits::CHECK).unwrap();
        assert_eq!((output.stdout, output.stderr), (b"a\n".to_vec(), b"b\n".to_vec()));
        assert_eq!(output.status.code(), Some(3));
        let error = super::output(&mut Command::new("no-such-program"), Limits::CHECK);
        assert!(matches!(error, Err(ChildError::Start(_))));
    }
}
