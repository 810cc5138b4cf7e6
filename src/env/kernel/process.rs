//! The calls on the process itself (its end, signals, ids and limits), on the time, and on the
//! system.

use std::sync::Arc;

use super::errno::Errno;
use super::outcome::{Failure, Outcome, int, is_null, known, store_values, store_words};
use super::state::Kernel;
use crate::{
    env::{Halt, Machine, Stop, call::Arguments, libc::strings, offset},
    memory::{Byte, Object, Segment, Value},
};

/// By how many nanoseconds each call that asks for the time advances it.
const TICK: u64 = 1000;
/// The id of the process, its thread, its group and its session.
const PROCESS: u64 = 2;
const SIGABRT: u64 = 6;
/// One more than the largest signal number of Linux on x86-64.
const SIGNALS: u64 = 65;
/// The signals that are ignored by default: SIGCHLD, SIGCONT, SIGURG, SIGWINCH.
const IGNORED: [u64; 4] = [17, 18, 23, 28];
/// The signals that stop a program by default: SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
const STOPPING: [u64; 4] = [19, 20, 21, 22];
/// What `rt_sigprocmask` does with a set of signals.
const SIG_BLOCK: i32 = 0;
const SIG_UNBLOCK: i32 = 1;
const SIG_SETMASK: i32 = 2;
/// The set of the signals that cannot be blocked or handled: SIGKILL and SIGSTOP.
const UNBLOCKABLE: u64 = 1 << 8 | 1 << 18;
/// An absent argument.
const NONE: Value = Value::Int(0);
const ARCH_SET_FS: u64 = 0x1002;
/// The most random bytes that one call gives. Linux allows INT_MAX (drivers/char/random.c), for
/// which no program asks.
const RANDOM_LIMIT: u64 = 1 << 20;
/// The size in bytes of the object at the thread pointer, if no libc has set the pointer.
const THREAD_BYTES: usize = 64;

fn kernel(machine: &mut dyn Machine) -> &mut Kernel {
    Arc::make_mut(&mut machine.world_mut().kernel)
}

pub(super) fn exit(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let status = machine.free_of_revision(arguments[0], 64)?;
    let code = machine.exprs().extract(status, 0, 8);
    Err(Failure::Stop(Stop::Halt(Halt::Exit(code))))
}

/// Sends a signal to the process itself.
pub(super) fn raise(machine: &mut dyn Machine, signal: Value) -> Outcome {
    let signal = known(machine, signal, "signal")?;
    if signal >= SIGNALS {
        return Err(Errno::Einval.into());
    }
    if signal != 0 && machine.world().kernel.blocked & bit(signal) != 0 {
        kernel(machine).pending |= bit(signal);
        return Ok(0);
    }
    deliver(machine, signal)
}

fn deliver(machine: &mut dyn Machine, signal: u64) -> Outcome {
    let handler = match machine.world().kernel.actions.get(&signal).copied() {
        Some(action) => known(machine, action[0], "signal handler")?,
        None => 0,
    };
    match (signal, handler) {
        (0, _) | (_, 1) => Ok(0),
        (SIGABRT, 0) => Err(Failure::Stop(Stop::Halt(Halt::Abort))),
        (signal, 0) if IGNORED.contains(&signal) => Ok(0),
        (signal, 0) if STOPPING.contains(&signal) => {
            Err(Failure::Stop(Stop::unsupported(format!("being stopped by signal {signal}"))))
        }
        (signal, 0) => Err(Failure::Stop(Stop::Halt(Halt::Signal(signal as u8)))),
        (signal, _) => {
            Err(Failure::Stop(Stop::unsupported(format!("a handler of signal {signal}"))))
        }
    }
}

pub(super) fn kill(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    match int(machine, arguments[0], "process")? {
        0 | 2 => raise(machine, arguments[1]),
        -2 => raise(machine, arguments[1]),
        _ => Err(Errno::Esrch.into()),
    }
}

pub(super) fn tkill(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    match int(machine, arguments[0], "thread")? {
        2 => raise(machine, arguments[1]),
        _ => Err(Errno::Esrch.into()),
    }
}

pub(super) fn tgkill(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    tkill(machine, &[arguments[1], arguments[2], NONE, NONE, NONE, NONE])
}

/// Sets and returns the action for a signal. `struct k_sigaction` has a word each for handler,
/// flags, restorer and mask.
pub(super) fn rt_sigaction(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let signal = known(machine, arguments[0], "signal")?;
    if signal == 0 || signal >= SIGNALS {
        return Err(Errno::Einval.into());
    }
    let new = if is_null(machine, arguments[1])? {
        None
    } else if UNBLOCKABLE & bit(signal) != 0 {
        return Err(Errno::Einval.into());
    } else {
        let mut words = [Value::Int(0); 4];
        for (index, word) in (0..).zip(&mut words) {
            let at = offset(machine.exprs(), arguments[1], 8 * index);
            *word = machine.load(at, 64)?;
        }
        Some(words)
    };
    let old = machine.world().kernel.actions.get(&signal).copied();
    if let Some(new) = new {
        kernel(machine).actions.insert(signal, new);
    }
    if !is_null(machine, arguments[2])? {
        for (index, word) in (0..).zip(old.unwrap_or([Value::Int(0); 4])) {
            let at = offset(machine.exprs(), arguments[2], 8 * index);
            machine.store(at, 64, word)?;
        }
    }
    Ok(0)
}

pub(super) fn rt_sigprocmask(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let before = machine.world().kernel.blocked;
    let mut after = before;
    if !is_null(machine, arguments[1])? {
        let set = machine.load(arguments[1], 64)?;
        let set = known(machine, set, "set of signals")? & !UNBLOCKABLE;
        after = match int(machine, arguments[0], "what to do with a set of signals")? {
            SIG_BLOCK => before | set,
            SIG_UNBLOCK => before & !set,
            SIG_SETMASK => set,
            _ => return Err(Errno::Einval.into()),
        };
    }
    if !is_null(machine, arguments[2])? {
        store_words(machine, arguments[2], [before])?;
    }
    let kernel = kernel(machine);
    kernel.blocked = after;
    let sent = kernel.pending & !after;
    kernel.pending &= after;
    for signal in (1..SIGNALS).filter(|signal| sent & bit(*signal) != 0) {
        deliver(machine, signal)?;
    }
    Ok(0)
}

/// The bit of a signal in a set of signals.
fn bit(signal: u64) -> u64 {
    1 << (signal - 1)
}

pub(super) fn rt_sigpending(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let pending = machine.world().kernel.pending;
    store_words(machine, arguments[0], [pending])?;
    Ok(0)
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn nothing(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(0)
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn getpid(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(PROCESS)
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn getppid(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(1)
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn getuid(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(super::stat::USER)
}

/// The current time, in seconds since 1970 and nanoseconds. Each call advances it.
fn now(machine: &mut dyn Machine) -> (Value, u64) {
    let kernel = kernel(machine);
    let (start, nanoseconds) = (kernel.start, TICK * kernel.clock);
    kernel.clock += 1;
    let seconds = offset(machine.exprs(), start, nanoseconds / 1_000_000_000);
    (seconds, nanoseconds % 1_000_000_000)
}

pub(super) fn clock_gettime(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let (seconds, nanoseconds) = now(machine);
    store_values(machine, arguments[1], [seconds, Value::Int(nanoseconds)])?;
    Ok(0)
}

pub(super) fn gettimeofday(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let (seconds, nanoseconds) = now(machine);
    if !is_null(machine, arguments[0])? {
        store_values(machine, arguments[0], [seconds, Value::Int(nanoseconds / 1000)])?;
    }
    Ok(0)
}

/// Returns a concrete value of the time, which need not be the only one. musl asks `clock_gettime`
/// instead.
pub(super) fn time(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let (seconds, _) = now(machine);
    let seconds = known(machine, seconds, "the time")?;
    if !is_null(machine, arguments[0])? {
        store_words(machine, arguments[0], [seconds])?;
    }
    Ok(seconds)
}

/// Writes the `struct new_utsname`: six texts of 65 bytes.
pub(super) fn uname(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    const FIELD: usize = 65;
    const NAMES: [&str; 6] = ["Linux", "psychic", "6.1.0", "#1", "x86_64", "(none)"];
    let mut bytes = vec![Byte::Concrete(0); NAMES.len() * FIELD];
    for (index, name) in NAMES.iter().enumerate() {
        for (at, byte) in name.bytes().enumerate() {
            bytes[index * FIELD + at] = Byte::Concrete(byte);
        }
    }
    strings::write(machine, arguments[0], &bytes)?;
    Ok(0)
}

/// "Random" bytes, which count up from 16 ([`Kernel`]).
pub(super) fn getrandom(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let length = known(machine, arguments[1], "number of random bytes")?.min(RANDOM_LIMIT);
    let first = kernel(machine).random;
    kernel(machine).random = first + length;
    let bytes: Vec<Byte> = (first..first + length).map(|byte| Byte::Concrete(byte as u8)).collect();
    strings::write(machine, arguments[0], &bytes)?;
    Ok(length)
}

/// Fails with ESRCH unless `process` is 0 or the process itself: there is no other one.
fn is_itself(machine: &mut dyn Machine, process: Value) -> Outcome<()> {
    match int(machine, process, "process")? {
        0 | 2 => Ok(()),
        _ => Err(Errno::Esrch.into()),
    }
}

/// Nothing is limited, and limits cannot be set.
pub(super) fn prlimit64(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    is_itself(machine, arguments[0])?;
    if !is_null(machine, arguments[3])? {
        store_words(machine, arguments[3], [u64::MAX; 2])?;
    }
    Ok(0)
}

pub(super) fn getrlimit(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    store_words(machine, arguments[1], [u64::MAX; 2])?;
    Ok(0)
}

/// There is one processor.
pub(super) fn sched_getaffinity(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    is_itself(machine, arguments[0])?;
    let size = known(machine, arguments[1], "size of a set of processors")?;
    if size == 0 || !size.is_multiple_of(8) {
        return Err(Errno::Einval.into());
    }
    store_words(machine, arguments[2], [1])?;
    Ok(8)
}

/// `struct rusage`, eighteen words: all zeros.
pub(super) fn getrusage(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    store_words(machine, arguments[1], [0; 18])?;
    Ok(0)
}

/// `struct tms`, four words: all zeros.
pub(super) fn times(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    if !is_null(machine, arguments[0])? {
        store_words(machine, arguments[0], [0; 4])?;
    }
    Ok(0)
}

/// `struct sysinfo`, fourteen words: 1 GiB of memory, half of it free, in units of one byte.
pub(super) fn sysinfo(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    const GIB: u64 = 1 << 30;
    let words = [1, 0, 0, 0, GIB, GIB / 2, 0, 0, 0, 0, 1, 0, 0, 1];
    store_words(machine, arguments[0], words)?;
    Ok(0)
}

pub(super) fn umask(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let new = known(machine, arguments[0], "file mode creation mask")?;
    Ok(std::mem::replace(&mut kernel(machine).umask, new & 0o777))
}

pub(super) fn arch_prctl(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    let code = known(machine, arguments[0], "code of arch_prctl")?;
    if code != ARCH_SET_FS {
        return Err(Errno::Einval.into());
    }
    kernel(machine).thread = known(machine, arguments[1], "thread pointer")?;
    Ok(0)
}

/// The address that the segment register `fs` holds. An object is made for it if no libc has set
/// it: its first word is its own address (System V ABI, x86-64 supplement).
pub(super) fn thread_pointer(
    machine: &mut dyn Machine,
    _: Arguments<'_>,
) -> Result<Option<Value>, Stop> {
    let mut thread = machine.world().kernel.thread;
    if thread == 0 {
        machine.commit();
        let object = Object::uninitialised(Segment::Static, THREAD_BYTES).aligned(16);
        thread = machine.memory_mut().allocate(object);
        machine.store(Value::Int(thread), 64, Value::Int(thread))?;
        kernel(machine).thread = thread;
    }
    Ok(Some(Value::Int(thread)))
}

pub(super) fn clock_getres(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    if !is_null(machine, arguments[1])? {
        store_words(machine, arguments[1], [0, 1])?;
    }
    Ok(0)
}

/// `struct itimerval`, four words: no timer runs.
pub(super) fn getitimer(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    store_words(machine, arguments[1], [0; 4])?;
    Ok(0)
}

pub(super) fn setitimer(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    if !is_null(machine, arguments[2])? {
        store_words(machine, arguments[2], [0; 4])?;
    }
    Ok(0)
}

/// The real, the effective and the saved id, 32 bits each.
pub(super) fn getresuid(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    for address in &arguments[..3] {
        machine.store(*address, 32, Value::Int(super::stat::USER))?;
    }
    Ok(0)
}

/// Ids can be set only to their present values.
pub(super) fn setuid(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    super::stat::change_owner(machine, &arguments[..1])
}

pub(super) fn setreuid(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    super::stat::change_owner(machine, &arguments[..2])
}

pub(super) fn setresuid(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    super::stat::change_owner(machine, &arguments[..3])
}

/// A call that Linux has, but that gives ENOSYS here and natively by design. Unlike an unknown
/// call, it is no approximation.
pub(super) fn not_there(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Err(Errno::Enosys.into())
}

pub(super) fn not_permitted(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Err(Errno::Eperm.into())
}

/// The process group, known only for the process itself.
pub(super) fn getpgid(machine: &mut dyn Machine, arguments: &[Value; 6]) -> Outcome {
    is_itself(machine, arguments[0])?;
    Ok(PROCESS)
}

#[allow(clippy::unnecessary_wraps)]
pub(super) fn getpriority(_: &mut dyn Machine, _: &[Value; 6]) -> Outcome {
    Ok(20)
}
