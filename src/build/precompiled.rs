//! Headers that many files begin with are parsed once for all of them, as a *precompiled header*.
//!
//! Only headers of the C library, and only where nothing comes before them: the C standard
//! (7.1.2) lets each be included twice, in any order, so the files stay as they are. They find the
//! headers already read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{plan::as_planned, toolchain::run};

/// So few files are compiled before a header of theirs would be.
const FEW: usize = 32;

/// Headers of the C standard and of POSIX, but for `assert.h`, which may be read differently each time.
const STANDARD: [&str; 18] = [
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
];

/// Flags that may make these names those of other files, or put something before them.
const OTHERS: [&str; 6] = ["-I", "-i", "-B", "-x", "--", "-no"];

/// Has a compiler, of which these are the words but for the files to compile, make a header of what they
/// begin with; gives the words that make use of it, none where there is nothing to be gained.
pub(super) fn precompiled(
    compiler: &[String],
    flags: &[String],
    files: &[PathBuf],
    out: &Path,
) -> Vec<String> {
    let nothing = Vec::new();
    let is_other = |flag: &String| OTHERS.iter().any(|other| flag.starts_with(other));
    if files.len() <= FEW || flags.iter().any(is_other) {
        return nothing;
    }
    let Some(headers) = shared_headers(files).filter(|headers| !headers.is_empty()) else {
        return nothing;
    };
    let text: String = headers.iter().map(|name| format!("#include <{name}>\n")).collect();
    let source = out.with_extension("h");
    let Ok(()) = fs::write(&source, text) else { return nothing };
    let word = |word: &String| match &**word {
        "-emit-llvm-bc" | "-emit-obj" => "-emit-pch".to_owned(),
        "c" => "c-header".to_owned(),
        _ => word.clone(),
    };
    let words: Vec<String> = compiler.iter().map(word).collect();
    match run(as_planned(&words).arg(&source).arg("-o").arg(out)) {
        Ok(_) => vec!["-include-pch".to_owned(), out.display().to_string()],
        Err(_) => nothing,
    }
}

/// The standard headers that all files begin with; nothing if one cannot be read.
fn shared_headers(files: &[PathBuf]) -> Option<Vec<String>> {
    let mut shared: Option<Vec<String>> = None;
    for file in files {
        // What is no UTF-8 stands in a comment or a string.
        let text = fs::read(file).ok()?;
        let headers = leading_headers(&String::from_utf8_lossy(&text));
        shared = Some(match shared {
            None => headers,
            Some(known) => {
                let same = known.iter().zip(&headers).take_while(|(a, b)| a == b).count();
                known.into_iter().take(same).collect()
            }
        });
    }
    shared
}

/// The standard headers that come before anything else but comments.
fn leading_headers(text: &str) -> Vec<String> {
    let mut headers = Vec::new();
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.ends_with('\\') {
            break;
        }
        if let Some(comment) = line.strip_prefix("/*") {
            let mut rest = comment;
            while !rest.contains("*/") {
                let Some(next) = lines.next() else { return headers };
                rest = next;
            }
            match rest.ends_with("*/") && rest.matches("*/").count() == 1 {
                true => continue,
                false => break,
            }
        }
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let name = line
            .strip_prefix('#')
            .and_then(|line| line.trim_start().strip_prefix("include"))
            .and_then(|line| line.trim_start().strip_prefix('<')?.strip_suffix('>'));
        match name.filter(|name| STANDARD.contains(name)) {
            Some(name) => headers.push(name.to_owned()),
            None => break,
        }
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_count_up_to_whatever_else_there_is() {
        let all = "/* A\n * b */\n// c\n\n# include <stdio.h>\n#include <math.h>\n";
        assert_eq!(leading_headers(all), ["stdio.h", "math.h"]);
        for before in [
            "#define _GNU_SOURCE",
            "int x;",
            "#include \"own.h\"",
            "#include <assert.h>",
            "#include <stdio.h> /*",
            "/* a */ int x;",
            "/* a */ /* b",
            "// a \\",
            "#if 0",
        ] {
            assert_eq!(leading_headers(&format!("{before}\n{all}")), [""; 0], "{before}");
        }
    }
}
