//! Messages: what goes to standard output, and how counts and errors are worded.

use std::io::{self, Write};

use anyhow::Context;

/// Writes `text` and a newline to standard output. That the reader has closed the pipe
/// (`psychic tree x | head -1`) is no error: it has seen what it wanted.
pub(super) fn line(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("standard output cannot be written")
        }
        _ => Ok(()),
    }
}

/// Writes `text` and a newline to standard error. Nothing is lost with it that is not also in the
/// results: a reader that is gone, or a disk that is full, must not end the run.
pub(super) fn aside(text: &str) {
    _ = writeln!(io::stderr(), "{text}");
}

/// A number with its noun: "1 patch", "2 patches".
pub(super) fn count(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    let ending = match noun {
        _ if number == 1 => "",
        _ if noun.ends_with("ch") || noun.ends_with('s') => "es",
        _ if noun.ends_with("ry") => return format!("{number} {}ies", &noun[..noun.len() - 1]),
        _ => "s",
    };
    format!("{number} {noun}{ending}")
}

/// The text of an error and of those of its causes that the text does not mention yet.
pub(super) fn error(error: &anyhow::Error) -> String {
    let mut message = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if message.is_empty() || cause.starts_with(&message) {
            message = cause;
        } else if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(count(1u32, "patch"), "1 patch");
        assert_eq!(count(2u32, "patch"), "2 patches");
        assert_eq!(count(0u32, "class"), "0 classes");
        assert_eq!(count(3u32, "pair"), "3 pairs");
        assert_eq!(count(2u32, "query"), "2 queries");
    }

    #[test]
    fn a_cause_that_was_told_is_not_repeated() {
        let told = anyhow::anyhow!("gone").context("a.csv: gone");
        assert_eq!(error(&told), "a.csv: gone");
        let untold = anyhow::anyhow!("gone").context("a.csv");
        assert_eq!(error(&untold), "a.csv: gone");
        let again = anyhow::anyhow!("a.csv: gone").context("a.csv");
        assert_eq!(error(&again), "a.csv: gone");
    }
}
