//! The commands of Slurm that a campaign needs: `sbatch`, `squeue`, `scancel` and `scontrol`.

use std::{
    collections::BTreeMap,
    io,
    process::{Command, Output},
};

/// The tasks of a job array that Slurm allows unless it is set up otherwise.
const MAX_ARRAY_SIZE: usize = 1001;

/// Why Slurm does not do what it is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SlurmError {
    /// A command of Slurm is not installed.
    #[error(
        "{program} is not installed here: --slurm needs a machine from which jobs can be submitted to Slurm; without it, the campaign runs on this machine"
    )]
    Missing {
        /// The command.
        program: &'static str,
    },
    /// A command cannot be started.
    #[error("{program}: {source}")]
    Start {
        /// The command.
        program: &'static str,
        /// What happened.
        source: io::Error,
    },
    /// A command has failed.
    #[error("{program}: {said}")]
    Refused {
        /// The command.
        program: &'static str,
        /// What it said.
        said: String,
    },
    /// Jobs of an earlier run have not ended.
    #[error(
        "jobs of an earlier run are still in Slurm's queue: wait until they have ended, or end them with scancel {}", .jobs.join(" ")
    )]
    Left {
        /// Their numbers.
        jobs: Vec<String>,
    },
}

/// A task of a job array that has not ended.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Queued {
    /// Whether it waits to be started.
    pub(super) is_pending: bool,
    /// Why it waits.
    pub(super) reason: String,
}

/// A task of a job array: the array's number and the task's in it.
pub(super) type ArrayTask = (String, usize);

/// The state of some job arrays in the queue.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Queue {
    /// The tasks that have not ended.
    pub(super) active: BTreeMap<ArrayTask, Queued>,
    /// How tasks have ended that Slurm still remembers, such as `OUT_OF_MEMORY`.
    pub(super) ended: BTreeMap<ArrayTask, String>,
}

/// Submits a job, and returns its number.
pub(super) fn submit(words: &[String]) -> Result<String, SlurmError> {
    let output = done("sbatch", Command::new("sbatch").args(words))?;
    // If there are several clusters, the name of one follows the number.
    let text = String::from_utf8_lossy(&output.stdout);
    let id = text.trim().split(';').next().unwrap_or_default();
    if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_digit()) {
        let said = format!("no number of a job, but: {}", text.trim());
        return Err(SlurmError::Refused { program: "sbatch", said });
    }
    Ok(id.to_owned())
}

/// How many tasks an array may have.
pub(super) fn most_tasks() -> usize {
    let output = done("scontrol", Command::new("scontrol").args(["show", "config"]));
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let size = |text: String| {
        let line = text.lines().find(|line| line.starts_with("MaxArraySize"))?.to_owned();
        line.split('=').nth(1)?.trim().parse().ok()
    };
    text.ok().and_then(size).unwrap_or(MAX_ARRAY_SIZE).max(1)
}

/// The state of these job arrays in the queue; all of them are this user's.
pub(super) fn look(jobs: &[String]) -> Result<Queue, SlurmError> {
    // A job that Slurm has forgotten would be an error if it were asked for by its number.
    let words = ["--me", "--array", "--noheader", "--states=all", "--format=%F|%K|%T|%r"];
    let output = done("squeue", Command::new("squeue").args(words))?;
    Ok(read(&String::from_utf8_lossy(&output.stdout), jobs))
}

fn read(text: &str, jobs: &[String]) -> Queue {
    let mut queue = Queue::default();
    for line in text.lines() {
        let mut cells = line.split('|').map(str::trim);
        let mut cell = || cells.next().unwrap_or_default();
        let (job, task, state, reason) = (cell(), cell(), cell(), cell());
        // Tasks that were cancelled before they began have no number any more.
        let Ok(task) = task.parse() else { continue };
        if !jobs.iter().any(|known| known == job) {
            continue;
        }
        let key = (job.to_owned(), task);
        match state {
            "COMPLETED" | "CANCELLED" | "FAILED" | "TIMEOUT" | "NODE_FAIL" | "PREEMPTED"
            | "BOOT_FAIL" | "DEADLINE" | "OUT_OF_MEMORY" | "REVOKED" | "SPECIAL_EXIT" => {
                queue.ended.insert(key, state.to_owned());
            }
            _ => {
                let is_pending = matches!(state, "PENDING" | "CONFIGURING");
                queue.active.insert(key, Queued { is_pending, reason: reason.to_owned() });
            }
        }
    }
    queue
}

/// Cancels the tasks of these job arrays that have not begun.
pub(super) fn withdraw(jobs: &[String]) -> Result<(), SlurmError> {
    done("scancel", Command::new("scancel").arg("--state=PENDING").args(jobs)).map(drop)
}

/// Interrupts running tasks.
pub(super) fn interrupt(tasks: &[&ArrayTask]) -> Result<(), SlurmError> {
    let ids = tasks.iter().map(|(job, task)| format!("{job}_{task}"));
    // Only the script gets the signal, and it interrupts the process that it runs. A signal for
    // every process of the job would also end patched programs, as if they had ended by themselves.
    done("scancel", Command::new("scancel").args(["--batch", "--signal=INT"]).args(ids)).map(drop)
}

/// Checks that the commands are there.
///
/// # Errors
/// One of them is not.
pub fn slurm_is_here() -> Result<(), SlurmError> {
    for program in ["sbatch", "squeue", "scancel"] {
        done(program, Command::new(program).arg("--version"))?;
    }
    Ok(())
}

fn done(program: &'static str, command: &mut Command) -> Result<Output, SlurmError> {
    use std::os::unix::process::CommandExt;
    // An interrupt from the terminal is for this process; it decides what is cancelled.
    let output = command.process_group(0).output().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => SlurmError::Missing { program },
        _ => SlurmError::Start { program, source },
    })?;
    if output.status.success() {
        return Ok(output);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let said: Vec<&str> = text
        .lines()
        .map(|line| line.trim_start_matches(&format!("{program}: ")).trim_start_matches("error: "))
        .collect();
    Err(SlurmError::Refused { program, said: said.join("; ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_read() {
        let text = "7|0|RUNNING|None\n7|1|PENDING|Priority\n7|2|OUT_OF_MEMORY|OutOfMemory\n\
                    7|N/A|CANCELLED|Resources\n8|0|RUNNING|None\n9|N/A|RUNNING|None\n";
        let queue = read(text, &["7".to_owned()]);
        let key = |task| ("7".to_owned(), task);
        let queued = |is_pending, reason: &str| Queued { is_pending, reason: reason.to_owned() };
        assert_eq!(
            queue.active,
            [(key(0), queued(false, "None")), (key(1), queued(true, "Priority"))].into()
        );
        assert_eq!(queue.ended, [(key(2), "OUT_OF_MEMORY".to_owned())].into());
    }
}
