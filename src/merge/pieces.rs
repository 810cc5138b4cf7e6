//! The changes that a patch is made of, any of which can be applied without the others.
//!
//! A change is a run of lines that are removed, added or replaced without unchanged lines between:
//! a hunk, as `diff -U0` has it. A hunk can be split further by the statements in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::PathBuf,
};

use diffy::DiffOptions;

use crate::subject::Subject;

use super::{
    candidate::{Candidate, Changes, text_of},
    source::{Source, descendants},
};

/// How fine the changes of a patch are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Grain {
    /// A hunk: lines without unchanged ones between.
    Hunk,
    /// A statement or a declaration, if the hunk is made of whole ones.
    Statement,
}

/// A change of a patch: lines of the original that others replace.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Piece {
    /// The file, relative to the source root.
    pub file: PathBuf,
    /// The lines of the original, from 0. An empty range is the place of what is added.
    pub old: Range<usize>,
    /// The lines of the patched file, from 0. An empty range is the place of what is removed.
    pub new: Range<usize>,
}

/// The changes that a patch is made of, by file, and in the order of their lines.
///
/// # Errors
/// A file of the original cannot be read.
pub fn pieces(
    subject: &Subject,
    candidate: &Candidate,
    grain: Grain,
) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    for (file, text) in &candidate.files {
        let lines = |text: &str| text.split_inclusive('\n').count();
        let is_new = !subject.root.join(file).is_file();
        let old = if is_new { "".into() } else { text_of(&subject.root, file)? };
        let Some(new) = text.as_deref().filter(|_| !is_new) else {
            // A file comes or goes as a whole.
            let new = text.as_deref().unwrap_or_default();
            pieces.push(Piece { file: file.clone(), old: 0..lines(&old), new: 0..lines(new) });
            continue;
        };
        let patch = DiffOptions::new().set_context_len(0).create_patch(&old, new).to_string();
        let hunks: Vec<[Range<usize>; 2]> =
            patch.lines().filter_map(|line| line.strip_prefix("@@ -")).filter_map(ranges).collect();
        let split = match grain {
            Grain::Hunk => hunks,
            Grain::Statement => {
                let [before, after] = [Source::new(old.clone()), Source::new(new)];
                hunks.into_iter().flat_map(|hunk| statements([&before, &after], hunk)).collect()
            }
        };
        let piece = |[old, new]: [Range<usize>; 2]| Piece { file: file.clone(), old, new };
        pieces.extend(split.into_iter().map(piece));
    }
    Ok(pieces)
}

/// The files that differ from the original if only some changes of a patch are made: those of
/// `pieces` that `wanted` takes.
///
/// # Errors
/// A file of the original cannot be read.
pub fn part(
    subject: &Subject,
    candidate: &Candidate,
    pieces: &[Piece],
    wanted: impl Fn(usize) -> bool,
) -> Result<Changes, String> {
    let mut by_file: BTreeMap<&PathBuf, Vec<(usize, &Piece)>> = BTreeMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        by_file.entry(&piece.file).or_default().push((index, piece));
    }
    let mut changes = Changes::new();
    for (file, pieces) in by_file {
        if !pieces.iter().any(|(index, _)| wanted(*index)) {
            continue;
        }
        let text = &candidate.files[file];
        let is_new = !subject.root.join(file).is_file();
        let Some(new) = text.as_deref().filter(|_| !is_new) else {
            changes.insert(file.clone(), text.clone());
            continue;
        };
        let original = text_of(&subject.root, file)?;
        let [old, new] =
            [&*original, new].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
        let (mut made, mut done) = (String::new(), 0);
        for (index, piece) in pieces {
            made.extend(old[done..piece.old.start].iter().copied());
            match wanted(index) {
                true => made.extend(new[piece.new.clone()].iter().copied()),
                false => made.extend(old[piece.old.clone()].iter().copied()),
            }
            done = piece.old.end;
        }
        made.extend(old[done..].iter().copied());
        changes.insert(file.clone(), Some(made.into()));
    }
    Ok(changes)
}

/// The lines, from 0, of `-a,b +c,d @@` without its beginning.
fn ranges(header: &str) -> Option<[Range<usize>; 2]> {
    let (old, rest) = header.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let range = |text: &str| -> Option<Range<usize>> {
        let (start, length) = text.split_once(',').unwrap_or((text, "1"));
        let (start, length): (usize, usize) = (start.parse().ok()?, length.parse().ok()?);
        // Without lines, it is the number of the line before.
        let start = if length == 0 { start } else { start.checked_sub(1)? };
        Some(start..start + length)
    };
    Some([range(old)?, range(new)?])
}

/// Splits a hunk into its statements. A statement that is replaced is one change with what replaces
/// it. If the hunk is not made of whole statements, it remains whole.
fn statements(sources: [&Source; 2], hunk: [Range<usize>; 2]) -> Vec<[Range<usize>; 2]> {
    let [Some(old), Some(new)] =
        [0, 1].map(|side: usize| whole_statements(sources[side], hunk[side].clone()))
    else {
        return vec![hunk];
    };
    let likeness = |a: &Range<usize>, b: &Range<usize>| {
        let [mut a, mut b] = [words(sources[0], a), words(sources[1], b)];
        a.sort_unstable();
        b.sort_unstable();
        let mut rest = b.into_iter().peekable();
        let is_common = |word: &&&str| {
            while rest.next_if(|other| other < *word).is_some() {}
            rest.next_if_eq(*word).is_some()
        };
        1 + 2 * a.iter().filter(is_common).count()
    };
    aligned(&old, &new, &likeness, &hunk)
}

/// The words on some lines.
fn words<'s>(source: &'s Source, lines: &Range<usize>) -> Vec<&'s str> {
    let start = |line: usize| match line {
        0 => 0,
        line => {
            source.text.match_indices('\n').nth(line - 1).map_or(source.text.len(), |(at, _)| at)
        }
    };
    let (from, to) = (start(lines.start), start(lines.end));
    let inside = |index: &usize| (from..to).contains(&source.at(*index).start);
    (0..source.length()).filter(inside).map(|index| source.token(index)).collect()
}

/// Pairs the statements of both sides of a hunk, in order and so that pairs are as alike as
/// possible.
fn aligned(
    old: &[Range<usize>],
    new: &[Range<usize>],
    likeness: &dyn Fn(&Range<usize>, &Range<usize>) -> usize,
    hunk: &[Range<usize>; 2],
) -> Vec<[Range<usize>; 2]> {
    // The best total for the statements from each two positions on.
    let mut best = vec![vec![0; new.len() + 1]; old.len() + 1];
    let mut pair = vec![vec![0; new.len()]; old.len()];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            pair[a][b] = best[a + 1][b + 1] + likeness(&old[a], &new[b]);
            best[a][b] = pair[a][b].max(best[a + 1][b]).max(best[a][b + 1]);
        }
    }
    let place = |side: &[Range<usize>], at: usize, whole: &Range<usize>| {
        let place = side.get(at).map_or(whole.end, |range| range.start);
        place..place
    };
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && best[a][b] == pair[a][b] {
            pairs.push([old[a].clone(), new[b].clone()]);
            (a, b) = (a + 1, b + 1);
        } else if b == new.len() || a < old.len() && best[a][b] == best[a + 1][b] {
            pairs.push([old[a].clone(), place(new, b, &hunk[1])]);
            a += 1;
        } else {
            pairs.push([place(old, a, &hunk[0]), new[b].clone()]);
            b += 1;
        }
    }
    pairs
}

/// The statements and declarations that make up some lines, each with the blank lines and comments
/// before it; `None` if other code is there, too.
fn whole_statements(source: &Source, lines: Range<usize>) -> Option<Vec<Range<usize>>> {
    let ends: Vec<usize> = source.text.match_indices('\n').map(|(at, _)| at).collect();
    let row = |index: usize| ends.partition_point(|end| *end < source.at(index).start);
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    let mut code: BTreeSet<usize> = BTreeSet::new();
    for index in 0..source.length() {
        first.entry(row(index)).or_insert(index);
        code.insert(row(index));
    }
    let mut whole: BTreeMap<usize, usize> = BTreeMap::new();
    for node in descendants(source.tree.root_node(), &|_| true) {
        let (start, span) = (node.start_position().row, source.span(node));
        let is_whole = is_statement(node.kind())
            && !span.is_empty()
            && first.get(&start) == Some(&span.start)
            && (span.end >= source.length() || row(span.end) > row(span.end - 1));
        if is_whole {
            // The outermost comes first.
            whole.entry(start).or_insert_with(|| row(span.end - 1) + 1);
        }
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let (mut begin, mut at) = (lines.start, lines.start);
    while at < lines.end {
        if !code.contains(&at) {
            at += 1;
            continue;
        }
        let end = *whole.get(&at)?;
        if end > lines.end {
            return None;
        }
        found.push(begin..end);
        (begin, at) = (end, end);
    }
    match found.last_mut() {
        Some(last) => last.end = lines.end,
        None if !lines.is_empty() => found.push(lines),
        None => {}
    }
    Some(found)
}

fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement")
        || matches!(
            kind,
            "declaration"
                | "function_definition"
                | "type_definition"
                | "preproc_include"
                | "preproc_def"
                | "preproc_function_def"
        )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::subject::SubjectConfig;

    /// A subject with one file, and a patch that gives it another text.
    fn patched(old: &str, new: &str) -> (tempfile::TempDir, Subject, Candidate) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.c"), old).unwrap();
        let subject = Subject {
            config: SubjectConfig::named("a".into()),
            dir: dir.path().into(),
            root: dir.path().into(),
            commit: None,
            sources: vec!["a.c".into()],
            patches: Vec::new(),
            files: Vec::new(),
            times: Default::default(),
            tests: Default::default(),
            reference: None,
            labels: Default::default(),
        };
        let files = [("a.c".into(), Some(new.into()))].into();
        (dir, subject, Candidate { files, ..Candidate::default() })
    }

    fn lines(old: &str, new: &str, grain: Grain) -> Vec<[Range<usize>; 2]> {
        let (_dir, subject, candidate) = patched(old, new);
        let pieces = pieces(&subject, &candidate, grain).unwrap();
        pieces.into_iter().map(|piece| [piece.old, piece.new]).collect()
    }

    const OLD: &str =
        "int f(int a)\n{\n\tint b = 1;\n\tif (a) {\n\t\tb = 2;\n\t}\n\treturn b;\n}\n";

    #[test]
    fn hunks_are_runs_of_changed_lines() {
        let new =
            OLD.replace("\tint b = 1;\n", "\tint b = 3;\n\tint c = 4;\n").replace("b = 2", "b = c");
        assert_eq!(lines(OLD, &new, Grain::Hunk), [[2..3, 2..4], [4..5, 5..6]]);
        assert_eq!(lines(OLD, &new, Grain::Statement), [[2..3, 2..3], [3..3, 3..4], [4..5, 5..6]]);
        let less = OLD.replace("\t\tb = 2;\n", "");
        assert_eq!(lines(OLD, &less, Grain::Hunk), [[4..5, 4..4]]);
    }

    #[test]
    fn what_is_no_whole_statement_stays_one_change() {
        let new = OLD.replace("\tif (a) {\n", "\tb++;\n\tif (a > 1) {\n");
        assert_eq!(lines(OLD, &new, Grain::Statement).len(), 1);
        let new =
            OLD.replace("\treturn b;\n", "\t/* c */\n\n\tb++;\n\tif (b)\n\t\tb--;\n\treturn b;\n");
        assert_eq!(lines(OLD, &new, Grain::Statement), [[6..6, 6..9], [6..6, 9..11]]);
    }

    #[test]
    fn a_file_comes_as_a_whole() {
        let (_dir, subject, mut candidate) = patched("int a;\n", "int b;\n");
        candidate.files.insert("b.c".into(), Some("int c;\nint d;\n".into()));
        let all = pieces(&subject, &candidate, Grain::Statement).unwrap();
        assert_eq!(all.len(), 2);
        let made = part(&subject, &candidate, &all, |index| index == 1).unwrap();
        assert_eq!(made.keys().collect::<Vec<_>>(), [&PathBuf::from("b.c")]);
    }

    proptest! {
        #[test]
        fn all_changes_are_the_patch_and_none_is_the_original(
            old in prop::collection::vec(0usize..6, 0..20),
            new in prop::collection::vec(0usize..6, 0..20),
            some in any::<u32>(),
        ) {
            const LINES: [&str; 6] = ["int f(void) {", "}", "\tx = 1;", "\tif (x)", "", "\ty();"];
            let text = |v: &[usize]| v.iter().map(|n| format!("{}\n", LINES[*n])).collect::<String>();
            let (old, new) = (text(&old), text(&new));
            let (_dir, subject, candidate) = patched(&old, &new);
            for grain in [Grain::Hunk, Grain::Statement] {
                let all = pieces(&subject, &candidate, grain).unwrap();
                let made = |wanted: &dyn Fn(usize) -> bool| {
                    let made = part(&subject, &candidate, &all, wanted).unwrap();
                    made.values().next().cloned().flatten().map_or(old.clone(), |t| t.to_string())
                };
                prop_assert_eq!(made(&|_| true), new.clone());
                prop_assert_eq!(made(&|_| false), old.clone());
                // What is common to both is in every part.
                let common = old.lines().count() - all.iter().map(|p| p.old.len()).sum::<usize>();
                let of_part: usize = all.iter().enumerate().map(|(index, p)| {
                    if some >> (index % 32) & 1 == 1 { p.new.len() } else { p.old.len() }
                }).sum();
                let part = made(&|index| some >> (index % 32) & 1 == 1);
                prop_assert_eq!(part.lines().count(), common + of_part);
            }
        }
    }
}
