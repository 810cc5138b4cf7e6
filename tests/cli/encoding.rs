//! Sources and diffs that are not UTF-8: compilers get their bytes as they are.

use std::{fs, path::PathBuf, process::Command};

use psychic::results::{PairRow, RevisionRow, Status, Verdict};

use crate::support::{Scratch, names, run, table};

const PROGRAM: &str = include_str!("programs/encoding.c");

/// A text in Latin-1.
fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c as u32).expect("in Latin-1")).collect()
}

/// A subject in Latin-1 with a diff for each of these replacements, as diff(1) makes them.
fn subject(replacements: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new()
        .file("subject.toml", "name = \"encoding\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\n");
    fs::write(scratch.path("a.c"), latin_1(PROGRAM)).expect("written");
    for (number, (old, new)) in (1..).zip(replacements) {
        let changed = PROGRAM.replace(old, new);
        assert_ne!(changed, PROGRAM);
        fs::write(scratch.path("new.c"), latin_1(&changed)).expect("written");
        let mut diff = Command::new("diff");
        diff.args(["-a", "-u", "--label", "a/a.c", "--label", "b/a.c", "a.c", "new.c"]);
        let made = diff.current_dir(scratch.dir.path()).output().expect("diff runs");
        fs::write(scratch.path(&format!("{number}.diff")), made.stdout).expect("written");
    }
    fs::remove_file(scratch.path("new.c")).expect("removed");
    scratch
}

#[test]
fn a_program_in_latin_1_prints_latin_1() {
    let scratch = subject(&[
        ("> LIMIT", ">= LIMIT + 1"),
        ("\"gr\u{f6}\u{df}er\"", "\"gr\u{f6}sser\""),
        ("f\u{fc}r alle", "f\u{fc}r \u{e4}ltere"),
        ("return 0; /* gut */", "return \u{fc} 0;"),
    ]);
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("\"gr\\xf6\\xdfer\\n"), "{}", ran.stdout);
    let rows: Vec<RevisionRow> = table(&scratch.out());
    let statuses: Vec<Status> = rows.iter().map(|row| row.status).collect();
    assert_eq!(statuses[..4], [Status::Merged; 4], "{rows:?}");
    assert!(statuses[4] == Status::Rejected && rows[4].reason.contains("a.c:14"), "{rows:?}");
    let pairs: Vec<PairRow> = table(&scratch.out());
    let equivalent: Vec<(u32, u32)> = pairs
        .iter()
        .filter(|pair| pair.verdict == Verdict::Equivalent)
        .map(|pair| (pair.a.0, pair.b.0))
        .collect();
    assert_eq!(equivalent, [(0, 1), (0, 3), (1, 3)]);
    // The meta program has the same bytes, and what people read is UTF-8.
    let meta = fs::read(scratch.path("out/meta/a.c")).expect("written");
    let comment = latin_1("/* w\u{f6}rtlich */");
    assert!(meta.windows(comment.len()).any(|bytes| bytes == comment));
    let texts: Vec<PathBuf> = names(&scratch.out())
        .iter()
        .filter(|name| [".html", ".json", ".csv"].iter().any(|end| name.ends_with(end)))
        .map(|name| scratch.out().join(name))
        .collect();
    assert!(texts.len() > 10, "{texts:?}");
    for path in texts {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let is_private = |c: char| ('\u{100000}'..).contains(&c);
        assert!(!text.contains(is_private), "{}", path.display());
    }
}

#[test]
fn parts_of_a_patch_in_latin_1_are_in_latin_1() {
    let scratch = subject(&[("er\"", "\u{e4}r\"")]);
    let ran = run(scratch.stage("interact").args(["--patch", "1", "--by", "statement"]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let results = fs::read_to_string(scratch.path("out/results.json")).expect("UTF-8");
    assert!(results.contains(r"gr\\xf6\\xdf\\xe4r"), "{results}");
}
