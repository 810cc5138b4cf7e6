//! Parses headers that many files begin with once for all of these files, as a *precompiled
//! header*.
//!
//! This is done only for headers of the C library, and only where nothing comes before them. The C
//! standard (7.1.2) allows including each of them twice and in any order. So the files stay as they
//! are, and find the headers already read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use super::{plan::as_planned, toolchain::Toolchain};

/// A header is not made for this many files or fewer.
const FEW: usize = 32;

/// Headers of the C standard and of POSIX, except `assert.h`, which may mean something else at each
/// inclusion.
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

/// Prefixes of flags that may make these names mean other files, or put something before them.
const OTHERS: [&str; 10] = ["-I", "-i", "-B", "-x", "--", "-no", "-Wp,", "-X", "-F", "@"];

/// A precompiled header, which exists as long as this value.
#[derive(Default)]
pub(super) struct Precompiled {
    /// Arguments that make the compiler use it; none if there is nothing to gain.
    pub(super) words: Vec<String>,
    _directory: Option<TempDir>,
}

/// Makes a header of what `files` begin with. `compiler` is the command line of their compiler
/// without the files themselves.
pub(super) fn precompiled(
    toolchain: &Toolchain,
    compiler: &[String],
    flags: &[String],
    directory: &Path,
    files: &[PathBuf],
) -> Precompiled {
    let is_other = |flag: &String| OTHERS.iter().any(|other| flag.starts_with(other));
    if files.len() <= FEW || flags.iter().any(is_other) {
        return Precompiled::default();
    }
    let headers = shared_headers(files).unwrap_or_default();
    if headers.is_empty() {
        return Precompiled::default();
    }
    made(toolchain, compiler, directory, &headers).unwrap_or_default()
}

/// `None` if there is no room for the header or the compiler refuses. The files do without it then.
fn made(
    toolchain: &Toolchain,
    compiler: &[String],
    directory: &Path,
    headers: &[String],
) -> Option<Precompiled> {
    // A directory of its own, as headers of other sources may be made at the same time.
    let scratch = tempfile::Builder::new().prefix("psychic-header-").tempdir().ok()?;
    let (source, out) = (scratch.path().join("first.h"), scratch.path().join("first.pch"));
    let text: String = headers.iter().map(|name| format!("#include <{name}>\n")).collect();
    fs::write(&source, text).ok()?;
    let mut words = compiler.to_vec();
    let output = words.iter().position(|word| word == "-emit-llvm-bc")?;
    "-emit-pch".clone_into(&mut words[output]);
    let language = words.iter().rposition(|word| word == "-x")? + 1;
    "c-header".clone_into(words.get_mut(language)?);
    let mut command = as_planned(&words);
    toolchain.run(command.current_dir(directory).arg(&source).arg("-o").arg(&out)).ok()?;
    let words = vec!["-include-pch".to_owned(), out.display().to_string()];
    Some(Precompiled { words, _directory: Some(scratch) })
}

/// The standard headers that all files begin with; `None` if a file cannot be read.
fn shared_headers(files: &[PathBuf]) -> Option<Vec<String>> {
    let mut shared: Option<Vec<String>> = None;
    for file in files {
        // Bytes that are no UTF-8 are part of a comment or a string.
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

/// The standard headers that come before anything but comments.
fn leading_headers(text: &str) -> Vec<String> {
    let mut headers = Vec::new();
    // A lone `\r` may end a line, and `??/` may continue it.
    if text.replace("\r\n", "\n").contains('\r') || text.contains("??/") {
        return headers;
    }
    let mut lines = text.lines().map(str::trim);
    while let Some(line) = lines.next() {
        if line.ends_with('\\') {
            break;
        }
        if let Some(comment) = line.strip_prefix("/*") {
            let mut rest = comment;
            while !rest.contains("*/") {
                match lines.next() {
                    Some(next) if !next.ends_with('\\') => rest = next,
                    _ => return headers,
                }
            }
            match rest.ends_with("*/") && rest.matches("*/").count() == 1 {
                true => continue,
                false => break,
            }
        }
        // The source in a harness begins with the last.
        if line.is_empty() || line.starts_with("//") || line.starts_with("#line ") {
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
            "/* a *\\\n/",
            "// a\r#define _GNU_SOURCE",
            "// a ??/",
            "#if 0",
        ] {
            assert_eq!(leading_headers(&format!("{before}\n{all}")), [""; 0], "{before}");
        }
    }
}
