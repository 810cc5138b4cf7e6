//! Progress on standard error: a line that changes on a terminal, plain lines elsewhere.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use super::{conclusion::set_aside, interrupt, say};
use crate::session::{Event, Observer};

/// The shortest time between two plain lines about how far a stage is.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Shows how far a run is.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    last: Instant,
}

impl Progress {
    /// Begins to show progress.
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            bar.set_style(style.expect("a constant template"));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { bar, last: Instant::now() }
    }

    /// Shows that a stage begins or ends, or another message that must not be left out.
    pub(super) fn stage(&mut self, message: &str) {
        match &self.bar {
            Some(bar) => bar.println(message),
            None => eprintln!("{message}"),
        }
        self.last = Instant::now();
    }

    /// Shows how far the stage is: always on a terminal, at most every [`PLAIN_INTERVAL`]
    /// elsewhere.
    pub(super) fn update(&mut self, message: impl FnOnce() -> String) {
        match &self.bar {
            Some(bar) => bar.set_message(message()),
            None if self.last.elapsed() >= PLAIN_INTERVAL => {
                eprintln!("{}", message());
                self.last = Instant::now();
            }
            None => {}
        }
    }
}

impl Observer for Progress {
    fn observe(&mut self, event: Event<'_>) {
        match event {
            Event::Preparing { package } => {
                self.stage(&format!("configuring and building {package} (minutes, once)"));
            }
            Event::Merging { patches, subject } => {
                self.stage(&format!(
                    "merging {} of {subject}",
                    say::count(patches as u64, "patch")
                ));
            }
            Event::Taken { meta } => {
                self.stage(&format!("taking the meta program in {} as it is", meta.display()));
            }
            Event::SetAside(row) => self.stage(&set_aside(row)),
            Event::Building { revisions } => {
                self.stage(&format!("building {revisions} revisions as one program"));
            }
            Event::NoLibc => self.stage(
                "no bitcode of the C library was found (make setup builds it, PSYCHIC_CACHE says \
                 where): calls of its functions without a model will be unsupported",
            ),
            Event::Built => interrupt::note_built(),
            Event::Exploring => self.stage("exploring, pairing and replaying"),
            Event::Trying { tests } => self.update(|| format!("{tests} tests tried")),
            Event::Explored { paths, waiting, tests, open } => self.update(|| {
                format!("{paths} paths, {waiting} waiting, {tests} tests, {open} pairs open")
            }),
            Event::LookingInside { revisions } => self.stage(&format!(
                "comparing what functions do inside {revisions} revisions that do the same outside"
            )),
            Event::NotInside { error } => {
                self.stage(&format!("no comparison of what functions do inside: {error}"));
            }
            Event::Walking => self.stage("walking the regions of the input"),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
