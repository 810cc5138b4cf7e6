//! `psychic campaign --slurm`, over a cluster of one machine that each test has for itself. Where
//! Slurm cannot be started, the tests say so, past cargo's capture of what tests print.

use std::{
    fs,
    io::{BufReader, Write as _},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use assert_cmd::Command as Tested;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use psychic::{
    campaign::CampaignRow,
    results::{Ended, SummaryRow},
};
use tempfile::TempDir;

use crate::support::{CONFIG, Scratch, kept, psychic, refused, run, table, wait_for};

/// How often something is looked for, and how many times.
const TICK: Duration = Duration::from_millis(200);
const TRIES: u32 = 300;

/// A cluster of this machine alone. Its jobs and daemons end when it is dropped.
struct Cluster {
    directory: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// Starts a cluster. If that is impossible here, says why on standard error.
    fn start() -> Option<Self> {
        let directory = TempDir::new().expect("a temporary directory");
        let mut cluster = Self { directory, daemons: Vec::new() };
        let Err(why) = cluster.begin() else { return Some(cluster) };
        let text = format!(
            "\nSKIPPED: psychic campaign --slurm is not tested, as {why}; scripts/slurm.sh installs \
             Slurm on Debian\n"
        );
        // Unlike what `eprintln!` prints, this is shown although the test passes.
        std::io::stderr().write_all(text.as_bytes()).expect("written");
        None
    }

    fn begin(&mut self) -> Result<(), String> {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("readable");
        let user = Command::new("id").arg("-un").output().expect("id runs").stdout;
        let directory = self.path("").display().to_string();
        // Both are open at once, so that they differ.
        let ports = [0, 1].map(|_| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let [control, node] = ports.map(|port| port.local_addr().expect("bound").port());
        let configuration = include_str!("programs/slurm.conf")
            .replace("DIRECTORY", directory.trim_end_matches('/'))
            .replace("HOST", host.trim().split('.').next().unwrap_or_default())
            .replace("USER", String::from_utf8_lossy(&user).trim())
            .replace("CONTROL_PORT", &control.to_string())
            .replace("NODE_PORT", &node.to_string());
        fs::write(self.path("slurm.conf"), configuration).expect("written");
        fs::write(self.path("munge.key"), [7; 1024]).expect("written");
        let private = fs::Permissions::from_mode(0o600);
        fs::set_permissions(self.path("munge.key"), private).expect("set");
        for name in ["state", "spool"] {
            fs::create_dir(self.path(name)).expect("made");
        }
        let mut munged = Command::new("munged");
        munged.args(["--foreground", "--force"]);
        for (option, file) in [
            ("socket", "munge.socket"),
            ("key-file", "munge.key"),
            ("pid-file", "munge.pid"),
            ("log-file", "munge.log"),
            ("seed-file", "munge.seed"),
        ] {
            munged.arg(format!("--{option}={}", self.path(file).display()));
        }
        self.daemon(munged)?;
        self.until("munged does not start", |cluster| cluster.path("munge.socket").exists())?;
        for program in ["slurmctld", "slurmd"] {
            let mut daemon = Command::new(program);
            daemon.arg("-D");
            self.daemon(daemon)?;
        }
        self.until("Slurm does not start", |cluster| {
            cluster.say("sinfo", &["--noheader", "--format=%T"]).trim() == "idle"
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn daemon(&mut self, mut command: Command) -> Result<(), String> {
        let program = command.get_program().display().to_string();
        let log = fs::File::create(self.path(&format!("{program}.said"))).expect("made");
        let command = command.env("SLURM_CONF", self.path("slurm.conf"));
        let command = command.stdin(Stdio::null()).stdout(log.try_clone().expect("a file"));
        let started = command.stderr(log).spawn();
        self.daemons.push(started.map_err(|error| format!("{program}: {error}"))?);
        Ok(())
    }

    /// Waits until something is so. If it does not become so, says `what`, and the daemons' last words.
    fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> Result<(), String> {
        for _ in 0..TRIES {
            if is_so(self) {
                return Ok(());
            }
            if self.daemons.iter_mut().any(|daemon| daemon.try_wait().is_ok_and(|e| e.is_some())) {
                break;
            }
            thread::sleep(TICK);
        }
        let said = ["munged", "slurmctld", "slurmd"].map(|program| {
            let said = fs::read_to_string(self.path(&format!("{program}.said")));
            said.unwrap_or_default().lines().last().unwrap_or_default().to_owned()
        });
        Err(format!("{what} ({})", said.join("; ")))
    }

    /// What a command of Slurm prints.
    fn say(&self, program: &str, words: &[&str]) -> String {
        let mut command = Command::new(program);
        let command = command.args(words).env("SLURM_CONF", self.path("slurm.conf"));
        let output = command.output().map(|output| output.stdout).unwrap_or_default();
        String::from_utf8(output).expect("UTF-8")
    }

    /// The states of what is in the queue.
    fn queue(&self) -> Vec<String> {
        let said = self.say("squeue", &["--array", "--noheader", "--format=%T"]);
        said.lines().map(str::to_owned).collect()
    }

    /// `psychic campaign --slurm SUBJECTS --out OUT`.
    fn campaign(&self, subjects: &[PathBuf], out: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_psychic"));
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command.env("SLURM_CONF", self.path("slurm.conf"));
        command.args(["campaign", "--slurm", "--out"]).arg(out).args(subjects);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.daemons.len() == 3 && !self.queue().is_empty() {
            self.say("scancel", &["--partition=all"]);
            // The test may be failing already: another panic would hide why.
            (0..TRIES).take_while(|_| !self.queue().is_empty()).for_each(|_| thread::sleep(TICK));
        }
        for daemon in self.daemons.iter_mut().rev() {
            _ = kill(Pid::from_raw(daemon.id() as i32), Signal::SIGTERM);
            let ended = |_: &u32| !daemon.try_wait().is_ok_and(|ended| ended.is_some());
            (0..TRIES).take_while(ended).for_each(|_| thread::sleep(TICK));
            _ = daemon.kill();
            _ = daemon.wait();
        }
    }
}

/// The rows of a campaign without what differs from run to run.
fn rows(place: &Path) -> Vec<CampaignRow> {
    let mut rows: Vec<CampaignRow> = table(place);
    for row in &mut rows {
        row.summary = row.summary.take().map(|row| SummaryRow { seconds: 0.0, peak_mb: 0, ..row });
    }
    rows
}

#[test]
fn a_job_array_finds_what_a_local_run_finds() {
    let Some(cluster) = Cluster::start() else { return };
    let scratch = Scratch::new().file("bad/subject.toml", CONFIG).file("bad/a.c", "int ;;x(\n");
    let subjects = [kept("expression"), kept("switch"), scratch.path("bad")];
    let (here, there) = (scratch.path("here"), scratch.path("there"));
    let mut local = psychic();
    let local = run(local.arg("campaign").args(&subjects).arg("--out").arg(&here));
    let slurm = || run(Tested::from_std(cluster.campaign(&subjects, &there)).args(["--jobs", "2"]));
    let first = slurm();
    assert!(first.stderr.contains("3 subjects submitted as Slurm job arrays"), "{}", first.stderr);
    assert_eq!((local.code, first.code), (Some(1), Some(1)), "{}{}", local.stdout, first.stdout);
    assert_eq!(rows(&there), rows(&here));
    assert!(rows(&there)[0].summary.as_ref().is_some_and(|summary| summary.distinguished > 0));
    assert_eq!(rows(&there)[2].ended, Ended::Failed);
    for file in ["campaign.html", "cactus.svg", "subjects/switch/report.html", "logs/bad.log"] {
        assert!(there.join(file).is_file(), "{file}");
    }
    // Only what failed runs again, and nothing is left of the jobs.
    let second = slurm();
    let is_known = |name: &str| {
        second.stderr.lines().any(|line| line.contains(name) && line.ends_with("(known)"))
    };
    assert!(is_known("expression") && is_known("switch"), "{}", second.stderr);
    assert!(second.stderr.contains("1 subject submitted"), "{}", second.stderr);
    assert!(!there.join("slurm").exists() && cluster.queue().is_empty());
    let mut wrong = Tested::from_std(cluster.campaign(&subjects, &there));
    let wrong = refused(wrong.arg("--sbatch-option=--partition=nowhere"));
    assert!(wrong.contains("sbatch: ") && wrong.contains("nowhere"), "{wrong}");
}

/// Two subjects with more paths than can be followed.
fn endless() -> Scratch {
    let mut scratch = Scratch::new();
    for name in ["bugs/one", "bugs/two"] {
        scratch = scratch
            .file(&format!("{name}/a.c"), include_str!("programs/endless.c"))
            .file(&format!("{name}/subject.toml"), CONFIG)
            .file(
                &format!("{name}/1.diff"),
                "--- a.c\n+++ a.c\n@@ -6 +6 @@\n-\t\t\tn += i;\n+\t\t\tn = i + n;\n",
            );
    }
    scratch
}

/// A campaign that waits for its job array.
struct Waiting {
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Waiting {
    fn start(mut command: Command) -> Self {
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("psychic runs");
        let stderr = BufReader::new(child.stderr.take().expect("piped"));
        Self { child, stderr }
    }

    /// Waits for a line that contains this text.
    fn until(&mut self, text: &str) {
        wait_for(&mut self.stderr, text);
    }

    /// Sends a signal and waits for the end, of which it returns the exit code.
    fn end(mut self, signal: Signal) -> Option<i32> {
        kill(Pid::from_raw(self.child.id() as i32), signal).expect("it runs");
        self.child.wait().expect("it ends").code()
    }
}

#[test]
fn an_interrupt_cancels_the_array_and_keeps_what_was_found() {
    let Some(cluster) = Cluster::start() else { return };
    let scratch = endless();
    let out = scratch.out();
    let mut command = cluster.campaign(&[scratch.path("bugs")], &out);
    command.args(["--jobs", "1"]);
    let mut campaign = Waiting::start(command);
    campaign.until("running: one, 1 in the queue");
    assert_eq!(cluster.queue().iter().filter(|state| *state == "RUNNING").count(), 1);
    assert_eq!(campaign.end(Signal::SIGINT), Some(130));
    let rows = rows(&out);
    let found: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.ended)).collect();
    assert_eq!(found, [("one", Ended::Interrupted)]);
    assert!(out.join("campaign.html").is_file() && !out.join("slurm").exists());
    assert_eq!(cluster.queue(), Vec::<String>::new());
}

/// Nothing is left of a process that the kernel ends for its memory, or of a machine that goes down.
#[test]
fn a_task_that_leaves_no_row_says_where_to_look() {
    let Some(cluster) = Cluster::start() else { return };
    let scratch = endless();
    let out = scratch.out();
    let mut campaign = Waiting::start(cluster.campaign(&[scratch.path("bugs/one")], &out));
    campaign.until("running: one");
    cluster.say("scancel", &["--batch", "--signal=KILL", "--name=psychic", "--partition=all"]);
    campaign.until("one: failed: Slurm job ");
    assert_eq!(campaign.child.wait().expect("it ends").code(), Some(1));
    let row = rows(&out).remove(0);
    assert_eq!((row.ended, row.summary), (Ended::Failed, None));
    assert!(row.reason.contains("has left no result"), "{}", row.reason);
    let said = row.reason.rsplit_once('(').expect("a file").1.trim_end_matches(')').to_owned();
    assert!(Path::new(&said).is_file(), "{said}");
}

/// Two runs must not compare the same subjects at once.
#[test]
fn jobs_whose_campaign_was_killed_are_not_submitted_again() {
    let Some(mut cluster) = Cluster::start() else { return };
    let scratch = endless();
    let out = scratch.out();
    let subjects = [scratch.path("bugs/one")];
    let mut campaign = Waiting::start(cluster.campaign(&subjects, &out));
    campaign.until("running: one");
    campaign.end(Signal::SIGKILL);
    let again = refused(&mut Tested::from_std(cluster.campaign(&subjects, &out)));
    assert!(again.contains("still in Slurm's queue") && again.contains("scancel "), "{again}");
    cluster.say("scancel", &["--batch", "--signal=INT", "--name=psychic", "--partition=all"]);
    cluster.until("the job does not end", |cluster| cluster.queue().is_empty()).expect("ends");
    // Its results are not lost: the next run takes them up.
    let row: CampaignRow =
        psychic::results::read_table(&out.join("rows/one.csv")).expect("a row").remove(0);
    assert_eq!(row.ended, Ended::Interrupted);
}

#[test]
fn without_slurm_there_is_one_error() {
    let scratch = Scratch::new();
    let mut command = psychic();
    command.env("PATH", scratch.dir.path()).args(["campaign", "--slurm", "--out"]);
    let message = refused(command.arg(scratch.out()).arg(scratch.dir.path()));
    assert!(message.contains("sbatch is not installed here"), "{message}");
    assert!(!scratch.out().exists());
    let alone = refused(psychic().args(["campaign", "--sbatch-option=--mem=1G", "x"]));
    assert!(alone.contains("--slurm"), "{alone}");
}
