//! The registry of system calls by number (Linux on x86-64, arch/x86/entry/syscalls).

use super::outcome::Call;
use super::{memory, names, process, stat, streams};

/// The number, name and model of each call, ordered by number.
const CALLS: &[(u64, &str, Call)] = &[
    (0, "read", streams::read),
    (1, "write", streams::write),
    (2, "open", streams::open),
    (3, "close", streams::close),
    (4, "stat", stat::stat),
    (5, "fstat", stat::fstat),
    (6, "lstat", stat::lstat),
    (7, "poll", streams::poll),
    (8, "lseek", streams::lseek),
    (9, "mmap", memory::mmap),
    (10, "mprotect", process::nothing),
    (11, "munmap", memory::munmap),
    (12, "brk", memory::brk),
    (13, "rt_sigaction", process::rt_sigaction),
    (14, "rt_sigprocmask", process::rt_sigprocmask),
    (16, "ioctl", streams::ioctl),
    (17, "pread64", streams::pread64),
    (18, "pwrite64", streams::pwrite64),
    (19, "readv", streams::readv),
    (20, "writev", streams::writev),
    (21, "access", stat::access),
    (22, "pipe", streams::pipe),
    (23, "select", streams::select),
    (24, "sched_yield", process::nothing),
    (25, "mremap", memory::mremap),
    (27, "mincore", process::not_there),
    (28, "madvise", process::nothing),
    (32, "dup", streams::dup),
    (33, "dup2", streams::dup2),
    (35, "nanosleep", process::nothing),
    (36, "getitimer", process::getitimer),
    (37, "alarm", process::nothing),
    (38, "setitimer", process::setitimer),
    (39, "getpid", process::getpid),
    (60, "exit", process::exit),
    (62, "kill", process::kill),
    (63, "uname", process::uname),
    (72, "fcntl", streams::fcntl),
    (73, "flock", streams::synced),
    (74, "fsync", streams::fsync),
    (75, "fdatasync", streams::fsync),
    (76, "truncate", streams::truncate),
    (77, "ftruncate", streams::ftruncate),
    (79, "getcwd", stat::getcwd),
    (80, "chdir", stat::chdir),
    (81, "fchdir", stat::fchdir),
    (82, "rename", names::rename),
    (83, "mkdir", names::mkdir),
    (84, "rmdir", names::rmdir),
    (85, "creat", streams::creat),
    (86, "link", names::link),
    (87, "unlink", names::unlink),
    (88, "symlink", names::symlink),
    (89, "readlink", stat::readlink),
    (90, "chmod", stat::chmod),
    (91, "fchmod", stat::fchmod),
    (92, "chown", stat::chown),
    (93, "fchown", stat::fchown),
    (94, "lchown", stat::lchown),
    (95, "umask", process::umask),
    (96, "gettimeofday", process::gettimeofday),
    (97, "getrlimit", process::getrlimit),
    (98, "getrusage", process::getrusage),
    (99, "sysinfo", process::sysinfo),
    (100, "times", process::times),
    (102, "getuid", process::getuid),
    (104, "getgid", process::getuid),
    (105, "setuid", process::setuid),
    (106, "setgid", process::setuid),
    (107, "geteuid", process::getuid),
    (108, "getegid", process::getuid),
    (109, "setpgid", process::not_permitted),
    (110, "getppid", process::getppid),
    (111, "getpgrp", process::getpid),
    (112, "setsid", process::not_permitted),
    (113, "setreuid", process::setreuid),
    (114, "setregid", process::setreuid),
    (115, "getgroups", process::nothing),
    (116, "setgroups", process::not_permitted),
    (117, "setresuid", process::setresuid),
    (118, "getresuid", process::getresuid),
    (119, "setresgid", process::setresuid),
    (120, "getresgid", process::getresuid),
    (121, "getpgid", process::getpgid),
    (122, "setfsuid", process::setuid),
    (123, "setfsgid", process::setuid),
    (124, "getsid", process::getpgid),
    (127, "rt_sigpending", process::rt_sigpending),
    (131, "sigaltstack", process::nothing),
    (132, "utime", stat::utime),
    (137, "statfs", stat::statfs),
    (138, "fstatfs", stat::fstatfs),
    (140, "getpriority", process::getpriority),
    (158, "arch_prctl", process::arch_prctl),
    (160, "setrlimit", process::nothing),
    (162, "sync", process::nothing),
    (186, "gettid", process::getpid),
    (200, "tkill", process::tkill),
    (201, "time", process::time),
    (202, "futex", process::nothing),
    (204, "sched_getaffinity", process::sched_getaffinity),
    (217, "getdents64", stat::getdents64),
    (218, "set_tid_address", process::getpid),
    (221, "fadvise64", streams::fadvise64),
    (228, "clock_gettime", process::clock_gettime),
    (229, "clock_getres", process::clock_getres),
    (230, "clock_nanosleep", process::nothing),
    (231, "exit_group", process::exit),
    (234, "tgkill", process::tgkill),
    (235, "utimes", stat::utime),
    (257, "openat", streams::openat),
    (258, "mkdirat", names::mkdirat),
    (260, "fchownat", stat::fchownat),
    (261, "futimesat", stat::futimesat),
    (262, "newfstatat", stat::newfstatat),
    (263, "unlinkat", names::unlinkat),
    (264, "renameat", names::renameat),
    (265, "linkat", names::linkat),
    (266, "symlinkat", names::symlinkat),
    (267, "readlinkat", stat::readlinkat),
    (268, "fchmodat", stat::fchmodat),
    (269, "faccessat", stat::faccessat),
    (270, "pselect6", streams::select),
    (271, "ppoll", streams::poll),
    (273, "set_robust_list", process::nothing),
    (280, "utimensat", stat::utimensat),
    (292, "dup3", streams::dup3),
    (293, "pipe2", streams::pipe2),
    (302, "prlimit64", process::prlimit64),
    (306, "syncfs", streams::synced),
    (316, "renameat2", names::renameat2),
    (318, "getrandom", process::getrandom),
    (324, "membarrier", process::nothing),
    (326, "copy_file_range", process::not_there),
    (439, "faccessat2", stat::faccessat2),
];

fn row(number: u64) -> Option<&'static (u64, &'static str, Call)> {
    let at = CALLS.binary_search_by_key(&number, |(known, ..)| *known).ok()?;
    CALLS.get(at)
}

/// Whether the call of this number ends the program.
pub(super) fn is_exit(number: u64) -> bool {
    let is = |(known, name, _): &(u64, &str, Call)| {
        *known == number && matches!(*name, "exit" | "exit_group")
    };
    CALLS.iter().any(is)
}

/// The model of the call of this number, if there is one.
pub(super) fn lookup(number: u64) -> Option<Call> {
    row(number).map(|(.., call)| *call)
}

/// The name and number of a call for messages, such as `mremap (25)`.
pub(super) fn name(number: u64) -> String {
    match syscalls::Sysno::new(number as usize) {
        Some(known) if usize::try_from(number).is_ok() => format!("{} ({number})", known.name()),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{CALLS, name};

    #[test]
    fn the_registry_is_in_order_and_has_the_names_of_linux() {
        assert!(CALLS.is_sorted_by(|a, b| a.0 < b.0));
        for (number, known, _) in CALLS {
            assert_eq!(name(*number), format!("{known} ({number})"));
        }
        assert_eq!(name(99_999), "99999");
    }
}
