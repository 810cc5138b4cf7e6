//! Child processes that work on what a patch contains, such as compilers. They run within limits,
//! and never outlive this process.
//!
//! A few lines of macros can keep a compiler busy for hours; one patch must not cost the whole run.
//! The patched programs themselves run in [`crate::replay`]'s sandbox instead.

use std::{
    io,
    os::unix::process::{CommandExt, ExitStatusExt},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use nix::{
    sys::{
        prctl::set_pdeathsig,
        resource::{Resource, getrlimit, setrlimit},
        signal::{SigHandler, Signal, killpg, signal},
    },
    unistd::{Pid, getppid},
};
use tracing::debug;

use crate::interrupt::Interrupt;

/// The resources that a program may use.
#[derive(Clone, Copy, Debug)]
pub struct ChildLimits {
    /// Processor time of each of the program's processes. [`output`] also stops all of them after
    /// five times this much wall-clock time, which leaves room for a busy machine.
    pub time: Duration,
    /// Address space of each process, in bytes.
    pub memory: u64,
}

/// Wall-clock time that a program may take, in multiples of [`ChildLimits::time`]: the machine may
/// be busy with other work.
const WALL: u32 = 5;

impl ChildLimits {
    /// For examining a single source file.
    pub const CHECK: Self = Self { time: Duration::from_secs(60), memory: 4 << 30 };
    /// For each process of a patched package's own build.
    pub const REBUILD: Self = Self { time: Duration::from_secs(120), memory: 4 << 30 };
    /// For everything else: the toolchain's compilers and linkers (which may work on all revisions
    /// at once), an original package's own build, and obtaining sources.
    pub const BUILD: Self = Self { time: Duration::from_secs(1200), memory: 16 << 30 };
}

/// Lines that [`last_lines`] leaves.
const LAST_LINES: usize = 20;
/// The interval at which a child's watcher checks its [`Stopper`] and the wall-clock limit.
const TICK: Duration = Duration::from_millis(50);
/// The time within which programs end after an interrupt.
pub const STOPPING: Duration = Duration::from_millis(200);

/// Ends the programs that a run has started, and keeps others from starting, when the run is
/// interrupted. All clones are one stopper. The default one never does this.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    interrupt: Interrupt,
    spares: Arc<AtomicBool>,
}

impl Stopper {
    /// Follows this token.
    pub fn new(interrupt: Interrupt) -> Self {
        Self { interrupt, spares: Arc::default() }
    }

    /// From now on ends programs only if the interrupt is forced: the run may need them to write
    /// what it has found.
    pub fn spare(&self) {
        self.spares.store(true, Ordering::Relaxed);
    }

    /// Whether programs are to end.
    pub fn is_set(&self) -> bool {
        self.interrupt.is_forced()
            || self.interrupt.is_set() && !self.spares.load(Ordering::Relaxed)
    }
}

/// What LLVM, the C++ library and gcc print when they run out of memory.
const OUT_OF_MEMORY: [&str; 3] =
    ["LLVM ERROR: out of memory", "std::bad_alloc", "virtual memory exhausted"];

/// Why a child program has no result.
#[derive(Debug, thiserror::Error)]
pub enum ChildError {
    /// The program cannot be started or waited for.
    #[error(transparent)]
    Start(#[from] io::Error),
    /// The program exceeded its time limit and was stopped.
    #[error("{program} was stopped: it took more than {} s", time.as_secs())]
    Time {
        /// The program.
        program: String,
        /// The limit, in processor time ([`ChildLimits::time`]).
        time: Duration,
    },
    /// The program was ended, or not started, because of a [`Stopper`].
    #[error("{program} was interrupted")]
    Interrupted {
        /// The program.
        program: String,
    },
    /// The program ended because it ran out of memory.
    #[error("{program} was stopped: it took more than {} MiB of memory", memory >> 20)]
    Memory {
        /// The program.
        program: String,
        /// The limit, in bytes ([`ChildLimits::memory`]).
        memory: u64,
    },
}

/// Runs a program to its end, without standard input and in a process group of its own, and returns
/// its output. The program ends when this process does; `stopper` ends its whole group.
///
/// # Errors
/// The program cannot be started, is interrupted, or exceeds its limits; see [`ChildError`].
pub fn output(
    command: &mut Command,
    limits: ChildLimits,
    stopper: &Stopper,
) -> Result<Output, ChildError> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let most = Some(limits.time * WALL);
    let output = watched(command, (limits, most, stopper), Child::wait_with_output, |o| o.status)?;
    let is_out = OUT_OF_MEMORY.iter().any(|text| contains(&output.stderr, text.as_bytes()));
    if !output.status.success() && is_out {
        let program = command.get_program().to_string_lossy().into_owned();
        return Err(ChildError::Memory { program, memory: limits.memory });
    }
    Ok(output)
}

/// Runs a build to its end, as [`output`] runs a program. Its output goes where `command` sends it,
/// and there is no wall-clock limit on the build as a whole.
///
/// # Errors
/// The build cannot be started, is interrupted, or itself exceeds its processor time.
pub fn status(
    command: &mut Command,
    limits: ChildLimits,
    stopper: &Stopper,
) -> Result<ExitStatus, ChildError> {
    watched(command, (limits, None, stopper), |mut child| child.wait(), |status| *status)
}

/// Runs a program to its end, and lets it keep what it has found when it is interrupted. It is in a
/// process group of its own, gets the interrupt once, and ends when this process does.
///
/// # Errors
/// The program cannot be started or waited for.
#[allow(unsafe_code, reason = "runs in the child")]
pub fn follow(command: &mut Command, interrupt: &Interrupt) -> io::Result<ExitStatus> {
    // A shell that runs this process in the background makes it ignore the interrupt. The program
    // would inherit that.
    // SAFETY: the default disposition runs no code of ours.
    let hear = || unsafe { signal(Signal::SIGINT, SigHandler::SigDfl) }.map(drop);
    let (mut child, group) = start(command, hear)?;
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        // The program may just have ended by itself, which is just as good.
        if interrupt.is_forced() {
            _ = killpg(group, Signal::SIGKILL);
        } else if interrupt.is_set() && !is_told {
            is_told = true;
            _ = killpg(group, Signal::SIGINT);
        }
        thread::sleep(TICK);
    }
}

/// The end of what a program has printed, as a message shows it.
pub fn last_lines(output: &[u8]) -> String {
    let output = String::from_utf8_lossy(output);
    let lines: Vec<_> = output.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

fn watched<T>(
    command: &mut Command,
    (limits, most, stopper): (ChildLimits, Option<Duration>, &Stopper),
    wait: impl FnOnce(Child) -> io::Result<T>,
    status: impl FnOnce(&T) -> ExitStatus,
) -> Result<T, ChildError> {
    let program = command.get_program().to_string_lossy().into_owned();
    if stopper.is_set() {
        return Err(ChildError::Interrupted { program });
    }
    let began = Instant::now();
    let (child, group) = start(command.stdin(Stdio::null()), move || confine(limits))?;
    let (ended, end) = channel::<()>();
    let stops = stopper.clone();
    let watch = thread::spawn(move || {
        let is_late = || most.is_some_and(|most| began.elapsed() >= most);
        while end.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            if is_late() || stops.is_set() {
                // The group may just have ended by itself, which is just as good.
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
    let status = status(&done);
    debug!(seconds = began.elapsed().as_secs_f32(), %status, ?command, "ran");
    if stopper.is_set() {
        return Err(ChildError::Interrupted { program });
    }
    if late || status.signal() == Some(Signal::SIGXCPU as i32) {
        return Err(ChildError::Time { program, time: limits.time });
    }
    Ok(done)
}

/// Starts a program in a process group of its own, which ends when this process does. `prepare`
/// runs in the child before the program, where it must only make system calls.
#[allow(unsafe_code, reason = "runs in the child")]
fn start(
    command: &mut Command,
    prepare: impl Fn() -> nix::Result<()> + Send + Sync + 'static,
) -> io::Result<(Child, Pid)> {
    let parent = Pid::this();
    let prepare = move || {
        prepare()?;
        set_pdeathsig(Signal::SIGKILL)?;
        // The parent may have ended before that.
        if getppid() == parent { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: the closure only makes system calls, which neither allocate nor take locks.
    unsafe { command.pre_exec(prepare) };
    let child = command.process_group(0).spawn()?;
    let group = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
    Ok((child, group))
}

/// Limits each process of the program that runs next.
fn confine(limits: ChildLimits) -> nix::Result<()> {
    let seconds = limits.time.as_secs();
    limit(Resource::RLIMIT_CPU, seconds, seconds + 1)?;
    limit(Resource::RLIMIT_AS, limits.memory, limits.memory)?;
    limit(Resource::RLIMIT_CORE, 0, 0)
}

/// Sets a limit, but not above the hard limit of this process.
pub(crate) fn limit(resource: Resource, soft: u64, hard: u64) -> nix::Result<()> {
    let (_, most) = getrlimit(resource)?;
    setrlimit(resource, soft.min(most), hard.min(most))
}

/// Whether `wanted` occurs in `bytes`.
fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str, limits: ChildLimits) -> Result<Output, ChildError> {
        output(Command::new("sh").args(["-c", script]), limits, &Stopper::default())
    }

    #[test]
    fn processor_time_ends() {
        let limits = ChildLimits { time: Duration::from_secs(1), ..ChildLimits::CHECK };
        let error = shell("while :; do :; done", limits).unwrap_err().to_string();
        assert_eq!(error, "sh was stopped: it took more than 1 s");
    }

    #[test]
    fn who_sleeps_or_leaves_others_behind_ends_too() {
        let limits = ChildLimits { time: Duration::from_secs(1), ..ChildLimits::CHECK };
        let begin = Instant::now();
        let error = shell("sleep 600 & sleep 600", limits).unwrap_err();
        assert!(matches!(error, ChildError::Time { .. }), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn an_interrupt_ends_its_own_programs_only() {
        let (asked, other) = (Stopper::new(Interrupt::default()), Stopper::default());
        let sleep = |seconds: &str, stopper: &Stopper| {
            output(Command::new("sleep").arg(seconds), ChildLimits::CHECK, stopper)
        };
        thread::scope(|scope| {
            let ends = scope.spawn(|| sleep("600", &asked));
            let goes_on = scope.spawn(|| sleep("1", &other));
            thread::sleep(TICK);
            asked.interrupt.set();
            assert!(matches!(ends.join().unwrap(), Err(ChildError::Interrupted { .. })));
            assert!(goes_on.join().unwrap().unwrap().status.success());
        });
        assert!(matches!(sleep("0", &asked), Err(ChildError::Interrupted { .. })));
        asked.spare();
        assert!(sleep("0", &asked).is_ok());
        asked.interrupt.force();
        assert!(matches!(sleep("0", &asked), Err(ChildError::Interrupted { .. })));
    }

    #[test]
    fn who_is_followed_hears_of_an_interrupt_once() {
        let interrupt = Interrupt::default();
        let script = "n=0; trap 'n=$((n + 1))' INT; for i in $(seq 600); do sleep 0.1; \
                      [ $n -gt 0 ] && sleep 0.3 && [ $n -eq 1 ] && exit 7; done; exit 8";
        thread::scope(|scope| {
            let ends = scope.spawn(|| follow(Command::new("sh").args(["-c", script]), &interrupt));
            thread::sleep(4 * TICK);
            interrupt.set();
            assert_eq!(ends.join().unwrap().unwrap().code(), Some(7));
        });
        interrupt.force();
        let ended = follow(Command::new("sleep").arg("600"), &interrupt).unwrap();
        assert_eq!(ended.signal(), Some(Signal::SIGKILL as i32));
    }

    #[test]
    fn memory_ends() {
        let limits = ChildLimits { memory: 64 << 20, ..ChildLimits::CHECK };
        let script = "exec 2>&1; head -c 200M /dev/zero | tail -c 100M | wc -c";
        let output = shell(script, limits).unwrap();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("104857600"), "{output:?}");
        let error = shell("echo LLVM ERROR: out of memory >&2; exit 1", limits).unwrap_err();
        assert!(matches!(error, ChildError::Memory { .. }), "{error}");
    }

    #[test]
    fn what_is_within_its_limits_is_as_it_was() {
        let output = shell("echo a; echo b >&2; exit 3", ChildLimits::CHECK).unwrap();
        assert_eq!((output.stdout, output.stderr), (b"a\n".to_vec(), b"b\n".to_vec()));
        assert_eq!(output.status.code(), Some(3));
        let error = super::output(
            &mut Command::new("no-such-program"),
            ChildLimits::CHECK,
            &Stopper::default(),
        );
        assert!(matches!(error, Err(ChildError::Start(_))));
    }
}
