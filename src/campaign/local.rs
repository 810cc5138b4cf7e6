//! Runs tasks on this machine.

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use super::{
    directory::CampaignError,
    task::{Step, Task, Tell},
};
use crate::interrupt::Interrupt;

/// Runs the tasks, as many at once as there are processors to use; if there are fewer tasks, each
/// uses several.
pub(super) fn run(
    tasks: &[Task],
    (psychic, jobs): (&Path, usize),
    interrupt: &Interrupt,
    tell: Tell<'_>,
) -> Result<(), CampaignError> {
    let at_once = jobs.min(tasks.len()).max(1);
    let each = (jobs / at_once).max(1);
    let waiting: Mutex<VecDeque<_>> = Mutex::new(tasks.iter().enumerate().collect());
    // Nothing panics while it is locked.
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (send, steps) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..at_once {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while !interrupt.is_set()
                    && let Some((index, task)) = next()
                {
                    // If nobody listens any more, the campaign has failed.
                    _ = send.send(Ok(Step::Begun(index)));
                    let row = task.run(psychic, each, interrupt);
                    _ = send.send(row.map(|row| Step::Done(index, Box::new(row))));
                }
            });
        }
        drop(send);
        for step in steps {
            if let Err(error) = step.map_err(CampaignError::from).and_then(&mut *tell) {
                interrupt.set();
                return Err(error);
            }
        }
        Ok(())
    })
}
