//! The directories that have the headers of a program.

use std::path::Path;

/// The directories of headers that sources include with `"` and that are not beside them. For each
/// `(source, header)`, it is the first directory below which there is such a file.
pub(super) fn directories<'a>(
    files: &[String],
    included: impl Iterator<Item = (&'a str, String)>,
) -> Vec<String> {
    let mut found = Vec::new();
    for (source, header) in included {
        let beside = Path::new(source).parent().unwrap_or(Path::new("")).join(&header);
        let is_beside = files.iter().any(|file| Path::new(file) == beside);
        let is_known =
            |place: &String| files.iter().any(|file| place_of(file, &header) == Some(place));
        // No end of a path tells where `..` leads.
        if is_beside || header.contains("..") || found.iter().any(is_known) {
            continue;
        }
        found.extend(files.iter().find_map(|file| place_of(file, &header)).map(str::to_owned));
    }
    found
}

/// The directory from which `header` is the path of `file`.
fn place_of<'f>(file: &'f str, header: &str) -> Option<&'f str> {
    match file.strip_suffix(header)? {
        "" => Some("."),
        place => place.strip_suffix('/'),
    }
}

#[cfg(test)]
mod tests {
    use super::directories;

    #[test]
    fn only_headers_that_are_elsewhere_need_a_directory() {
        let files = ["include/a.h", "include/sys/b.h", "other/a.h", "src/c.h", "src/m.c", "top.h"];
        let files = files.map(str::to_owned);
        let of = |headers: &[&str]| {
            directories(&files, headers.iter().map(|header| ("src/m.c", (*header).to_owned())))
        };
        assert_eq!(of(&["a.h", "sys/b.h", "c.h"]), ["include"]);
        assert_eq!(of(&["b.h", "missing.h", "../src/c.h"]), ["include/sys"]);
        assert_eq!(of(&["top.h"]), ["."]);
        assert_eq!(of(&["c.h"]), [""; 0]);
    }
}
