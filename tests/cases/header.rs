//! What a C program says about its test, in comments.
//!
//! Lines that begin with `//@` say how it is run; each may be left out:
//!
//! ```c
//! //@ flags: -fsanitize=undefined
//! //@ levels: O0 O2
//! //@ stdin: tokens 4 eof
//! //@ ends: 2 x exit, abort
//! ```
//!
//! `flags` are for the compiler, `levels` those of optimisation to run it at (by default all), `stdin`
//! is `tokens N`, `tokens N eof` (the file may end earlier), `bytes N` or `text "..."`, and `ends`
//! are the ends of its paths that have no line in the program. A line that ends in `//~` is where
//! paths end, or decide by an address, as the words behind it say.

use crate::machine::Input;

/// How to run a program, and what is expected of it.
#[derive(Debug, Default)]
pub struct Header {
    pub flags: Vec<String>,
    /// Empty for all.
    pub levels: Vec<String>,
    pub stdin: Option<Input>,
    /// Ends without a line.
    pub ends: Vec<String>,
    /// Lines with what is marked there, from 1.
    pub marks: Vec<(usize, String)>,
}

impl Header {
    /// Reads the comments of a program.
    pub fn of(text: &str) -> Self {
        let mut header = Self::default();
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        for (number, line) in (1..).zip(text.lines()) {
            if line.trim_start().starts_with("//@") {
                let setting =
                    line.strip_prefix("//@ ").and_then(|setting| setting.split_once(": "));
                let (key, value) = setting.unwrap_or_else(|| panic!("`{line}` is no header"));
                match key {
                    "flags" => header.flags = words(value),
                    "levels" => header.levels = words(value),
                    "stdin" => header.stdin = Some(stdin(value)),
                    "ends" => header.ends = value.split(", ").flat_map(ends).collect(),
                    _ => panic!("`{key}` is no key of a header"),
                }
            } else if let Some((_, marks)) = line.split_once("//~ ") {
                header.marks.extend(marks.split(", ").map(|mark| (number, mark.to_owned())));
            }
        }
        header
    }

    /// All ends of its paths, as [`crate::machine::Paths::ends`] lists them.
    pub fn all_ends(&self) -> Vec<String> {
        let marked = self.marks.iter().map(|(line, mark)| format!("{mark} at {line}"));
        let mut ends: Vec<String> = self.ends.iter().cloned().chain(marked).collect();
        ends.sort();
        ends
    }
}

fn stdin(text: &str) -> Input {
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["tokens", count] => Input::Tokens(count.parse().expect("a number"), false),
        ["tokens", count, "eof"] => Input::Tokens(count.parse().expect("a number"), true),
        ["bytes", count] => Input::Bytes(count.parse().expect("a number")),
        ["text", ..] => {
            let text = text.strip_prefix("text \"").and_then(|rest| rest.strip_suffix('"'));
            Input::Text(text.expect("a text in quotes").replace("\\n", "\n").into())
        }
        _ => panic!("`{text}` is no standard input"),
    }
}

/// One kind of end, as often as it says: `exit`, or `3 x exit`.
fn ends(text: &str) -> Vec<String> {
    match text.split_once(" x ") {
        Some((count, end)) => vec![end.to_owned(); count.parse().expect("a number")],
        None => vec![text.to_owned()],
    }
}
