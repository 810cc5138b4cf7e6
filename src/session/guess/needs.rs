//! What a program that has to be run whole needs, judged by the functions that it calls.

use std::collections::BTreeSet;

/// Functions that open, find or make files.
const FILES: &[&str] = &[
    "access", "creat", "fdopen", "fopen", "freopen", "fstat", "lstat", "mkdir", "open", "openat",
    "opendir", "readlink", "remove", "rename", "rmdir", "scandir", "stat", "tmpfile", "truncate",
    "unlink",
];

/// Functions that read standard input by its descriptor, or as wide characters.
const INPUT: &[&str] = &["fgetwc", "fgetws", "getwc", "getwchar", "read", "wscanf"];

/// Further functions that only a program with all of its libc has.
const OTHERS: &[&str] = &[
    "alarm",
    "asctime",
    "basename",
    "clock",
    "clock_gettime",
    "close",
    "ctime",
    "difftime",
    "dirname",
    "dup",
    "dup2",
    "err",
    "errx",
    "fnmatch",
    "fseek",
    "ftell",
    "getcwd",
    "getopt",
    "getopt_long",
    "getopt_long_only",
    "gettimeofday",
    "glob",
    "gmtime",
    "gmtime_r",
    "isatty",
    "localeconv",
    "localtime",
    "localtime_r",
    "lseek",
    "mbrtowc",
    "mbstowcs",
    "mbtowc",
    "mktime",
    "nl_langinfo",
    "pipe",
    "raise",
    "regcomp",
    "rewind",
    "setlocale",
    "sigaction",
    "signal",
    "strftime",
    "strsignal",
    "time",
    "warn",
    "warnx",
    "wcrtomb",
    "wcstombs",
    "wordexp",
    "wprintf",
];

/// Functions that read standard input.
const STANDARD: &[&str] = &[
    "fgetc", "fgets", "fread", "getc", "getchar", "getdelim", "getline", "gets", "scanf", "fscanf",
];

/// Whether a program that calls these functions reads standard input only by characters or lines.
pub(super) fn reads_characters(called: &BTreeSet<String>) -> bool {
    let calls = |names: &[&str]| names.iter().any(|name| called.contains(*name));
    calls(STANDARD) && !calls(&["scanf", "fscanf"])
}

/// What a program that should be run whole needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Needs {
    /// A function that shows that it should be run whole.
    pub(super) because: &'static str,
    /// Whether it looks for files.
    pub(super) has_files: bool,
    /// Whether it reads standard input.
    pub(super) has_input: bool,
}

impl Needs {
    /// What a program that calls these functions needs; `None` if it need not be run whole.
    /// Functions that it defines itself do not count.
    pub(super) fn of(called: &BTreeSet<String>, defined: &BTreeSet<String>) -> Option<Self> {
        let first = |names: &[&'static str]| {
            names.iter().copied().find(|name| called.contains(*name) && !defined.contains(*name))
        };
        let because = [FILES, OTHERS, INPUT].into_iter().find_map(first)?;
        let has_input = [STANDARD, INPUT].into_iter().any(|names| first(names).is_some());
        Some(Self { because, has_files: first(FILES).is_some(), has_input })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(called: &[&str], defined: &[&str]) -> Option<Needs> {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Needs::of(&set(called), &set(defined))
    }

    #[test]
    fn what_a_program_calls_shows_what_it_needs() {
        assert_eq!(needs(&["printf", "scanf", "malloc"], &[]), None);
        assert_eq!(needs(&["open", "printf"], &["open"]), None);
        let options = Needs { because: "getopt", has_files: false, has_input: true };
        assert_eq!(needs(&["getopt", "getchar"], &["main"]), Some(options));
        let files = Needs { because: "fopen", has_files: true, has_input: false };
        assert_eq!(needs(&["setlocale", "fopen"], &["getchar"]), Some(files));
    }
}
