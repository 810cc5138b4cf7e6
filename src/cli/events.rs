//! Events as JSON on standard error, one object a line, for programs that run this one
//! (`docs/formats.md`).

use std::{
    io::{self, Write},
    sync::OnceLock,
    time::Instant,
};

use serde::Serialize;

use super::say;

/// When events began to be written; nothing if people read standard error.
static BEGIN: OnceLock<Instant> = OnceLock::new();

/// An event of the command itself.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(super) enum Message<'a> {
    /// How far a stage is, in words.
    Progress { message: &'a str },
    /// Something that people are told.
    Note { message: &'a str },
    /// The command has done what it could.
    Finished { exit: u8 },
    /// Nothing could be done.
    Failed { message: &'a str },
}

/// Makes standard error a sequence of events.
pub(super) fn begin() {
    BEGIN.get_or_init(Instant::now);
}

/// Writes an event, if standard error is a sequence of events; returns whether it is. That nobody reads
/// them is no error.
pub(super) fn write(event: &impl Serialize) -> bool {
    #[derive(Serialize)]
    struct Line<'a, E: Serialize> {
        #[serde(flatten)]
        event: &'a E,
        seconds: f64,
    }

    let Some(begin) = BEGIN.get() else { return false };
    let line = Line { event, seconds: begin.elapsed().as_secs_f64() };
    // Events are texts and numbers, which JSON can hold.
    let line = serde_json::to_string(&line).unwrap_or_default() + "\n";
    _ = io::stderr().write_all(line.as_bytes());
    true
}

/// Tells people something, by a line or by an event.
pub(super) fn note(message: &str) {
    if !write(&Message::Note { message }) {
        say::aside(&format!("psychic: {message}"));
    }
}
