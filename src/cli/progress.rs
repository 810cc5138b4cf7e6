//! Progress on standard error: a line that changes on a terminal, plain lines elsewhere, or events for
//! programs.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::{
    conclusion::set_aside,
    events::{self, Message},
    interrupt, say,
};
use crate::session::{Event, Observer};

/// The shortest time between two plain lines about how far a stage is.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// The shortest time between two events about how far a stage is.
const EVENT_INTERVAL: Duration = Duration::from_secs(1);

/// How progress is shown.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct ProgressArgs {
    /// Form of the progress on standard error
    #[arg(long, value_name = "FORM", value_enum, default_value_t = Form::Text)]
    progress: Form,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
enum Form {
    /// Lines for people
    Text,
    /// One JSON object for each event, a line each, and nothing else
    Json,
}

/// Shows how far a run is.
pub(super) struct Progress {
    shown: Shown,
    /// When the last line was written.
    last: Option<Instant>,
}

/// Where progress is shown.
enum Shown {
    /// On a terminal.
    Bar(ProgressBar),
    Lines,
    Events,
}

impl Progress {
    /// Begins to show progress.
    pub(super) fn new(ProgressArgs { progress }: ProgressArgs) -> Self {
        if progress == Form::Json {
            events::begin();
            return Self { shown: Shown::Events, last: None };
        }
        let shown = if std::io::stderr().is_terminal() {
            let bar = ProgressBar::new_spinner();
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            bar.set_style(style.expect("a constant template"));
            bar.enable_steady_tick(Duration::from_millis(120));
            Shown::Bar(bar)
        } else {
            Shown::Lines
        };
        Self { shown, last: Some(Instant::now()) }
    }

    /// Shows that a stage begins or ends, or another message that must not be left out.
    pub(super) fn stage(&mut self, message: &str) {
        match &self.shown {
            Shown::Bar(bar) => bar.println(message),
            Shown::Lines => say::aside(message),
            Shown::Events => _ = events::write(&Message::Note { message }),
        }
        self.last = Some(Instant::now());
    }

    /// Shows how far the stage is: always on a terminal, at most every [`PLAIN_INTERVAL`]
    /// elsewhere, and at most every [`EVENT_INTERVAL`] as an event.
    pub(super) fn update(&mut self, message: impl FnOnce() -> String) {
        let is_due = self.is_due();
        match &self.shown {
            Shown::Bar(bar) => bar.set_message(message()),
            Shown::Lines if is_due => say::aside(&message()),
            Shown::Events if is_due => {
                events::write(&Message::Progress { message: &message() });
            }
            Shown::Lines | Shown::Events => {}
        }
    }

    /// Whether another line can be written about how far the stage is. If so, it counts as written.
    fn is_due(&mut self) -> bool {
        let interval = match &self.shown {
            Shown::Events => EVENT_INTERVAL,
            Shown::Bar(_) | Shown::Lines => PLAIN_INTERVAL,
        };
        let is_due = self.last.is_none_or(|last| last.elapsed() >= interval);
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}

impl Observer for Progress {
    fn observe(&mut self, event: Event<'_>) {
        if matches!(event, Event::Built) {
            interrupt::note_built();
        }
        if let Shown::Events = self.shown {
            let is_frequent = matches!(event, Event::Trying { .. } | Event::Explored { .. });
            if !is_frequent || self.is_due() {
                events::write(&event);
            }
            return;
        }
        match event {
            Event::Preparing { package } => {
                self.stage(&format!(
                    "configuring and building {package} (once; minutes if it is large)"
                ));
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
            Event::Built => {}
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
        if let Shown::Bar(bar) = &self.shown {
            bar.finish_and_clear();
        }
    }
}
