//! Runs the comparisons of a campaign.

use std::{
    collections::{BTreeMap, VecDeque},
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::SystemTime,
};

use sha2::{Digest, Sha256};

use super::{
    directory::{CampaignDir, CampaignError},
    list::{Campaign, Member},
    row::CampaignRow,
};
use crate::{
    child,
    interrupt::Interrupt,
    results::{Ended, ResultsDir, SummaryRow, Table},
};

/// The exit codes of `psychic diff`: all pairs decided, some not, interrupted.
const DECIDED: i32 = 0;
const UNDECIDED: i32 = 1;
const INTERRUPTED: i32 = 130;

/// How a campaign runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The executable of `psychic`.
    pub psychic: PathBuf,
    /// Processors to use: as many subjects run at once, and if there are fewer subjects, each uses
    /// several.
    pub jobs: usize,
    /// Further options of `psychic diff`.
    pub options: Vec<String>,
    /// Whether subjects run again although they and the options are what they were.
    pub again: bool,
    /// Asks the campaign to end. Subjects that are running write what they have found.
    pub interrupt: Interrupt,
}

/// What a campaign tells while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A subject was done by an earlier run, and nothing has changed.
    Known(&'a CampaignRow),
    /// A subject begins.
    Begun(&'a Member),
    /// A subject is done.
    Done(&'a CampaignRow),
}

/// Compares the revisions of every subject of a campaign, and writes its directory. Returns the
/// rows, in the order of the list. An interrupted campaign returns only those of the subjects that
/// began or were known.
///
/// # Errors
/// A file of the campaign cannot be read or written. What goes wrong with a subject is in its row.
pub fn run(
    campaign: &Campaign,
    place: &CampaignDir,
    options: &Options,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Vec<CampaignRow>, CampaignError> {
    let words: Vec<String> = campaign.options.iter().chain(&options.options).cloned().collect();
    let tool = tool(&options.psychic)?;
    let inputs = |member: &Member| format!("{tool} {words:?} {}", member.digest());
    let known = if options.again { Vec::new() } else { place.rows()? };
    let known: BTreeMap<String, CampaignRow> =
        known.into_iter().map(|row| (row.name.clone(), row)).collect();
    // What is known of a subject stays in the table until more is known.
    let mut table: BTreeMap<usize, CampaignRow> = BTreeMap::new();
    let (mut rows, mut waiting) = (BTreeMap::new(), VecDeque::new());
    for (index, member) in campaign.members.iter().enumerate() {
        let inputs = inputs(member);
        let row = known.get(&member.name);
        table.extend(row.map(|row| (index, row.clone())));
        let results = place.results(&member.name);
        let has_results = results.join(SummaryRow::FILE).is_file();
        match row.filter(|row| row.inputs == inputs && row.ended.is_final() && has_results) {
            Some(row) => {
                observe(Event::Known(row));
                rows.insert(index, row.clone());
            }
            None => {
                let resume = !options.again && ResultsDir::is_unfinished(&results);
                waiting.push_back(Task { index, member, inputs, resume });
            }
        }
    }
    let at_once = options.jobs.min(waiting.len()).max(1);
    let each = (options.jobs / at_once).max(1);
    let waiting = Mutex::new(waiting);
    // Nothing panics while it is locked.
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (tell, told) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..at_once {
            let tell = tell.clone();
            let (next, words) = (&next, &words);
            scope.spawn(move || {
                while !options.interrupt.is_set()
                    && let Some(task) = next()
                {
                    // If nobody listens any more, the campaign has failed.
                    _ = tell.send((task.index, task.member, None));
                    let row = task.run(place, options, words, each);
                    _ = tell.send((task.index, task.member, Some(row)));
                }
            });
        }
        drop(tell);
        for (index, member, row) in told {
            let Some(row) = row else {
                observe(Event::Begun(member));
                continue;
            };
            observe(Event::Done(&row));
            table.insert(index, row.clone());
            rows.insert(index, row);
            let all: Vec<CampaignRow> = table.values().cloned().collect();
            if let Err(error) = place.write(&all) {
                options.interrupt.set();
                return Err(error);
            }
        }
        Ok(())
    })?;
    let table: Vec<CampaignRow> = table.into_values().collect();
    place.write(&table)?;
    place.write_page(&table)?;
    Ok(rows.into_values().collect())
}

/// A subject to compare.
struct Task<'a> {
    /// Its place in the list.
    index: usize,
    member: &'a Member,
    /// What the comparison rests on.
    inputs: String,
    /// Whether a run that was interrupted or killed is to be taken up.
    resume: bool,
}

impl Task<'_> {
    /// Compares the revisions of the subject in a process that uses `jobs` processors.
    fn run(
        &self,
        place: &CampaignDir,
        options: &Options,
        words: &[String],
        jobs: usize,
    ) -> CampaignRow {
        let Self { member, inputs, .. } = self;
        let (results, log) = (place.results(&member.name), place.log(&member.name));
        let row = |ended: Ended, reason: String, summary: Option<SummaryRow>| {
            CampaignRow::new(&member.name, &member.subject, (ended, reason), summary, inputs)
        };
        let mut command = Command::new(&options.psychic);
        command.arg("diff").arg(&member.subject).arg("--out").arg(&results);
        command.arg("--jobs").arg(jobs.to_string()).args(words);
        if self.resume {
            command.arg("--resume");
        }
        let begin = SystemTime::now();
        let output = File::create(&log).and_then(|file| Ok((file.try_clone()?, file)));
        let ran = output.and_then(|(stdout, stderr)| {
            command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
            child::follow(&mut command, &options.interrupt)
        });
        let code = match ran {
            Ok(status) => status.code(),
            Err(error) => return row(Ended::Failed, error.to_string(), None),
        };
        // What an earlier run has left says nothing of this one.
        let is_new = || {
            let written = fs::metadata(results.join(SummaryRow::FILE)).ok()?.modified().ok()?;
            Some(written >= begin)
        };
        let summary = || {
            is_new().filter(|is_new| *is_new)?;
            ResultsDir::open(&results).ok()?.read::<SummaryRow>().ok()?.pop()
        };
        let said = || last_words(&log);
        match (code, summary()) {
            (Some(DECIDED), Some(summary)) => row(Ended::Decided, String::new(), Some(summary)),
            (Some(UNDECIDED), Some(summary)) => row(Ended::Undecided, String::new(), Some(summary)),
            (Some(INTERRUPTED), summary) => row(Ended::Interrupted, String::new(), summary),
            (None, summary) if options.interrupt.is_set() => {
                row(Ended::Interrupted, String::new(), summary)
            }
            (Some(_), _) => row(Ended::Failed, said(), None),
            (None, _) => {
                row(Ended::Failed, format!("the process was killed; it said: {}", said()), None)
            }
        }
    }
}

/// What tells one build of the executable from another.
fn tool(psychic: &Path) -> Result<String, CampaignError> {
    let bytes = fs::read(psychic)
        .map_err(|source| CampaignError::Io { path: psychic.to_owned(), source })?;
    let digest = format!("{:x}", Sha256::digest(&bytes));
    Ok(format!("{} {}", env!("CARGO_PKG_VERSION"), &digest[..16]))
}

/// The error that a process has reported, or else the last line that it has written.
fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let error = |line| ["psychic: ", "error: "].iter().find_map(|p| str::strip_prefix(line, p));
    lines().find_map(error).or_else(|| lines().next()).unwrap_or_default().to_owned()
}
