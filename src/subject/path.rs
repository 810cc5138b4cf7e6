//! Paths as the headers of a diff have them, and where they can lead.

use std::path::{Component, Path, PathBuf};

/// The path after `---`, `+++`, `rename from` and the like: without the quotes that git puts around
/// unusual names, and without what follows a tab.
pub fn unquoted(text: &str) -> String {
    match text.strip_prefix('"') {
        Some(quoted) => unquote(quoted),
        None => text.split('\t').next().unwrap_or_default().trim_end().to_owned(),
    }
}

/// Whether a path is relative and can only lead to something below where it starts.
pub(super) fn is_inner(path: &Path) -> bool {
    let mut parts = path.components();
    !path.as_os_str().is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// The path without components that are `.`.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}

/// Digits of a byte that git quotes by its number.
const OCTAL_DIGITS: usize = 3;

/// Decodes a path with unusual bytes, which git quotes like a C string.
fn unquote(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(digit @ b'0'..=b'7') => {
                    let mut value = u32::from(digit - b'0');
                    for _ in 1..OCTAL_DIGITS {
                        let Some(more) = rest.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                        value = value * 8 + u32::from(more - b'0');
                    }
                    bytes.push(value as u8);
                }
                Some(b'a') => bytes.push(0x07),
                Some(b'b') => bytes.push(0x08),
                Some(b't') => bytes.push(b'\t'),
                Some(b'n') => bytes.push(b'\n'),
                Some(b'v') => bytes.push(0x0b),
                Some(b'f') => bytes.push(0x0c),
                Some(b'r') => bytes.push(b'\r'),
                Some(other) => bytes.push(other),
                None => {}
            },
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_bytes_have_three_digits_or_a_letter() {
        assert_eq!(
            unquote(r#"\0013 \a\b\t\n\v\f\r \"\\ \303\251" rest"#),
            "\u{1}3 \u{7}\u{8}\t\n\u{b}\u{c}\r \"\\ \u{e9}"
        );
    }
}
