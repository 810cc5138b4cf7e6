//! Runs tasks as a Slurm job array: Slurm decides when and where each of them runs. The directory
//! of the campaign has to be on a file system that all machines share.

use std::{collections::BTreeSet, env, fs, path::Path};

use super::{
    directory::{CampaignDir, CampaignError},
    queue::{self, SlurmError},
    task::{Step, Task, Tell},
    watch::{Arrays, Watch, said_by},
};
use crate::{interrupt::Interrupt, results::write_whole};

/// The files of a run in its directory: the tasks, and the numbers of the job arrays.
const TASKS: &str = "tasks.json";
const JOBS: &str = "jobs";

/// Words for `sbatch` before those of the user: a job is interrupted a minute before its time is
/// over, so that it can write what it has found.
const BEFORE: [&str; 2] = ["--job-name=psychic", "--signal=B:INT@60"];

/// How a campaign uses Slurm.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Slurm {
    /// The most tasks to run at once; `None` for as many as Slurm allows.
    pub at_once: Option<usize>,
    /// Options for `sbatch`.
    pub options: Vec<String>,
}

/// Submits the tasks and waits until they have ended. An interrupt is passed on to the jobs.
pub(super) fn run(
    tasks: &[Task],
    (place, psychic): (&CampaignDir, &Path),
    slurm: &Slurm,
    interrupt: &Interrupt,
    tell: Tell<'_>,
) -> Result<(), CampaignError> {
    let directory = place.slurm();
    nothing_runs(&directory)?;
    if tasks.is_empty() || interrupt.is_set() {
        return Ok(());
    }
    let mut watch = Watch::new(tasks);
    let most = queue::most_tasks();
    let jobs = submit(tasks, most, (&directory, psychic), slurm)?;
    let arrays = if jobs.len() == 1 { "array" } else { "arrays" };
    let subjects = if tasks.len() == 1 { "subject" } else { "subjects" };
    let text =
        format!("{} {subjects} submitted as Slurm job {arrays} {}", tasks.len(), jobs.join(" "));
    let ended = tell(Step::Note(text)).and_then(|()| {
        watch.until_ended(&Arrays { jobs: &jobs, most }, (place, &directory), interrupt, tell)
    });
    if let Err(error) = ended {
        // Nobody is left to collect what they find.
        _ = queue::withdraw(&jobs);
        return Err(error);
    }
    // If a task left nothing else, what Slurm said is kept.
    remove(&if watch.has_missed() { directory.join(JOBS) } else { directory })
}

/// Runs a task of a submitted array, on the machine that Slurm chose for it. `first` is the place
/// of the array's first task among all.
///
/// # Errors
/// The tasks cannot be read, there is no such task, or its row cannot be written.
pub fn run_task(
    campaign: &Path,
    first: usize,
    psychic: &Path,
    interrupt: &Interrupt,
) -> Result<(), CampaignError> {
    let file = campaign.join("slurm").join(TASKS);
    let io = |source| CampaignError::Io { path: file.clone(), source };
    let text = fs::read(&file).map_err(io)?;
    let tasks: Vec<Task> = serde_json::from_slice(&text).map_err(|error| io(error.into()))?;
    let number = |name: &str| env::var(name).ok()?.parse::<usize>().ok();
    let at = number("SLURM_ARRAY_TASK_ID");
    let Some(task) = at.and_then(|at| tasks.get(first + at)) else {
        return Err(io(std::io::Error::other("it lacks the task that SLURM_ARRAY_TASK_ID names")));
    };
    task.run(psychic, number("SLURM_CPUS_PER_TASK").unwrap_or(1), interrupt)?;
    Ok(())
}

/// Checks that no job of an earlier run, which was killed while it waited, is in the queue.
fn nothing_runs(directory: &Path) -> Result<(), CampaignError> {
    let Ok(text) = fs::read_to_string(directory.join(JOBS)) else { return Ok(()) };
    let known: Vec<String> = text.lines().map(str::to_owned).collect();
    let active = queue::look(&known)?.active;
    let jobs: BTreeSet<String> = active.into_keys().map(|(job, _)| job).collect();
    if jobs.is_empty() {
        return Ok(());
    }
    Err(SlurmError::Left { jobs: jobs.into_iter().collect() }.into())
}

/// Submits arrays of at most `most` tasks, and returns their numbers. If the number of tasks at
/// once is limited, an array waits for the one before it.
fn submit(
    tasks: &[Task],
    most: usize,
    (directory, psychic): (&Path, &Path),
    slurm: &Slurm,
) -> Result<Vec<String>, CampaignError> {
    remove(directory)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| CampaignError::Io { path, source }
    };
    let file = directory.join(TASKS);
    let text = serde_json::to_vec(tasks).map_err(|error| io(&file)(error.into()))?;
    write_whole(&file, &text)?;
    let here = env::current_dir().map_err(io(Path::new(".")))?;
    let campaign = directory.parent().unwrap_or(Path::new("."));
    let mut jobs: Vec<String> = Vec::new();
    for first in (0..tasks.len()).step_by(most) {
        let last = most.min(tasks.len() - first) - 1;
        let limit = slurm.at_once.map_or_else(String::new, |most| format!("%{most}"));
        let mut words: Vec<String> = BEFORE.map(str::to_owned).into();
        words.extend(slurm.options.iter().cloned());
        words.extend([
            "--parsable".to_owned(),
            // A task that begins again would write its row a second time.
            "--no-requeue".to_owned(),
            format!("--array=0-{last}{limit}"),
            format!("--chdir={}", here.display()),
            format!("--output={}", said_by(directory, "%A", "%a").display()),
        ]);
        if slurm.at_once.is_some() {
            words.extend(jobs.last().map(|job| format!("--dependency=afterany:{job}")));
        }
        let (psychic, campaign) = (quoted(psychic), quoted(campaign));
        words.push(format!("--wrap=exec {psychic} campaign slurm-task {campaign} {first}"));
        let submitted = queue::submit(&words);
        if submitted.is_err() {
            _ = queue::withdraw(&jobs);
        }
        jobs.push(submitted?);
        write_whole(&directory.join(JOBS), jobs.join("\n").as_bytes())?;
    }
    Ok(jobs)
}

/// A path as a word of a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

fn remove(path: &Path) -> Result<(), CampaignError> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(CampaignError::Io { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
