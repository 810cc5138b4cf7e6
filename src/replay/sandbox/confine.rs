//! Takes rights away from a sandbox's own process; everything that it starts inherits the loss.
//!
//! Linux namespaces are preferred. In the mount namespace, the root is a fresh tmpfs with the
//! system directories bound read-only into it. The network, process, IPC and host name namespaces
//! hold nothing else. Where the system denies namespaces (many containers do), Landlock makes the
//! file system read-only except for the scratch directory, and a seccomp filter denies sockets.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use nix::{
    mount::{MntFlags, MsFlags, mount, umount2},
    sched::{CloneFlags, unshare},
    sys::{
        personality::{self, Persona},
        prctl,
        resource::{Resource, getrlimit, setrlimit},
        signal::Signal,
        stat::{Mode, umask},
        statvfs::{FsFlags, statvfs},
    },
    unistd::{
        Gid, Uid, chown, getegid, geteuid, pivot_root, setgroups, sethostname, setresgid, setresuid,
    },
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::protocol::Setup;
use crate::child;

/// The parts of the host's file system that a program sees, read-only.
const SYSTEM: &[&str] =
    &["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "nix", "gnu"];
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];
const STACK: u64 = 8 << 20;
/// The limit of open files of a program. It may raise it up to that of the sandbox.
pub(super) const OPEN_FILES: u64 = 256;
/// How many files the sandbox opens for each fork server (its control, output and errors), and for
/// itself.
const FILES_OF_SERVER: u64 = 3;
const OWN_FILES: u64 = 64;
/// The most files in each writable directory.
const INODES: u64 = 4096;
/// The least address space in bytes: the sandbox itself needs this much.
const LEAST_MEMORY: u64 = 256 << 20;
/// The first of the user ids that nobody has. Each sandbox adds its number, so that a limit of
/// processes counts only its own.
const FREE_USERS: u32 = 0x7000_0000;

/// The most fork servers that one sandbox keeps. Those of small programs take some hundred KiB
/// each.
const MOST_SERVERS: u64 = 1024;

/// Where a sandbox finds things, and what programs in it may use.
#[derive(Debug)]
pub(super) struct Confinement {
    /// The programs of the set-up, in the same order.
    pub(super) programs: Vec<PathBuf>,
    /// The directory that programs start in.
    pub(super) work: PathBuf,
    /// The directory for temporary files of programs.
    pub(super) tmp: PathBuf,
    /// The directory for files that are passed between the sandbox and the runtime in the program.
    pub(super) io: PathBuf,
    /// How many processes the user may have while a program runs that no fork server forked.
    pub(super) processes: u64,
    /// How many fork servers the sandbox may keep.
    pub(super) servers: u64,
}

impl Confinement {
    fn new(programs: Vec<PathBuf>, scratch: &Path) -> Self {
        let [work, tmp, io] = ["work", "tmp", "io"].map(|name| scratch.join(name));
        Self { programs, work, tmp, io, processes: 0, servers: 1 }
    }

    /// The directories that may be written to. Their parent may not be written to, so they cannot
    /// be renamed or removed.
    pub(super) fn scratch(&self) -> [&Path; 3] {
        [&self.work, &self.tmp, &self.io]
    }
}

/// Enters new namespaces. The process namespace begins with the next child.
pub(super) fn enter_namespaces() -> nix::Result<()> {
    let (user, group) = (geteuid(), getegid());
    let mut flags = CloneFlags::CLONE_NEWNS
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if !user.is_root() {
        flags |= CloneFlags::CLONE_NEWUSER;
    }
    unshare(flags)?;
    if !user.is_root() {
        // Become root of the new namespace, to be allowed to mount in it. `give_up_rights` gives
        // that up.
        map_user("0", user.as_raw(), group.as_raw())?;
    }
    Ok(())
}

/// Builds the file system that the programs see, and enters it.
pub(super) fn enter_file_system(setup: &Setup) -> io::Result<Confinement> {
    // Read the programs before anything is mounted over them.
    let programs = setup.programs.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
    sethostname("psychic")?;
    mount(none(), "/", none(), MsFlags::MS_REC | MsFlags::MS_PRIVATE, none())?;
    let root = std::env::temp_dir();
    tmpfs(&root, "mode=755")?;
    for name in SYSTEM {
        bind_system(name, &root)?;
    }
    fs::create_dir(root.join("dev"))?;
    for name in DEVICES {
        let target = root.join("dev").join(name);
        fs::write(&target, "")?;
        bind(&Path::new("/dev").join(name), &target)?;
    }
    fs::create_dir(root.join("proc"))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    if mount(Some("proc"), &root.join("proc"), Some("proc"), flags, none()).is_err() {
        // A container that hides parts of its /proc may not mount another one.
        bind(Path::new("/proc"), &root.join("proc"))?;
    }
    fs::create_dir(root.join("psychic"))?;
    let mut places = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let place = PathBuf::from(format!("psychic/{index}"));
        fs::write(root.join(&place), program)?;
        fs::set_permissions(root.join(&place), fs::Permissions::from_mode(0o755))?;
        places.push(Path::new("/").join(place));
    }
    fs::create_dir(root.join("scratch"))?;
    symlink("/scratch/tmp", root.join("tmp"))?;
    let place = Confinement::new(places, Path::new("/scratch"));
    let writable = place.scratch().map(|path| root.join(path.strip_prefix("/").unwrap_or(path)));
    for directory in &writable {
        fs::create_dir(directory)?;
    }
    read_only(&root)?;
    for directory in &writable {
        let options = format!("mode=700,size={},nr_inodes={INODES}", setup.limits.files);
        tmpfs(directory, &options)?;
    }
    std::env::set_current_dir(&root)?;
    pivot_root(".", ".")?;
    umount2(".", MntFlags::MNT_DETACH)?;
    std::env::set_current_dir("/")?;
    Ok(place)
}

/// Without namespaces: makes the scratch directory the only writable one and denies sockets.
pub(super) fn restrict(setup: &Setup) -> io::Result<Confinement> {
    let scratch = fs::canonicalize(&setup.scratch)?;
    let mut programs = Vec::new();
    let store = scratch.join("programs");
    fs::DirBuilder::new().mode(0o755).create(&store)?;
    for (index, program) in setup.programs.iter().enumerate() {
        let place = store.join(index.to_string());
        fs::copy(program, &place)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o755))?;
        programs.push(place);
    }
    let place = Confinement::new(programs, &scratch);
    for directory in place.scratch() {
        fs::DirBuilder::new().mode(0o700).create(directory)?;
    }
    fs::set_permissions(&scratch, fs::Permissions::from_mode(0o755))?;
    landlock(&place).map_err(io::Error::other)?;
    Ok(place)
}

/// Takes the last steps, common to both kinds of isolation: limits, no privileges, no randomised
/// addresses.
pub(super) fn give_up_rights(
    setup: &Setup,
    place: &mut Confinement,
    namespaces: bool,
) -> io::Result<()> {
    let Setup { limits, limit_memory, .. } = setup;
    limit(Resource::RLIMIT_CORE, 0)?;
    limit(Resource::RLIMIT_FSIZE, limits.files)?;
    limit(Resource::RLIMIT_STACK, STACK)?;
    limit(Resource::RLIMIT_NOFILE, OWN_FILES + FILES_OF_SERVER * MOST_SERVERS)?;
    let (files, _) = getrlimit(Resource::RLIMIT_NOFILE)?;
    place.servers = (files.saturating_sub(OWN_FILES) / FILES_OF_SERVER).max(1);
    if *limit_memory {
        limit(Resource::RLIMIT_AS, limits.memory.max(LEAST_MEMORY))?;
    }
    let mut others = 0;
    if geteuid().is_root() && (!namespaces || real_root()) {
        become_nobody(place, setup.number)?;
    } else if namespaces {
        // Enter a second user namespace, in which we are not root: what is executed from here on
        // has no rights over the mounts of the first one.
        unshare(CloneFlags::CLONE_NEWUSER)?;
        map_user("1000", 0, 0)?;
    } else {
        others = processes_of(geteuid());
    }
    place.processes = others + 1 + u64::from(limits.processes);
    limit(Resource::RLIMIT_NPROC, place.processes + place.servers)?;
    umask(Mode::from_bits_truncate(0o022));
    personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
    prctl::set_no_new_privs()?;
    // The programs, which run as the same user, must not trace the sandbox.
    prctl::set_dumpable(false)?;
    if namespaces {
        prctl::set_pdeathsig(Signal::SIGKILL)?;
    } else {
        prctl::set_child_subreaper(true)?;
        seccomp().map_err(io::Error::other)?;
    }
    Ok(())
}

/// Takes on a user id that nobody has. In a container the high ones may not exist.
fn become_nobody(place: &Confinement, number: u32) -> nix::Result<()> {
    let mut result = Ok(());
    for id in [FREE_USERS + number, 20_000 + number % 40_000] {
        let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
        let chowned = place.scratch().map(|path| chown(path, Some(user), Some(group)));
        result = chowned.into_iter().collect::<nix::Result<()>>();
        if result.is_ok() {
            setgroups(&[])?;
            setresgid(group, group, group)?;
            return setresuid(user, user, user);
        }
    }
    result
}

fn map_user(inside: &str, user: u32, group: u32) -> nix::Result<()> {
    let write = |file: &str, text: String| {
        fs::write(format!("/proc/self/{file}"), text)
            .map_err(|error| nix::Error::from_raw(error.raw_os_error().unwrap_or(nix::libc::EPERM)))
    };
    write("setgroups", "deny".to_owned())?;
    write("uid_map", format!("{inside} {user} 1"))?;
    write("gid_map", format!("{inside} {group} 1"))
}

/// Whether user 0 is the system's root, and not that of a user namespace of ours.
fn real_root() -> bool {
    fs::read_to_string("/proc/self/uid_map")
        .is_ok_and(|map| map.split_whitespace().last().is_some_and(|count| count != "1"))
}

fn processes_of(user: Uid) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let of_user = |entry: &fs::DirEntry| entry.metadata().is_ok_and(|m| m.uid() == user.as_raw());
    let threads =
        |entry: fs::DirEntry| fs::read_dir(entry.path().join("task")).map_or(0, Iterator::count);
    entries.filter(of_user).map(threads).sum::<usize>() as u64
}

/// Calls `start` with these limits in force; processes that it starts inherit them.
pub(super) fn with_limits<T>(
    limits: &[(Resource, u64)],
    start: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    let Some(((resource, most), others)) = limits.split_first() else { return start() };
    let (all, hard) = getrlimit(*resource)?;
    setrlimit(*resource, all.min(*most), hard)?;
    let started = with_limits(others, start);
    setrlimit(*resource, all, hard)?;
    started
}

fn limit(resource: Resource, most: u64) -> nix::Result<()> {
    child::limit(resource, most, most)
}

fn none() -> Option<&'static str> {
    None
}

fn tmpfs(at: &Path, options: &str) -> nix::Result<()> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), at, Some("tmpfs"), flags, Some(options))
}

fn bind(from: &Path, to: &Path) -> nix::Result<()> {
    mount(Some(from), to, none(), MsFlags::MS_BIND | MsFlags::MS_REC, none())
}

fn bind_system(name: &str, root: &Path) -> io::Result<()> {
    let source = Path::new("/").join(name);
    let Ok(metadata) = fs::symlink_metadata(&source) else { return Ok(()) };
    if metadata.is_symlink() {
        symlink(fs::read_link(&source)?, root.join(name))
    } else {
        fs::create_dir(root.join(name))?;
        Ok(bind(&source, &root.join(name))?)
    }
}

/// Remounts everything under `root` read-only. Flags of the original mounts are kept: in a user
/// namespace the kernel refuses to remount without them.
fn read_only(root: &Path) -> io::Result<()> {
    let table = fs::read_to_string("/proc/self/mountinfo")?;
    for line in table.lines() {
        let Some(point) = line.split(' ').nth(4) else { continue };
        let point = PathBuf::from(unescaped(point));
        // The kernel decides what may be written below /proc, and `map_user` has to write there.
        if !point.starts_with(root) || point.starts_with(root.join("proc")) {
            continue;
        }
        let mut flags = MsFlags::MS_REMOUNT | MsFlags::MS_BIND | MsFlags::MS_RDONLY;
        flags |= MsFlags::MS_NOSUID;
        let kept = [
            (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
            (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
            (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
            (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
            (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
        ];
        let current = statvfs(&point)?.flags();
        for (has, keep) in kept {
            if current.contains(has) {
                flags |= keep;
            }
        }
        mount(none(), &point, none(), flags, none())?;
    }
    Ok(())
}

/// Replaces escapes of `/proc/self/mountinfo` such as `\040`.
fn unescaped(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(byte.into());
                text.push_str(&part[3..]);
            }
            None => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

fn landlock(place: &Confinement) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let everything = AccessFs::from_all(ABI::V5);
    let reading = AccessFs::from_read(ABI::V5);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(everything)?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new("/")?, reading))?;
    for directory in place.scratch() {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(directory)?, everything))?;
    }
    for name in DEVICES {
        let device = PathFd::new(Path::new("/dev").join(name))?;
        rules = rules.add_rule(PathBeneath::new(device, AccessFs::from_file(ABI::V5)))?;
    }
    if rules.restrict_self()?.ruleset == RulesetStatus::NotEnforced {
        return Err("the kernel has no Landlock".into());
    }
    Ok(())
}

/// Denies what Landlock does not cover: sockets, access to other processes' memory, and io_uring,
/// which could do either without the filter noticing.
fn seccomp() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    use nix::libc;
    let numbers = [
        libc::SYS_socket,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_io_uring_setup,
        libc::SYS_bpf,
        libc::SYS_userfaultfd,
        libc::SYS_perf_event_open,
        libc::SYS_unshare,
        libc::SYS_setns,
    ];
    let mut rules = numbers.map(|number| (number, Vec::new())).to_vec();
    let new_user = u64::from(libc::CLONE_NEWUSER.unsigned_abs());
    let condition = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Qword,
        SeccompCmpOp::MaskedEq(new_user),
        new_user,
    )?;
    rules.push((libc::SYS_clone, vec![SeccompRule::new(vec![condition])?]));
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        std::env::consts::ARCH.try_into()?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_unescaped() {
        assert_eq!(unescaped(r"/a\040b\134c"), r"/a b\c");
        assert_eq!(unescaped(r"/plain\x"), r"/plain\x");
    }
}
