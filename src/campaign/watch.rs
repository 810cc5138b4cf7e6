//! Waits for the tasks of Slurm job arrays.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{
    directory::{CampaignDir, CampaignError},
    queue::{self, ArrayTask, Queue},
    row::CampaignRow,
    task::{Stamp, Step, Task, Tell, last_words},
};
use crate::{
    interrupt::Interrupt,
    results::{Ended, read_table},
};

/// The time between two looks for rows, and between two requests for the queue.
const TICK: Duration = Duration::from_millis(500);
const ASK: Duration = Duration::from_secs(5);
/// The time within which a row that was written on another machine appears here.
const SHARED: Duration = Duration::from_secs(10);

/// Submitted job arrays.
pub(super) struct Arrays<'a> {
    /// Their numbers.
    pub(super) jobs: &'a [String],
    /// How many tasks each has, except for the last.
    pub(super) most: usize,
}

impl Arrays<'_> {
    fn task(&self, index: usize) -> ArrayTask {
        (self.jobs[index / self.most].clone(), index % self.most)
    }
}

/// A task that was submitted.
struct Awaited<'a> {
    task: &'a Task,
    /// The row that was there before.
    before: Stamp,
    has_begun: bool,
    /// Whether it was interrupted.
    is_told: bool,
    /// Since when it has been missing from the queue.
    gone: Option<Instant>,
    /// How it has ended, if Slurm still knows.
    state: Option<String>,
}

impl Awaited<'_> {
    /// The row, once the task has written it.
    fn row(&self) -> Result<Option<CampaignRow>, CampaignError> {
        let now = self.task.row_stamp();
        if now.is_none() || now == self.before {
            return Ok(None);
        }
        Ok(read_table(self.task.row_file())?.pop())
    }
}

/// The tasks for which a campaign waits.
pub(super) struct Watch<'a> {
    open: BTreeMap<usize, Awaited<'a>>,
    has_missed: bool,
}

impl<'a> Watch<'a> {
    /// Begins before the tasks are submitted.
    pub(super) fn new(tasks: &'a [Task]) -> Self {
        let awaited = |task: &'a Task| Awaited {
            task,
            before: task.row_stamp(),
            has_begun: false,
            is_told: false,
            gone: None,
            state: None,
        };
        Self { open: tasks.iter().map(awaited).enumerate().collect(), has_missed: false }
    }

    /// Whether a task has ended without a row.
    pub(super) fn has_missed(&self) -> bool {
        self.has_missed
    }

    /// Waits until every task has written its row, or will not write one any more.
    pub(super) fn until_ended(
        &mut self,
        arrays: &Arrays<'_>,
        (place, said): (&CampaignDir, &Path),
        interrupt: &Interrupt,
        tell: Tell<'_>,
    ) -> Result<(), CampaignError> {
        let mut asked: Option<Instant> = None;
        let mut is_silent = false;
        while !self.open.is_empty() {
            thread::sleep(TICK);
            let interval = if interrupt.is_set() { TICK } else { ASK };
            let is_due = asked.is_none_or(|asked| asked.elapsed() >= interval);
            let queue = is_due.then(|| queue::look(arrays.jobs));
            // A task that is not in the queue any more may have written its row just before.
            self.collect(place, tell)?;
            match queue {
                None => continue,
                Some(Err(error)) if !is_silent => {
                    tell(Step::Note(format!("Slurm does not answer, waiting for it: {error}")))?;
                    is_silent = true;
                }
                Some(Err(_)) => {}
                Some(Ok(queue)) => {
                    is_silent = false;
                    self.follow(arrays, &queue, tell)?;
                    if interrupt.is_set() {
                        self.interrupt(arrays, &queue);
                    }
                    self.give_up(arrays, said, interrupt.is_set(), tell)?;
                }
            }
            asked = Some(Instant::now());
        }
        Ok(())
    }

    /// Takes the rows that have been written.
    fn collect(&mut self, place: &CampaignDir, tell: Tell<'_>) -> Result<(), CampaignError> {
        // Network file systems look at a directory anew when it is opened.
        _ = fs::read_dir(place.rows_directory());
        let mut done = Vec::new();
        for (index, awaited) in &self.open {
            done.extend(awaited.row()?.map(|row| (*index, row)));
        }
        for (index, row) in done {
            self.open.remove(&index);
            tell(Step::Done(index, Box::new(row)))?;
        }
        Ok(())
    }

    /// Notes which tasks have begun and ended.
    fn follow(
        &mut self,
        arrays: &Arrays<'_>,
        queue: &Queue,
        tell: Tell<'_>,
    ) -> Result<(), CampaignError> {
        let mut waiting: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, awaited) in &mut self.open {
            let key = arrays.task(*index);
            let Some(queued) = queue.active.get(&key) else {
                awaited.gone.get_or_insert_with(Instant::now);
                awaited.state = queue.ended.get(&key).cloned().or(awaited.state.take());
                continue;
            };
            awaited.gone = None;
            if queued.is_pending {
                *waiting.entry(&queued.reason).or_default() += 1;
            } else if !awaited.has_begun {
                awaited.has_begun = true;
                tell(Step::Begun(*index))?;
            }
        }
        let most = waiting.iter().max_by_key(|(_, count)| **count);
        let reason = most.map_or_else(String::new, |(reason, _)| (*reason).to_owned());
        tell(Step::Waiting(waiting.values().sum(), reason))
    }

    /// Cancels waiting tasks and interrupts running ones, once. If that fails, it is tried again at
    /// the next look.
    fn interrupt(&mut self, arrays: &Arrays<'_>, queue: &Queue) {
        if queue.active.values().any(|queued| queued.is_pending) {
            _ = queue::withdraw(arrays.jobs);
        }
        let runs = |key: &ArrayTask| queue.active.get(key).is_some_and(|task| !task.is_pending);
        let mut running: Vec<(ArrayTask, &mut Awaited<'_>)> = self
            .open
            .iter_mut()
            .map(|(index, awaited)| (arrays.task(*index), awaited))
            .filter(|(key, awaited)| !awaited.is_told && runs(key))
            .collect();
        let keys: Vec<&ArrayTask> = running.iter().map(|(key, _)| key).collect();
        if !keys.is_empty() && queue::interrupt(&keys).is_ok() {
            running.iter_mut().for_each(|(_, awaited)| awaited.is_told = true);
        }
    }

    /// Waits no longer for tasks that have left the queue without a row.
    fn give_up(
        &mut self,
        arrays: &Arrays<'_>,
        said: &Path,
        is_interrupted: bool,
        tell: Tell<'_>,
    ) -> Result<(), CampaignError> {
        let is_over = |awaited: &Awaited<'_>| {
            let never_ran = is_interrupted && !awaited.has_begun;
            awaited.gone.is_some_and(|gone| never_ran || gone.elapsed() >= SHARED)
        };
        let over: Vec<usize> =
            self.open.iter().filter(|(_, task)| is_over(task)).map(|(index, _)| *index).collect();
        for index in over {
            let Some(awaited) = self.open.remove(&index) else { continue };
            if is_interrupted && !awaited.has_begun {
                continue;
            }
            self.has_missed = true;
            let (job, task) = arrays.task(index);
            let said = said_by(said, &job, &task.to_string());
            let state = awaited.state.map_or_else(String::new, |state| format!(", {state}"));
            let reason = format!(
                "Slurm job {job}_{task} has left no result{state}: {} ({})",
                last_words(&said),
                said.display()
            );
            let ended = if is_interrupted { Ended::Interrupted } else { Ended::Failed };
            tell(Step::Done(index, Box::new(awaited.task.row(ended, reason, None))))?;
        }
        Ok(())
    }
}

/// The file with what a task's script and Slurm say about the task.
pub(super) fn said_by(directory: &Path, job: &str, task: &str) -> PathBuf {
    directory.join(format!("{job}_{task}.out"))
}
