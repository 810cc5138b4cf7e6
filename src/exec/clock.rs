//! When a run has to end.

use std::time::{Duration, Instant};

use crate::interrupt::Interrupt;

/// A time budget and a way to interrupt, shared by everything that may take long.
#[derive(Clone, Copy, Debug)]
pub struct Clock<'a> {
    deadline: Option<Instant>,
    interrupt: &'a Interrupt,
}

impl<'a> Clock<'a> {
    /// A clock that ends `time` from now, or when `interrupt` is set.
    pub fn new(time: Option<Duration>, interrupt: &'a Interrupt) -> Self {
        Self { deadline: time.and_then(|time| Instant::now().checked_add(time)), interrupt }
    }

    /// This clock, ending `time` from now at the latest.
    pub fn within(self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        Self { deadline: self.deadline.into_iter().chain(end).min(), ..self }
    }

    /// When the time is over, if ever.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time that is left, if it is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether nothing new should be begun.
    pub fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether somebody asked for the end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_set()
    }
}
