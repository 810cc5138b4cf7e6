//! Runs tests on the native binaries.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use rayon::prelude::*;

use super::{
    finding::{Finding, FindingKind},
    ktest::{KtestError, TestInput},
    outcome::{Outcome, Termination, parse_outputs},
    sandbox::{Isolation, Limits, Reply, Request, Sandbox, SandboxError, Zygote},
};
use crate::{
    errors::{Error, Sanitizer},
    subject::{Given, GivenFile, Revision, RevisionSet, config::Uninitialised},
};

/// A sanitized program runs about two to three times as long.
const SANITIZED_TIME: u32 = 3;

/// What runs as each revision.
#[derive(Clone, Debug, Default)]
pub enum Builds {
    /// Nothing was built.
    #[default]
    None,
    /// One program, which is told the revision.
    One(PathBuf),
    /// A program for each revision; that of several may be one, which is told the revision.
    Each(Arc<BTreeMap<Revision, PathBuf>>),
}

impl Builds {
    /// The programs, each once.
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

    /// Those of some revisions.
    pub fn of(&self, revisions: &RevisionSet) -> Self {
        match self {
            Self::Each(programs) => {
                let some = programs.iter().filter(|(revision, _)| revisions.contains(**revision));
                Self::Each(Arc::new(some.map(|(r, path)| (*r, path.clone())).collect()))
            }
            all => all.clone(),
        }
    }

    /// Others in the place of these.
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

    fn program(&self, revision: Revision) -> Option<&Path> {
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
    /// Whether they have the fork server of our runtime for programs with the system's libc
    /// (`compile/runtime/server.c`): each run is a fork then.
    pub serves: bool,
    /// Files in the directory that it starts in.
    pub files: Arc<[GivenFile]>,
    /// Environment variables: names and values, if not those of the test.
    pub variables: Arc<[(String, Option<Vec<u8>>)]>,
    /// What becomes of a use of memory that was never written.
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
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The test cannot be written for the program to read.
    #[error(transparent)]
    Test(#[from] KtestError),
    /// There is no such build.
    #[error("the program has not been built with this sanitizer: {0:?}")]
    NotBuilt(Sanitizer),
}

/// What a single run may use.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    /// Processor time.
    pub time: Duration,
    /// Bytes of each of stdout and stderr, at most [`Limits::output`].
    pub output: u64,
}

impl From<Limits> for Within {
    fn from(limits: Limits) -> Self {
        Self { time: limits.time, output: limits.output }
    }
}

/// What sanitizers found in runs of one test, joined to one outcome.
///
/// Where one found an error that ends the program, the outcome is that of its run (what was
/// printed up to the error, and the finding), of two such runs the one that got less far. Else it
/// is that of the plain run, and the uses of what was never written are noted there, if the
/// program is one that goes on after them.
#[derive(Debug)]
pub struct Watched {
    uninitialised: Uninitialised,
    ended: Option<Outcome>,
    /// A run in which AddressSanitizer found nothing.
    clean: Option<Outcome>,
    noted: BTreeSet<Error>,
}

impl Watched {
    /// Nothing was found yet.
    pub fn new(uninitialised: Uninitialised) -> Self {
        Self { uninitialised, ended: None, clean: None, noted: BTreeSet::new() }
    }

    /// Adds what a run under that sanitizer showed.
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

    /// The outcome; `plain` is run if it is needed.
    ///
    /// # Errors
    /// Those of the plain run.
    pub fn outcome<E>(self, plain: impl FnOnce() -> Result<Outcome, E>) -> Result<Outcome, E> {
        let outcome = match self.ended {
            // Where the processor came to is another place in another build.
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

/// Runs tests on the revisions of one program, in sandboxes that it keeps for the next run.
/// Any number of threads may use it at the same time; each has a sandbox of its own.
#[derive(Debug)]
pub struct Replayer {
    binaries: Binaries,
    limits: Limits,
    isolation: Isolation,
    zygote: Arc<Zygote>,
    plain: Pool,
    sanitized: Pool,
}

/// Programs that share sandboxes: those under a sanitizer need room for its shadow.
#[derive(Debug)]
struct Pool {
    /// Each with its position in a sandbox's set-up.
    programs: BTreeMap<PathBuf, usize>,
    /// Sandboxes that nobody uses.
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
    /// Starts a first sandbox, so that a system which allows none is noticed here.
    ///
    /// # Errors
    /// [`ReplayError::Sandbox`] if programs cannot be confined on this system.
    pub fn new(binaries: Binaries, limits: Limits) -> Result<Self, ReplayError> {
        Self::with_isolation(binaries, limits, Isolation::Namespaces)
    }

    /// The same, with at most this kind of isolation.
    ///
    /// # Errors
    /// As [`Replayer::new`].
    pub fn with_isolation(
        binaries: Binaries,
        limits: Limits,
        strongest: Isolation,
    ) -> Result<Self, ReplayError> {
        let mut replayer = Self::idle(binaries, limits, strongest, Arc::default());
        let first = replayer.start(Sanitizer::None)?;
        replayer.isolation = first.isolation();
        replayer.plain.idle().push(first);
        Ok(replayer)
    }

    /// Another one for other builds, with the same limits and isolation.
    pub fn beside(&self, binaries: Binaries) -> Self {
        Self::idle(binaries, self.limits, self.isolation, self.zygote.clone())
    }

    /// Without a sandbox yet.
    fn idle(binaries: Binaries, limits: Limits, isolation: Isolation, zygote: Arc<Zygote>) -> Self {
        let plain = Pool::of(&[&binaries.plain]);
        let sanitized = Pool::of(&[&binaries.address_undefined, &binaries.memory]);
        Self { binaries, limits, isolation, zygote, plain, sanitized }
    }

    /// By what means programs are confined here; anything but [`Isolation::Namespaces`] is
    /// worth telling the user once.
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

    /// The same, with other limits.
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
            // A program can spoil its sandbox for the next one; a second time it is to blame.
            Err(_) => {
                sandbox = self.start(sanitizer)?;
                sandbox.run(&request)?
            }
        };
        self.pool(sanitizer).idle().push(sandbox);
        Ok(outcome(reply, sanitizer))
    }

    /// The outcomes of several revisions on one test, in the order given, run in parallel.
    ///
    /// With `sanitize` every build there is runs, and what they find is joined by [`Watched`].
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

    /// The outcome of one revision, as [`Replayer::outcomes`] has it.
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
        let variables = self.binaries.variables.iter().filter_map(|(name, known)| {
            let value = known.as_deref().or_else(|| test.variable(name))?;
            Some((name.clone(), value.to_vec()))
        });
        let files = test.files().map(|(name, bytes)| GivenFile {
            path: name.to_owned(),
            content: Given::Regular { bytes: bytes.to_vec(), executable: false },
        });
        Ok(Request {
            program,
            args,
            revision: revision.0,
            variables: variables.collect(),
            stdin: test.stdin.clone().unwrap_or_default(),
            ktest: test.to_bytes()?,
            files: files.collect(),
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

/// A sanitizer that catches a deadly signal says so on stderr before it writes its report.
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
