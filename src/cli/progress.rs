//! Progress on standard error: a line that changes on a terminal, plain lines elsewhere.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// Plain lines come no more often than this.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Where a run stands.
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

    /// A stage begins or ends: always shown.
    pub(super) fn stage(&mut self, message: &str) {
        match &self.bar {
            Some(bar) => bar.println(message),
            None => eprintln!("{message}"),
        }
        self.last = Instant::now();
    }

    /// How far the stage is; shown on a terminal, now and then elsewhere.
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

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
