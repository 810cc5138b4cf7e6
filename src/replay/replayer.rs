//! Runs tests on native binaries.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rayon::prelude::*;
use tracing::debug;

use super::{
    finding::{Finding, FindingKind},
    ktest::{KtestError, TestInput},
    outcome::{Outcome, Termination, parse_outputs},
    sandbox::{Isolation, Reply, Request, RunLimits, Sandbox, SandboxError, Zygote},
};
use crate::{
    errors::{Error, Sanitizer},
    subject::{GivenFile, Revision, RevisionSet, Times, config::Uninitialised},
};

/// Factor for the time of runs under a sanitizer, which take about two to three times as long.
const SANITIZED_TIME: u32 = 3;

/// The programs that run as the revisions.
#[derive(Clone, Debug, Default)]
pub enum Builds {
    /// Nothing was built.
    #[default]
    None,
    /// One program for all revisions, which is told the revision.
    One(PathBuf),
    /// A program for each revision. Several may have the same one, which is told the revision.
    Each(Arc<BTreeMap<Revision, PathBuf>>),
}

impl Builds {
    /// The paths of all programs, each once.
    pub fn programs(&self) -> Vec<&Path> {
        let mut programs: Vec<&Path> = match self {
            Self::None => Vec::new(),
            Self::One(program) => vec![program],
            Self::Each(programs) => programs.values().map(PathBuf::as_path).collect(),
        };
        programs.sort_unstable();
        programs.dedup();
        programs
    }

    /// The programs of some revisions.
    pub fn of(&self, revisions: &RevisionSet) -> Self {
        match self {
            Self::Each(programs) => {
                let some = programs.iter().filter(|(revision, _)| revisions.contains(**revision));
                Self::Each(Arc::new(some.map(|(r, path)| (*r, path.clone())).collect()))
            }
            all => all.clone(),
        }
    }

    /// The same builds with another path for each program.
    pub fn map(&self, other: impl Fn(&Path) -> PathBuf) -> Self {
        match self {
            Self::None => Self::None,
            Self::One(program) => Self::One(other(program)),
            Self::Each(programs) => {
                let others = programs.iter().map(|(revision, path)| (*revision, other(path)));
                Self::Each(Arc::new(others.collect()))
            }
        }
    }

    /// The program that runs a revision.
    pub fn program(&self, revision: Revision) -> Option<&Path> {
        match self {
            Self::None => None,
            Self::One(program) => Some(program),
            Self::Each(programs) => programs.get(&revision).map(PathBuf::as_path),
        }
    }
}

/// The native builds of all revisions, and what they find when they start.
#[derive(Clone, Debug, Default)]
pub struct Binaries {
    /// Built with [`Sanitizer::None`].
    pub plain: Builds,
    /// Built with [`Sanitizer::AddressUndefined`].
    pub address_undefined: Builds,
    /// Built with [`Sanitizer::Memory`].
    pub memory: Builds,
    /// Whether they contain our runtime's fork server for programs with the system's libc
    /// (`compile/runtime/server.c`). Then each run is a fork.
    pub serves: bool,
    /// Files in the directory that a program starts in.
    pub files: Arc<[GivenFile]>,
    /// Environment variables and their values; `None` for values that the test gives.
    pub variables: Arc<[(String, Option<Vec<u8>>)]>,
    /// When they start, and how old their files are then, unless the test says it.
    pub times: Times,
    /// How uses of memory that was never written are treated.
    pub uninitialised: Uninitialised,
}

impl Binaries {
    fn of(&self, sanitizer: Sanitizer) -> &Builds {
        match sanitizer {
            Sanitizer::None => &self.plain,
            Sanitizer::AddressUndefined => &self.address_undefined,
            Sanitizer::Memory => &self.memory,
        }
    }
}

/// Why a test could not be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The sandbox failed.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The test cannot be written for the program to read.
    #[error(transparent)]
    Test(#[from] KtestError),
    /// The program was not built in this way.
    #[error("the program has not been built with this sanitizer: {0:?}")]
    NotBuilt(Sanitizer),
}

/// What a single run may use.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// Processor time; three times as much under a sanitizer.
    pub time: Duration,
    /// Bytes of each of stdout and stderr, at most [`RunLimits::output`].
    pub output: u64,
}

impl From<RunLimits> for Within {
    fn from(limits: RunLimits) -> Self {
        Self { time: limits.time, output: limits.output }
    }
}

/// Joins what sanitizers found in runs of one test into one outcome.
///
/// If a sanitizer found an error that ends the program, the outcome is that of its run: what was
/// printed up to the error, and the finding. Of two such runs, the one that got less far counts.
/// Otherwise the outcome is that of the plain run. Uses of memory that was never written are noted
/// in it, if the program is one that goes on after them.
#[derive(Debug)]
pub struct Watched {
    uninitialised: Uninitialised,
    ended: Option<Outcome>,
    /// The outcome of a run in which AddressSanitizer found nothing.
    clean: Option<Outcome>,
    noted: BTreeSet<Error>,
}

impl Watched {
    /// Starts without findings.
    pub fn new(uninitialised: Uninitialised) -> Self {
        Self { uninitialised, ended: None, clean: None, noted: BTreeSet::new() }
    }

    /// Adds the outcome of a run under a sanitizer.
    pub fn add(&mut self, sanitizer: Sanitizer, outcome: Outcome) {
        let progress = |outcome: &Outcome| outcome.stdout.len() + outcome.stderr.len();
        match outcome.finding.as_ref().map(|finding| finding.kind) {
            Some(FindingKind::Error(error @ Error::UninitialisedRead))
                if self.uninitialised != Uninitialised::Error =>
            {
                self.noted.insert(error);
            }
            Some(_) if self.ended.as_ref().is_none_or(|e| progress(&outcome) < progress(e)) => {
                self.ended = Some(outcome);
            }
            None if sanitizer == Sanitizer::AddressUndefined => self.clean = Some(outcome),
            _ => {}
        }
    }

    /// The joined outcome. `plain` is called if the plain run is needed.
    ///
    /// # Errors
    /// Those of the plain run.
    pub fn outcome<E>(self, plain: impl FnOnce() -> Result<Outcome, E>) -> Result<Outcome, E> {
        let outcome = match self.ended {
            // Another build may crash at another place.
            Some(outcome) if outcome.finding.as_ref().is_some_and(Finding::is_crash) => {
                let unsteady = matches!(plain()?.termination, Termination::Exit(_));
                return Ok(Outcome { noted: self.noted, unsteady, ..outcome });
            }
            Some(outcome) => outcome,
            None => plain()?,
        };
        let ends = |outcome: &Outcome| !outcome.termination.is_endless();
        let unsteady = outcome.finding.is_none()
            && self.clean.is_some_and(|clean| ends(&clean) && clean != outcome);
        Ok(Outcome { noted: self.noted, unsteady, ..outcome })
    }
}

/// Runs tests on the revisions of one program, in sandboxes that it keeps for later runs. Any
/// number of threads may use it at the same time; each has a sandbox of its own.
#[derive(Debug)]
pub struct Replayer {
    binaries: Binaries,
    limits: RunLimits,
    isolation: Isolation,
    zygote: Arc<Zygote>,
    plain: Pool,
    sanitized: Pool,
}

/// Programs that share sandboxes. Those under a sanitizer have their own, as they need room for its
/// shadow memory.
#[derive(Debug)]
struct Pool {
    /// The programs, each with its index in a sandbox's set-up.
    programs: BTreeMap<PathBuf, usize>,
    /// Sandboxes that are not in use.
    idle: Mutex<Vec<Sandbox>>,
}

impl Pool {
    fn of(builds: &[&Builds]) -> Self {
        let programs: BTreeSet<&Path> =
            builds.iter().flat_map(|builds| builds.programs()).collect();
        let numbered = programs.into_iter().enumerate();
        let programs = numbered.map(|(index, program)| (program.to_owned(), index)).collect();
        Self { programs, idle: Mutex::default() }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Sandbox>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Replayer {
    /// Creates a replayer and starts a first sandbox, so that a system which allows none is noticed
    /// here.
    ///
    /// # Errors
    /// [`ReplayError::Sandbox`] if programs cannot be confined on this system.
    pub fn new(binaries: Binaries, limits: RunLimits) -> Result<Self, ReplayError> {
        Self::with_isolation(binaries, limits, Isolation::Namespaces)
    }

    /// Creates a replayer as [`Replayer::new`] does, with at most this kind of isolation.
    ///
    /// # Errors
    /// As [`Replayer::new`].
    pub fn with_isolation(
        binaries: Binaries,
        limits: RunLimits,
        strongest: Isolation,
    ) -> Result<Self, ReplayError> {
        let mut replayer = Self::idle(binaries, limits, strongest, Arc::default());
        let first = replayer.start(Sanitizer::None)?;
        replayer.isolation = first.isolation();
        replayer.plain.idle().push(first);
        Ok(replayer)
    }

    /// Creates a replayer for other builds, with the limits and isolation of this one.
    pub fn beside(&self, binaries: Binaries) -> Self {
        Self::idle(binaries, self.limits, self.isolation, self.zygote.clone())
    }

    /// Creates a replayer without starting a sandbox.
    fn idle(
        binaries: Binaries,
        limits: RunLimits,
        isolation: Isolation,
        zygote: Arc<Zygote>,
    ) -> Self {
        let plain = Pool::of(&[&binaries.plain]);
        let sanitized = Pool::of(&[&binaries.address_undefined, &binaries.memory]);
        Self { binaries, limits, isolation, zygote, plain, sanitized }
    }

    /// How programs are confined here. The user should be told once if it is anything but
    /// [`Isolation::Namespaces`].
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Runs one revision on one test, under one of the builds.
    ///
    /// # Errors
    /// [`ReplayError::NotBuilt`] if there is no such build; [`ReplayError::Test`];
    /// [`ReplayError::Sandbox`].
    pub fn run(
        &self,
        test: &TestInput,
        revision: Revision,
        sanitizer: Sanitizer,
    ) -> Result<Outcome, ReplayError> {
        self.run_within(self.limits.into(), test, revision, sanitizer)
    }

    /// Runs one revision on one test as [`Replayer::run`] does, with other limits.
    ///
    /// # Errors
    /// As [`Replayer::run`].
    pub fn run_within(
        &self,
        within: Within,
        test: &TestInput,
        revision: Revision,
        sanitizer: Sanitizer,
    ) -> Result<Outcome, ReplayError> {
        let request = self.request(within, test, revision, sanitizer)?;
        let idle = self.pool(sanitizer).idle().pop();
        let mut sandbox = match idle {
            Some(sandbox) => sandbox,
            None => self.start(sanitizer)?,
        };
        let reply = match sandbox.run(&request) {
            Ok(reply) => reply,
            // A program can spoil its sandbox for the next one; if it fails a second time, this
            // program is to blame.
            Err(_) => {
                sandbox = self.start(sanitizer)?;
                sandbox.run(&request)?
            }
        };
        self.pool(sanitizer).idle().push(sandbox);
        Ok(outcome(reply, sanitizer))
    }

    /// Runs several revisions on one test in parallel, and returns their outcomes in the order
    /// given.
    ///
    /// With `sanitize` every existing build runs, and their findings are joined by [`Watched`].
    ///
    /// # Errors
    /// As [`Replayer::run`].
    pub fn outcomes(
        &self,
        test: &TestInput,
        revisions: &[Revision],
        sanitize: bool,
    ) -> Result<Vec<(Revision, Outcome)>, ReplayError> {
        let one = |revision: &Revision| {
            self.outcome(test, *revision, sanitize).map(|outcome| (*revision, outcome))
        };
        match revisions {
            [revision] => Ok(vec![one(revision)?]),
            _ => revisions.par_iter().map(one).collect(),
        }
    }

    /// Runs one revision on one test, with sanitizers as in [`Replayer::outcomes`].
    ///
    /// # Errors
    /// As [`Replayer::run`].
    pub fn outcome(
        &self,
        test: &TestInput,
        revision: Revision,
        sanitize: bool,
    ) -> Result<Outcome, ReplayError> {
        let mut watched = Watched::new(self.binaries.uninitialised);
        for sanitizer in [Sanitizer::AddressUndefined, Sanitizer::Memory] {
            if sanitize && self.binaries.of(sanitizer).program(revision).is_some() {
                watched.add(sanitizer, self.run(test, revision, sanitizer)?);
            }
        }
        watched.outcome(|| self.run(test, revision, Sanitizer::None))
    }

    fn request(
        &self,
        within: Within,
        test: &TestInput,
        revision: Revision,
        sanitizer: Sanitizer,
    ) -> Result<Request, ReplayError> {
        let wanted = self.binaries.of(sanitizer).program(revision);
        let program = wanted.and_then(|wanted| self.pool(sanitizer).programs.get(wanted));
        let program = *program.ok_or(ReplayError::NotBuilt(sanitizer))?;
        let args = test.command_line();
        if let Some(index) = args.iter().position(|arg| arg.contains(&0)) {
            return Err(KtestError::NulInArgument(index).into());
        }
        Ok(Request {
            program,
            args,
            revision: revision.0,
            variables: test.variables(&self.binaries.variables),
            times: self.binaries.times.with(|name| test.object(name)),
            stdin: test.stdin.clone().unwrap_or_default(),
            ktest: test.to_bytes()?,
            files: test.given_files(),
            time: match sanitizer {
                Sanitizer::None => within.time,
                _ => within.time * SANITIZED_TIME,
            },
            output: within.output.min(self.limits.output),
        })
    }

    fn start(&self, sanitizer: Sanitizer) -> Result<Sandbox, SandboxError> {
        let programs: Vec<&Path> =
            self.pool(sanitizer).programs.keys().map(PathBuf::as_path).collect();
        debug!(programs = programs.len(), ?sanitizer, isolation = ?self.isolation, "sandbox");
        Sandbox::start(
            &self.zygote,
            (&programs, self.binaries.serves),
            &self.binaries.files,
            self.limits,
            sanitizer == Sanitizer::None,
            self.isolation,
        )
    }

    fn pool(&self, sanitizer: Sanitizer) -> &Pool {
        match sanitizer {
            Sanitizer::None => &self.plain,
            _ => &self.sanitized,
        }
    }
}

fn outcome(reply: Reply, sanitizer: Sanitizer) -> Outcome {
    let finding = match sanitizer {
        Sanitizer::None => None,
        _ => Finding::parse(&reply.report),
    };
    let stderr = match finding {
        Some(_) => without_last_words(reply.stderr),
        None => reply.stderr,
    };
    Outcome {
        stdout: reply.stdout,
        stderr,
        termination: reply.termination,
        outputs: parse_outputs(&reply.outputs),
        files: reply.files,
        finding,
        noted: BTreeSet::new(),
        unsteady: false,
    }
}

/// Removes what a sanitizer that catches a deadly signal says on stderr before it writes its
/// report.
fn without_last_words(stderr: Vec<u8>) -> Vec<u8> {
    const WORDS: [&[u8]; 3] = [
        b"AddressSanitizer:DEADLYSIGNAL\n",
        b"MemorySanitizer:DEADLYSIGNAL\n",
        b"UndefinedBehaviorSanitizer:DEADLYSIGNAL\n",
    ];
    let end = WORDS
        .iter()
        .find_map(|words| stderr.strip_suffix(*words))
        .map_or(stderr.len(), <[u8]>::len);
    stderr[..end].to_vec()
}
