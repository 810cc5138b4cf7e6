//! Messages about a meta text, in the lines and names of a revision's own source.

use std::path::Path;

use crate::subject::Revision;

use super::project::{self, SUFFIX};

/// A compiler's message about a meta program with the files `metas`, rewritten with the lines of a
/// revision with the texts `own`. A line of the message stays as it is if no line of the revision
/// is found for it.
pub(super) fn in_own_words<'a>(
    message: &str,
    metas: impl Iterator<Item = (&'a Path, &'a str)> + Clone,
    revision: Revision,
    own: impl Fn(&Path) -> Option<&'a str>,
) -> String {
    let translated = |line: &str| -> Option<String> {
        let (path, rest) = line.split_once(':')?;
        let (number, rest) = rest.split_once(':')?;
        let number: usize = number.parse().ok()?;
        let (known, meta) = metas.clone().find(|(known, _)| *known == Path::new(path))?;
        let lines = project::lines(meta, revision, own(known)?)?;
        let number = lines.get(number.checked_sub(1)?)?;
        Some(format!("{path}:{number}:{rest}"))
    };
    let line = |line: &str| translated(line).unwrap_or_else(|| line.to_owned());
    message.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A message without the suffixes that tell the names of revisions apart.
pub(super) fn plain(message: &str) -> String {
    let mut parts = message.split(SUFFIX);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_revision() {
        let meta = "#include \"psychic.h\"\n\nstatic inline int psychic_at_1(void) {\n\
                    \tswitch (psychic_rev()) {\n\tcase 4: return 4;\n\tdefault: return 0;\n\t}\n}\n\
                    int f(void)\n{\n\tif (psychic_at_1() == 4) { /* revisions 4 */\n\treturn 2;\n\
                    \t} else { /* original */\n\treturn 1;\n\t}\n}\n";
        let own = "int f(void)\n{\n\treturn 2;\n}\n";
        assert!(project::lines(meta, Revision(4), own).is_some());
        let say = |message: &str| {
            let metas = [(Path::new("a.c"), meta)].into_iter();
            in_own_words(message, metas, Revision(4), |_| Some(own))
        };
        assert_eq!(say("a.c:12: no `x'"), "a.c:3: no `x'");
        assert_eq!(say("a.c:12:5: error: x\nb.c:12: y"), "a.c:3:5: error: x\nb.c:12: y");
        assert_eq!(say("a.c:99: y"), "a.c:99: y");
    }

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(
            plain("a.c:9: `KINDS__psychic_4` and z__psychic_12.x"),
            "a.c:9: `KINDS` and z.x"
        );
    }
}
