//! Divisions by a constant zero. The front end leaves no trace of them, so sources that have one
//! are compiled with a check. Such a division is an error when it is reached, like a division by a
//! variable that is zero.

use std::{fs, path::PathBuf};

/// Flags that make a division by a constant zero an error when it is reached, like a division by a
/// variable that is zero. Without them, the front end gives it no meaning and leaves no trace of
/// it.
pub(super) const DIVISIONS: &[&str] = &[
    "-fsanitize=integer-divide-by-zero",
    "-fno-sanitize-recover=integer-divide-by-zero",
    "-fsanitize-minimal-runtime",
];

/// Calls `compile` with the additional flags that the sources need. These are [`DIVISIONS`] if the
/// compiler warns of a division or remainder by a constant zero that no sanitizer checks, and none
/// otherwise. `compile` returns its product and the compiler's messages. A look at the texts of the
/// sources tells which flags to try first. If that guess is wrong, they are compiled a second time.
pub(super) fn checking_divisions<T, E>(
    is_sanitized: bool,
    mut sources: impl Iterator<Item = PathBuf>,
    compile: impl Fn(&[&str]) -> Result<(T, String), E>,
) -> Result<T, E> {
    if is_sanitized {
        return Ok(compile(&[])?.0);
    }
    let flags = |divides: bool| if divides { DIVISIONS } else { &[] };
    let seems_so = sources.any(|file| fs::read(file).is_ok_and(|text| may_divide_by_zero(&text)));
    let (made, said) = compile(flags(seems_so))?;
    let divides = said.contains("[-Wdivision-by-zero]");
    if divides == seems_so { Ok(made) } else { Ok(compile(flags(divides))?.0) }
}

/// Whether a text contains `/ 0`, `%= 0` or the like.
fn may_divide_by_zero(text: &[u8]) -> bool {
    let by_zero = |at: usize| {
        let rest = &text[at + 1..];
        let rest = rest.strip_prefix(b"=").unwrap_or(rest).trim_ascii_start();
        let goes_on = |next: &u8| next.is_ascii_alphanumeric() || b".*".contains(next);
        rest.strip_prefix(b"0").is_some_and(|rest| !rest.first().is_some_and(goes_on))
    };
    // Comments begin and end with a `/` too.
    let divides = |at: usize| match text[at] {
        b'%' => true,
        b'/' => at == 0 || !b"*/".contains(&text[at - 1]),
        _ => false,
    };
    (0..text.len()).any(|at| divides(at) && by_zero(at))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    #[test]
    fn divisions_are_checked_where_the_compiler_warns_of_one_by_zero() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.c");
        for (text, warns, times) in [
            ("n % 0;", true, 1),
            ("n /= 0;", true, 1),
            ("n / ZERO;", true, 2),
            ("n / 07; n / 0.5; n / 10; n", false, 1),
            ("/* 1 / 0 */", false, 2),
            ("/* first */ 0, // 0 is none\n\"%0*d\"", false, 1),
        ] {
            fs::write(&file, text).unwrap();
            let count = std::cell::Cell::new(0);
            let compile = |flags: &[&str]| -> Result<_, Infallible> {
                count.set(count.get() + 1);
                let said = if warns { "a.c:1: warning [-Wdivision-by-zero]" } else { "" };
                Ok((flags == DIVISIONS, said.to_owned()))
            };
            let sources = || [file.clone()].into_iter();
            assert_eq!(checking_divisions(false, sources(), compile), Ok(warns), "{text}");
            assert_eq!(count.get(), times, "{text}");
            assert_eq!(checking_divisions(true, sources(), compile), Ok(false), "{text}");
        }
    }
}
