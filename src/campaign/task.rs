//! One subject of a campaign, compared by a process of its own, on this machine or another one.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};

use super::{
    directory::{CampaignDir, CampaignError},
    list::Member,
    row::CampaignRow,
};
use crate::{
    child,
    interrupt::Interrupt,
    results::{Ended, ResultsDir, ResultsError, SummaryRow, Table, write_table},
};

/// The exit codes of `psychic diff`: all pairs decided, some not, interrupted.
const DECIDED: i32 = 0;
const UNDECIDED: i32 = 1;
const INTERRUPTED: i32 = 130;

/// A subject to compare.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Task {
    pub(super) member: Member,
    /// What the comparison rests on.
    pub(super) inputs: String,
    /// Options of `psychic diff`.
    words: Vec<String>,
    /// Whether a run that was interrupted or killed is to be taken up.
    resume: bool,
    results: PathBuf,
    log: PathBuf,
    row: PathBuf,
}

/// News of tasks while they run. A number is a task's place among them.
#[derive(Debug)]
pub(super) enum Step {
    Begun(usize),
    Done(usize, Box<CampaignRow>),
    /// This number of tasks has not begun: the queue makes them wait, mostly for this reason.
    Waiting(usize, String),
    Note(String),
}

/// Is told each step. An error ends the run.
pub(super) type Tell<'a> = &'a mut dyn FnMut(Step) -> Result<(), CampaignError>;

impl Task {
    pub(super) fn new(
        place: &CampaignDir,
        member: &Member,
        (inputs, words): (String, &[String]),
        again: bool,
    ) -> Self {
        let results = place.results(&member.name);
        Self {
            member: member.clone(),
            inputs,
            words: words.to_vec(),
            resume: !again && ResultsDir::is_unfinished(&results),
            results,
            log: place.log(&member.name),
            row: place.row_file(&member.name),
        }
    }

    /// Compares the revisions of the subject in a process of `psychic` that uses `jobs` processors.
    /// Writes the subject's row and returns it.
    ///
    /// # Errors
    /// The row cannot be written. What goes wrong with the subject is in it.
    pub fn run(
        &self,
        psychic: &Path,
        jobs: usize,
        interrupt: &Interrupt,
    ) -> Result<CampaignRow, ResultsError> {
        let before = stamp(&self.summary());
        let row = match self.compare(psychic, jobs, interrupt) {
            Ok(code) => {
                // A summary that an earlier run left says nothing about this one.
                let is_new = stamp(&self.summary()) != before;
                self.judged(code, is_new, interrupt)
            }
            Err(error) => self.row(Ended::Failed, error.to_string(), None),
        };
        write_table(&self.row, std::slice::from_ref(&row))?;
        Ok(row)
    }

    /// The stamp of the row that is there now. The row that the task will write has another one.
    pub(super) fn row_stamp(&self) -> Stamp {
        stamp(&self.row)
    }

    /// Where the task writes its row.
    pub(super) fn row_file(&self) -> &Path {
        &self.row
    }

    /// The exit code of the process; `None` if a signal ended it.
    fn compare(
        &self,
        psychic: &Path,
        jobs: usize,
        interrupt: &Interrupt,
    ) -> io::Result<Option<i32>> {
        let mut command = Command::new(psychic);
        command.arg("diff").arg(&self.member.subject).arg("--out").arg(&self.results);
        command.arg("--jobs").arg(jobs.to_string()).args(&self.words);
        if self.resume {
            command.arg("--resume");
        }
        let log = File::create(&self.log)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        Ok(child::follow(&mut command, interrupt)?.code())
    }

    fn judged(&self, code: Option<i32>, is_new: bool, interrupt: &Interrupt) -> CampaignRow {
        let summary = || ResultsDir::open(&self.results).ok()?.read::<SummaryRow>().ok()?.pop();
        let summary = is_new.then(summary).flatten();
        let none = String::new;
        match (code, summary) {
            (Some(DECIDED), Some(summary)) => self.row(Ended::Decided, none(), Some(summary)),
            (Some(UNDECIDED), Some(summary)) => self.row(Ended::Undecided, none(), Some(summary)),
            (Some(INTERRUPTED), summary) => self.row(Ended::Interrupted, none(), summary),
            (None, summary) if interrupt.is_set() => self.row(Ended::Interrupted, none(), summary),
            (Some(_), _) => self.row(Ended::Failed, last_words(&self.log), None),
            (None, _) => {
                let said = last_words(&self.log);
                self.row(Ended::Failed, format!("the process was killed; it said: {said}"), None)
            }
        }
    }

    pub(super) fn row(
        &self,
        ended: Ended,
        reason: String,
        summary: Option<SummaryRow>,
    ) -> CampaignRow {
        let Member { name, subject } = &self.member;
        CampaignRow::new(name, subject, (ended, reason), summary, &self.inputs)
    }

    fn summary(&self) -> PathBuf {
        self.results.join(SummaryRow::FILE)
    }
}

/// When a file was written, by the clock of the file system, and which file it is.
pub(super) type Stamp = Option<(SystemTime, u64)>;

/// The stamp of a file, which tells it from one that replaces it; `None` if there is none.
fn stamp(file: &Path) -> Stamp {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.ino()))
}

/// The error that a process has reported, or else the last line that it has written.
pub(super) fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let error = |line| ["psychic: ", "error: "].iter().find_map(|p| str::strip_prefix(line, p));
    lines().find_map(error).or_else(|| lines().next()).unwrap_or_default().to_owned()
}
