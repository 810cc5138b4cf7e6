//! The helper's side: it forks sandboxes. Each confines itself, then runs one program after the
//! other.
//!
//! In a process namespace a sandbox is process 1, which makes killing reliable. `kill(-1)` reaches
//! every other process of the namespace at once, whatever session or group it moved to, and none
//! can be forked meanwhile. Orphans become children of the sandbox. And when the sandbox ends, the
//! kernel kills what is left.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    env,
    ffi::OsString,
    fs::{self, File, Metadata},
    io::{self, Read},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::{
            ffi::{OsStrExt, OsStringExt},
            fs::{MetadataExt, PermissionsExt},
            process::{CommandExt, ExitStatusExt},
        },
    },
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use nix::{
    errno::Errno,
    poll::{PollFlags, ppoll},
    sys::{
        resource::Resource,
        signal::{Signal, kill, killpg},
        wait::{WaitPidFlag, WaitStatus, waitpid},
    },
    time::{clock_getcpuclockid, clock_gettime},
    unistd::{ForkResult, Pid, dup2_stdin, dup2_stdout, getpid},
};

use super::{
    confine::{self, Confinement, OPEN_FILES},
    fork_server::ForkServer,
    limits::Isolation,
    protocol::{Answer, Ready, Reply, Request, Setup, receive, send},
    streams::{Printed, Streams, waiting},
    zygote::{fork_process, take_over},
};
use crate::{
    replay::{outcome::Termination, settings::settings},
    subject::{FileState, changed_files, path_text},
};

/// A run that has not used up its processor time is stopped after this many times its limit in real
/// time. On a loaded machine, a run that is only slow must not look like one that does not end.
const WALL: u32 = 5;
/// The least time between two looks at the processor time, once it could be used up.
const TICK: Duration = Duration::from_millis(1);
/// The time between two reads while a run is printing: not every single byte need be read at once.
const PACE: Duration = Duration::from_micros(250);
/// Permission bits of the directory that a program starts in.
const START_MODE: u32 = 0o755;
/// The most files and directories that a run may leave, and the most bytes of their paths.
const MOST_FILES: usize = 10_000;
const LONGEST_PATH: usize = 2048;
/// The most time that it may take to kill everything that a program started.
const UNKILLABLE: Duration = Duration::from_secs(10);

/// Forks sandboxes until standard input ends.
pub(super) fn serve() -> io::Result<()> {
    // Files that the tool itself was started with must not be open in a patched program.
    close_fds::set_fds_cloexec(3, &[]);
    // Be killed first if the machine runs out of memory: runs under sanitizers have no limit.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let control = io::stdin().as_fd().try_clone_to_owned()?;
    while let Some((isolation, requests, answers)) = take_over(control.as_fd())? {
        // Wait for sandboxes that have ended.
        while waitpid(None, Some(WaitPidFlag::WNOHANG)).is_ok_and(|s| s != WaitStatus::StillAlive) {
        }
        // If the fork fails, the tool sees that its answers have ended.
        if fork_process().is_ok_and(|fork| fork.is_child()) {
            drop(control);
            dup2_stdin(requests)?;
            dup2_stdout(answers)?;
            return begin(isolation);
        }
    }
    Ok(())
}

/// Makes this process a sandbox.
fn begin(isolation: Isolation) -> io::Result<()> {
    if isolation == Isolation::Landlock {
        return inside(isolation);
    }
    match confine::enter_namespaces() {
        // The process namespace begins with the next process.
        Ok(()) => match fork_process()? {
            ForkResult::Child => inside(isolation),
            ForkResult::Parent { child } => Ok(waitpid(child, None).map(drop)?),
        },
        Err(error) => {
            // Read the set-up first, so that the tool can finish writing it.
            receive::<Setup>(&mut io::stdin())?;
            greet(&Err(format!("namespaces: {error}"))).map(drop)
        }
    }
}

/// Tells the tool whether it can send requests. Returns where answers are written to.
fn greet(ready: &Ready) -> io::Result<File> {
    let mut answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    send(&mut answers, ready)?;
    Ok(answers)
}

fn inside(isolation: Isolation) -> io::Result<()> {
    let mut requests = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let Some(setup) = receive::<Setup>(&mut requests)? else { return Ok(()) };
    let place = confined(&setup, isolation);
    let ready = place.as_ref().map(|_| isolation).map_err(|error| format!("{error:#}"));
    let mut answers = greet(&ready)?;
    let Ok(place) = place else { return Ok(()) };
    let client = requests.try_clone()?;
    let servers = Servers { alive: VecDeque::new(), unfit: BTreeSet::new() };
    let mut server = Server { setup, place, isolation, client, servers };
    while let Some(request) = receive::<Request>(&mut requests)? {
        let answer: Answer = server.run(&request).map_err(|error| format!("{error:#}"));
        send(&mut answers, &answer)?;
        if answer.is_err() {
            // Whatever is wrong with this sandbox, the next one starts afresh.
            break;
        }
    }
    Ok(())
}

fn confined(setup: &Setup, isolation: Isolation) -> anyhow::Result<Confinement> {
    use anyhow::Context;
    let namespaces = isolation == Isolation::Namespaces;
    let mut place = if namespaces {
        confine::enter_file_system(setup).context("cannot build the sandbox's file system")?
    } else {
        confine::restrict(setup).context("cannot restrict the file system")?
    };
    confine::give_up_rights(setup, &mut place, namespaces).context("cannot give up rights")?;
    env::set_current_dir(&place.work).context("cannot enter the scratch directory")?;
    Ok(place)
}

struct Server {
    setup: Setup,
    place: Confinement,
    isolation: Isolation,
    /// Where requests come from. It hangs up when the tool is gone.
    client: File,
    servers: Servers,
}

/// The fork servers of programs, at most one for each program.
struct Servers {
    /// The servers that run, the most recently used one first.
    alive: VecDeque<(Key, ForkServer)>,
    /// Programs and revisions whose runs wanted more than one process, or did not begin.
    unfit: BTreeSet<(usize, u32)>,
}

/// What all runs of a fork server have in common.
#[derive(Eq, PartialEq)]
struct Key {
    program: usize,
    args: Vec<Vec<u8>>,
    variables: BTreeMap<String, Vec<u8>>,
}

/// A run that ended or was stopped.
struct Ended {
    process: Pid,
    status: ExitStatus,
    stopped: Option<Termination>,
    printed: Printed,
}

impl Server {
    fn run(&mut self, request: &Request) -> io::Result<Reply> {
        self.lay_out(request)?;
        let served = match self.setup.serves
            && !self.servers.unfit.contains(&(request.program, request.revision))
        {
            true => self.run_served(request)?,
            false => None,
        };
        let ended = match served {
            Some(ended) => ended,
            None => {
                self.clean()?;
                self.lay_out(request)?;
                self.run_alone(request)?
            }
        };
        let (files, is_over) = self.files(request)?;
        let termination = match (ended.stopped, ended.status.signal(), ended.status.code()) {
            (Some(stopped), ..) => stopped,
            _ if is_over || ended.printed.is_over => Termination::OutputLimit,
            (None, Some(signal), _) => Termination::Signal(signal),
            // The kernel passes on only the low eight bits of an exit code.
            (None, None, code) => Termination::Exit(code.unwrap_or_default() as u8),
        };
        let reply = Reply {
            termination,
            stdout: ended.printed.stdout,
            stderr: ended.printed.stderr,
            files,
            outputs: self.read_capped(&self.place.io.join("outputs"))?,
            report: self.report(ended.process)?,
        };
        self.clean()?;
        Ok(reply)
    }

    /// Puts all files where the program and its runtime find them.
    fn lay_out(&self, request: &Request) -> io::Result<()> {
        let Confinement { work, io, .. } = &self.place;
        fs::write(io.join("stdin"), &request.stdin)?;
        fs::write(io.join("ktest"), &request.ktest)?;
        // Set the permissions that the engine assumes, whatever an earlier run changed.
        fs::set_permissions(work, fs::Permissions::from_mode(START_MODE))?;
        self.setup.files.iter().chain(&request.files).try_for_each(|file| file.put(work))
    }

    fn clean(&self) -> io::Result<()> {
        self.place.scratch().into_iter().try_for_each(empty)
    }

    /// Runs a program by forking its server. `None` if the server is gone, or cannot tell what the
    /// program does.
    fn run_served(&mut self, request: &Request) -> io::Result<Option<Ended>> {
        let key = Key {
            program: request.program,
            args: request.args.clone(),
            variables: request.variables.clone(),
        };
        let known = self.servers.alive.iter().position(|(other, _)| *other == key);
        let mut server = match known.and_then(|index| self.servers.alive.remove(index)) {
            Some((_, server)) => server,
            None => {
                self.servers.alive.retain(|(other, _)| other.program != request.program);
                self.servers.alive.truncate(self.place.servers as usize - 1);
                let mut command = self.command(request)?;
                command.env("PSYCHIC_SERVE", self.place.io.join("stdin"));
                ForkServer::start(command, OPEN_FILES, self.setup.limits.time * WALL)?
            }
        };
        server.streams.keep(request.output);
        let run = match server.begin(request.revision) {
            Ok(run) => run,
            Err(error) => {
                // A server that does not answer in time will not do so the next time. If it is
                // gone, nobody knows what became of the run.
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) {
                    self.servers.unfit.insert((request.program, request.revision));
                }
                return Ok(None);
            }
        };
        let (streams, ended) = server.watching();
        let stopped = self.watch(streams, ended, run, request.time)?;
        let Ok(status) = server.end(stopped.is_some(), run) else { return Ok(None) };
        server.streams.read_ready()?;
        let printed = server.streams.take()?;
        let status = ExitStatus::from_raw(status);
        if status.signal() == Some(Signal::SIGSYS as i32) {
            self.servers.unfit.insert((request.program, request.revision));
            return Ok(None);
        }
        if server.streams.are_open() {
            self.servers.alive.push_front((key, server));
        }
        Ok(Some(Ended { process: run, status, stopped, printed }))
    }

    /// Runs a program in a process of its own, and kills whatever it leaves behind. This kills all
    /// fork servers, too.
    fn run_alone(&mut self, request: &Request) -> io::Result<Ended> {
        self.servers.alive.clear();
        let mut command = self.command(request)?;
        command.stdin(File::open(self.place.io.join("stdin"))?).process_group(0);
        let limits =
            [(Resource::RLIMIT_NPROC, self.place.processes), (Resource::RLIMIT_NOFILE, OPEN_FILES)];
        let mut child = confine::with_limits(&limits, || command.spawn())?;
        let process = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        let raw = rustix::process::Pid::from_raw(process.as_raw());
        let raw = raw.ok_or(io::ErrorKind::NotFound)?;
        let mut streams = Streams::new(&mut child)?;
        streams.keep(request.output);
        let ended = rustix::process::pidfd_open(raw, rustix::process::PidfdFlags::empty())?;
        let watched = self.watch(&mut streams, ended.as_fd(), process, request.time);
        self.kill_all(process)?;
        let status = child.wait()?;
        let stopped = watched?;
        self.reap()?;
        streams.drain()?;
        Ok(Ended { process, status, stopped, printed: streams.take()? })
    }

    fn command(&self, request: &Request) -> io::Result<Command> {
        let program = self.place.programs.get(request.program);
        let mut command = Command::new(program.ok_or(io::ErrorKind::InvalidInput)?);
        let word = |bytes: &Vec<u8>| OsString::from_vec(bytes.clone());
        if let Some((name, args)) = request.args.split_first() {
            command.arg0(word(name)).args(args.iter().map(word));
        }
        let Confinement { io, .. } = &self.place;
        let report = format!("log_path={}", io.join("report").display());
        // `log_path` keeps reports out of what the program prints. A symbolizer would have to run
        // in here, and finding the file of each frame takes longer than most runs.
        let sanitizer = format!(
            "{report}:exitcode=99:symbolize=0:stack_trace_format='#%n %p':detect_leaks=0:\
             abort_on_error=0:allocator_may_return_null=1:print_summary=0:check_printf=1"
        );
        // As in a plain build, memory that was never written is zero. An access some way beyond an
        // object must not hit another object, hence the large redzone.
        let address =
            format!("{sanitizer}:malloc_fill_byte=0:max_malloc_fill_size=268435456:redzone=512");
        command
            .env_clear()
            .envs(settings(request.revision, &io.join("ktest"), &request.variables, &request.times))
            .env("PSYCHIC_OUTPUTS", io.join("outputs"))
            .env("ASAN_OPTIONS", &address)
            .env("UBSAN_OPTIONS", &sanitizer)
            .env("MSAN_OPTIONS", &sanitizer)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        Ok(command)
    }

    /// Reads what a run prints until it ends or has to be stopped, and returns why it was stopped.
    /// `ended` can be read from when the run has ended.
    fn watch(
        &self,
        streams: &mut Streams,
        ended: BorrowedFd,
        process: Pid,
        time: Duration,
    ) -> io::Result<Option<Termination>> {
        let start = Instant::now();
        let mut left = time;
        let mut prints = false;
        loop {
            // If it is interrupted, it waits a little longer at most.
            let mut fds = vec![waiting(ended), waiting(self.client.as_fd())];
            // The next request cannot have come yet: only a hang-up, the end of the tool, matters.
            fds[1].set_events(PollFlags::empty());
            if !prints {
                streams.waiting(&mut fds);
            }
            let wait = if prints { left.min(PACE) } else { left };
            match ppoll(&mut fds, Some(wait.into()), None) {
                Err(Errno::EINTR) => continue,
                other => other?,
            };
            let has = |index: usize| fds[index].any().unwrap_or(false);
            let (is_ended, is_orphaned) = (has(0), has(1));
            drop(fds);
            if is_orphaned {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if is_ended {
                return Ok(None);
            }
            prints = streams.read_ready()?;
            if streams.is_over() {
                return Ok(Some(Termination::OutputLimit));
            }
            let elapsed = start.elapsed();
            left = time.saturating_sub(elapsed);
            if left.is_zero() {
                left = time.saturating_sub(processor_time(process));
                if elapsed >= time * WALL || left.is_zero() {
                    return Ok(Some(Termination::Timeout));
                }
            }
            left = left.max(TICK);
        }
    }

    fn kill_all(&self, group: Pid) -> io::Result<()> {
        let killed = match self.isolation {
            Isolation::Namespaces => kill(Pid::from_raw(-1), Signal::SIGKILL),
            Isolation::Landlock => killpg(group, Signal::SIGKILL),
        };
        match killed {
            // No process is left.
            Err(Errno::ESRCH) | Ok(()) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits for every process that the program left behind. In a process namespace they are dying
    /// already. Elsewhere it searches for them and kills them until none is left; orphans become
    /// children of this process.
    fn reap(&self) -> io::Result<()> {
        let start = Instant::now();
        loop {
            match waitpid(Pid::from_raw(-1), Some(WaitPidFlag::WNOHANG)) {
                Err(Errno::ECHILD) => return Ok(()),
                Ok(WaitStatus::StillAlive) => {}
                // nix has no names for real-time signals.
                Ok(_) | Err(Errno::EINTR | Errno::EINVAL) => continue,
                Err(error) => return Err(error.into()),
            }
            if self.isolation == Isolation::Landlock {
                for pid in descendants() {
                    let _ = kill(pid, Signal::SIGKILL);
                }
            }
            if start.elapsed() > UNKILLABLE {
                return Err(io::Error::other("processes of a patch could not be killed"));
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    /// The files that the program left or changed, and whether there are more of them, or more
    /// bytes in them, than allowed.
    fn files(&self, request: &Request) -> io::Result<(BTreeMap<String, FileState>, bool)> {
        let given = self.setup.files.iter().chain(&request.files);
        let mut start: BTreeMap<_, _> =
            given.map(|file| (path_text(file.path.as_bytes()), file.content.state())).collect();
        start.insert(".".into(), FileState::Directory { permissions: START_MODE });
        let mut found: BTreeMap<String, FileState> = BTreeMap::new();
        let mut first = BTreeMap::new();
        let mut room = self.setup.limits.files;
        let text = |left: &Left| match left.path.strip_prefix(&self.place.work) {
            Ok(path) if path.as_os_str().is_empty() => ".".into(),
            path => path_text(path.unwrap_or(&left.path).as_os_str().as_bytes()),
        };
        let Some(all) = walk(&self.place.work)? else { return Ok((found, true)) };
        let all: BTreeMap<String, Left> = all.into_iter().map(|left| (text(&left), left)).collect();
        for (name, Left { path, metadata }) in all {
            let permissions = metadata.permissions().mode() & 0o7777;
            let state = if metadata.is_dir() {
                FileState::Directory { permissions }
            } else if let Some(name) = first.get(&metadata.ino()) {
                FileState::HardLink(String::clone(name))
            } else if metadata.is_symlink() {
                FileState::Link(fs::read_link(&path)?.into_os_string().into_vec())
            } else if metadata.is_file() {
                if metadata.len() > room {
                    return Ok((found, true));
                }
                room -= metadata.len();
                FileState::Regular { permissions, bytes: self.read_capped(&path)? }
            } else {
                continue;
            };
            first.entry(metadata.ino()).or_insert_with(|| name.clone());
            found.insert(name, state);
        }
        Ok((changed_files(start, found), false))
    }

    /// The content of a file that a program left, whatever its permissions; empty if there is none.
    fn read_capped(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Read neither through a link to elsewhere nor from a pipe that nobody writes to.
        if !fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(Vec::new());
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        let mut bytes = Vec::new();
        File::open(path)?.take(self.setup.limits.files).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The sanitizer's report about the program itself, or else about a process that it started.
    fn report(&self, process: Pid) -> io::Result<String> {
        let mut reports = Vec::new();
        for entry in fs::read_dir(&self.place.io)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if let Some(of) = name.strip_prefix("report.") {
                reports.push((of != process.to_string(), name));
            }
        }
        reports.sort();
        let Some((_, name)) = reports.first() else { return Ok(String::new()) };
        let bytes = self.read_capped(&self.place.io.join(name))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// An entry of the file system after a run.
struct Left {
    path: PathBuf,
    metadata: Metadata,
}

/// A directory and everything below it, each directory before its contents; `None` if there is more
/// than a run may leave. Directories that a program locked are opened again, but reported with the
/// permissions that they had.
fn walk(directory: &Path) -> io::Result<Option<Vec<Left>>> {
    let metadata = fs::symlink_metadata(directory)?;
    let longest = directory.as_os_str().len() + LONGEST_PATH;
    let mut found = vec![Left { path: directory.to_owned(), metadata }];
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700))?;
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            if found.len() > MOST_FILES || entry.path().as_os_str().len() > longest {
                return Ok(None);
            }
            let metadata = entry.metadata()?;
            if metadata.is_dir() {
                directories.push(entry.path());
            }
            found.push(Left { path: entry.path(), metadata });
        }
    }
    Ok(Some(found))
}

/// Removes everything in a directory. An inner directory is removed after its contents were moved
/// up, so that no path gets too long, however deep a program has nested them.
fn empty(directory: &Path) -> io::Result<()> {
    let open = |directory: &Path| {
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700))?;
        fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()
    };
    let mut moved = 0u64;
    loop {
        let mut directories = Vec::new();
        for entry in open(directory)? {
            if entry.file_type()?.is_dir() {
                directories.push(entry.path());
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        if directories.is_empty() {
            return Ok(());
        }
        for inner in directories {
            for entry in open(&inner)? {
                if !entry.file_type()?.is_dir() {
                    fs::remove_file(entry.path())?;
                    continue;
                }
                // To be moved, a directory has to be writable itself.
                fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700))?;
                let mut names =
                    (moved..).map(|number| (number, directory.join(number.to_string())));
                let free = names.find(|(_, name)| fs::symlink_metadata(name).is_err());
                let (number, name) = free.ok_or(io::ErrorKind::AlreadyExists)?;
                moved = number + 1;
                fs::rename(entry.path(), name)?;
            }
            fs::remove_dir(inner)?;
        }
    }
}

/// The processor time that a process has used; zero if it is gone.
fn processor_time(pid: Pid) -> Duration {
    let spent = clock_getcpuclockid(pid).and_then(clock_gettime);
    spent.map_or(Duration::ZERO, Duration::from)
}

/// All descendants of this process.
fn descendants() -> Vec<Pid> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        if let Some(parent) = fields.split(' ').nth(1).and_then(|p| p.parse::<i32>().ok()) {
            parents.insert(pid, parent);
        }
    }
    let me = getpid().as_raw();
    let is_mine = |pid: i32| {
        let up = std::iter::successors(Some(pid), |pid| parents.get(pid).copied());
        up.skip(1).take(parents.len()).any(|pid| pid == me)
    };
    parents.keys().filter(|pid| is_mine(**pid)).map(|pid| Pid::from_raw(*pid)).collect()
}
