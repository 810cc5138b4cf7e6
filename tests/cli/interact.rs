//! The interaction of the changes of a patch, held against every subset of them compiled alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use psychic::{
    replay::TestInput,
    results::{
        ChangeRow, CriticalRow, CsgRow, FoundBy, InteractionRow, Introduced, NodeKind, OutcomeRow,
        RevisionRow, SequenceRow, Status, SubsetRow, TestId, TestRow,
    },
    subject::Revision,
};

use crate::{
    packages::{CONFIG, nested, nested_twice, package},
    support::{Scratch, psychic, refused, run, table},
};

/// A directory below `tests/interact`.
fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interact").join(name)
}

/// Runs `psychic interact`, which has to succeed, and returns what it prints.
fn interact(subject: &Path, out: &Path, more: &[&str]) -> String {
    let ran = run(psychic().arg("interact").arg(subject).arg("--out").arg(out).args(more));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    ran.stdout
}

/// The names of changes, for comparison.
fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

#[test]
fn the_running_example_has_its_critical_sequence() {
    let scratch = Scratch::new();
    for (later, error) in [(vec!["--later", "2"], true), (vec![], false)] {
        let arguments = [vec!["--patch", "1"], later].concat();
        interact(&kept("cut-ranges"), &scratch.out(), &arguments);
        let critical: Vec<CriticalRow> = table(&scratch.out());
        assert_eq!(critical.len(), 1, "{critical:?}");
        assert_eq!(critical[0].sequence, names(&["1", "5", "7"]), "later: {error}");
        assert_eq!(critical[0].error, Introduced::Regression);
        let sequences: Vec<SequenceRow> = table(&scratch.out());
        // The other sequences that the paper has for it, and tests of its changes in isolation, have no error.
        for other in [vec!["1"], vec!["1", "5"], vec!["1", "7"]] {
            let of_it = || sequences.iter().filter(|row| row.sequence == names(&other));
            assert!(of_it().count() > 0, "{other:?}");
            assert!(of_it().all(|row| row.error.is_none() && !row.critical), "{other:?}");
        }
        assert!(sequences.iter().any(|row| row.isolated));
        assert!(sequences.iter().all(|row| !row.isolated || row.error.is_none()));
    }
    let changes: Vec<ChangeRow> = table(&scratch.out());
    let needs: Vec<_> = changes.iter().map(|row| (row.change.as_str(), &row.needs[..])).collect();
    let first = names(&["1"]);
    assert_eq!(needs, [("1", &[][..]), ("5", &first[..]), ("7", &first[..])]);
    let found: Vec<InteractionRow> = table(&scratch.out());
    assert!(!found.is_empty());
    assert!(found.iter().all(|row| row.changes == names(&["1", "5", "7"]) && row.potential));
}

#[test]
fn the_graph_of_the_running_example_is_the_published_one() {
    let scratch = Scratch::new();
    interact(&kept("cut-ranges"), &scratch.out(), &["--patch", "1"]);
    let rows: Vec<CsgRow> = table(&scratch.out());
    let edges: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row.from.as_str(), row.to.as_str())).collect();
    for edge in [("root", "1"), ("1", "5"), ("1", "7"), ("5", "7"), ("7", "5"), ("7", "ranges.c:9")]
    {
        assert!(edges.contains(&edge), "{edge:?} of {edges:?}");
    }
    // Line 7 is where 1 and 5 meet.
    let seventh = rows.iter().find(|row| row.to == "7").expect("a node");
    assert_eq!((seventh.to_kind, &seventh.depends), (NodeKind::Change, &names(&["1", "5"])));
    for file in ["csg.dot", "csg.svg", "report.html"] {
        let text = fs::read_to_string(scratch.out().join(file)).expect("written");
        assert!(text.contains("ranges.c:9"), "{file}");
    }
}

#[test]
fn the_overflow_has_its_critical_sequence() {
    let scratch = Scratch::new();
    let said = interact(&kept("cut-overflow"), &scratch.out(), &["--patch", "1", "--later", "2"]);
    assert!(said.contains("critical sequence <56, 63>"), "{said}");
    let critical: Vec<CriticalRow> = table(&scratch.out());
    assert_eq!(critical.len(), 1);
    assert_eq!(critical[0].sequence, names(&["56", "63"]));
    assert_eq!(critical[0].error, Introduced::Regression);
    // The change that only removes is no place of the program, and yet takes part.
    let found: Vec<InteractionRow> = table(&scratch.out());
    let sets: BTreeSet<&[String]> = found.iter().map(|row| &row.changes[..]).collect();
    let removal: Vec<ChangeRow> =
        table::<ChangeRow>(&scratch.out()).into_iter().filter(|row| row.new_lines == 0).collect();
    assert_eq!(removal.len(), 1);
    for other in ["56", "63"] {
        assert!(sets.contains(&[removal[0].change.clone(), other.into()][..]), "{sets:?}");
    }
    assert!(found.iter().all(|row| !row.potential));
    // The table is where the two others meet.
    let rows: Vec<CsgRow> = table(&scratch.out());
    let both = names(&["56", "63"]);
    assert!(rows.iter().any(|row| row.to_kind == NodeKind::Interaction && row.depends == both));
}

/// What a run shows, by output.
type Outputs = Vec<(String, Vec<u8>)>;

/// What a program prints and returns on each value of `x` and `y` from 0 to 7.
fn outcomes(scratch: &Scratch, source: &str) -> Vec<Outputs> {
    let main = "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n\t(void)argc;\n\
                \tprintf(\"= %d\\n\", four(atoi(argv[1]), atoi(argv[2])));\n}\n";
    let path = scratch.path("alone.c");
    fs::write(&path, format!("{source}\n{main}")).expect("written");
    let program = scratch.path("alone");
    let mut clang = Command::new("clang-19");
    let clang = clang.args(["-w", "-O1"]).arg(&path).arg("-o").arg(&program);
    assert!(clang.status().expect("a compiler").success());
    let on = |x: usize, y: usize| {
        let ran = Command::new(&program).args([x.to_string(), y.to_string()]).output();
        let ran = ran.expect("it runs");
        assert!(ran.status.success());
        let text = String::from_utf8(ran.stdout).expect("text");
        let (shown, result) = text.rsplit_once("= ").expect("a result");
        vec![
            ("return".to_owned(), result.as_bytes().to_vec()),
            ("stdout".to_owned(), shown.as_bytes().to_vec()),
        ]
    };
    (0..64).map(|input| on(input % 8, input / 8)).collect()
}

/// The sets of changes, in bits, of which leaving one out alters what another one does to an output, and
/// that have no smaller part of which that is so. Written from the definition, not from the command's code.
fn brute_force(of_subset: &BTreeMap<u32, Outputs>) -> BTreeSet<u32> {
    let same = |a: u32, b: u32, output: usize| of_subset[&a][output] == of_subset[&b][output];
    let interacts = |set: u32| {
        let bits: Vec<u32> = (0..8).map(|bit| 1 << bit).filter(|bit| set & bit != 0).collect();
        bits.iter().any(|a| {
            bits.iter().filter(|b| *b != a).any(|b| {
                let rest = set & !a & !b;
                (0..2).any(|output| {
                    let a_is_idle = same(rest, rest | a, output) && same(rest | b, set, output);
                    let b_is_idle = same(rest, rest | b, output) && same(rest | a, set, output);
                    !a_is_idle && !b_is_idle
                })
            })
        })
    };
    let all: Vec<u32> = of_subset.keys().copied().filter(|set| interacts(*set)).collect();
    let is_least = |set: &u32| all.iter().all(|part| part == set || part & !set != 0);
    all.iter().copied().filter(is_least).collect()
}

/// The value of a parameter in a test of the results.
fn value(input: &TestInput, name: &str) -> usize {
    let bytes = input.object(name).expect("it has one");
    i32::from_le_bytes(bytes.try_into().expect("an int")) as usize
}

#[test]
fn sets_are_those_of_every_subset_compiled_alone() {
    let scratch = Scratch::new();
    let kept = kept("four");
    interact(&kept, &scratch.out(), &["--patch", "1"]);
    let changes: Vec<ChangeRow> = table(&scratch.out());
    assert_eq!(changes.len(), 4, "{changes:?}");
    let original = fs::read_to_string(kept.join("four.c")).expect("text");
    let patched = scratch.path("patched.c");
    let diff = fs::File::open(kept.join("four.diff")).expect("it is there");
    let mut patch = Command::new("patch");
    let patch = patch.arg("-s").arg("-o").arg(&patched).arg(kept.join("four.c")).stdin(diff);
    assert!(patch.status().expect("patch(1)").success());
    let patched = fs::read_to_string(&patched).expect("text");
    let [old, new]: [Vec<&str>; 2] = [&original, &patched].map(|text| text.lines().collect());
    assert_eq!(old.len(), new.len(), "each change replaces lines by as many");
    // The lines of each change, where both texts have them.
    let places: Vec<usize> = (0..old.len()).filter(|line| old[*line] != new[*line]).collect();
    assert_eq!(places.len(), 4);
    let mut known: BTreeMap<u32, Vec<Outputs>> = BTreeMap::new();
    for subset in 0..16 {
        let mut lines = old.clone();
        for (bit, line) in places.iter().enumerate() {
            if subset >> bit & 1 == 1 {
                lines[*line] = new[*line];
            }
        }
        known.insert(subset, outcomes(&scratch, &lines.join("\n")));
    }
    let rows: Vec<InteractionRow> = table(&scratch.out());
    let bit = |name: &String| changes.iter().position(|row| row.change == *name).expect("known");
    let mut seen = BTreeSet::new();
    for test in table::<TestRow>(&scratch.out()) {
        let file = scratch.out().join(format!("tests/{:04}.ktest", test.test.0));
        let input = TestInput::read(&file).expect("a test");
        let (x, y) = (value(&input, "x"), value(&input, "y"));
        let of_input =
            known.iter().map(|(subset, all)| (*subset, all[x + 8 * y].clone())).collect();
        let expected = brute_force(&of_input);
        let found: BTreeSet<u32> = rows
            .iter()
            .filter(|row| row.test == test.test)
            .map(|row| row.changes.iter().fold(0, |set, name| set | 1 << bit(name)))
            .collect();
        assert_eq!(found, expected, "x = {x}, y = {y}");
        seen.extend(found);
    }
    // Two, three and no two of three: the tests have something of each kind.
    let sizes: BTreeSet<u32> = seen.iter().map(|set| set.count_ones()).collect();
    assert_eq!(sizes, BTreeSet::from([2, 3]), "{seen:?}");
    // Every subset is a revision, and has the outcome that it has alone.
    let subsets: Vec<SubsetRow> = table(&scratch.out());
    assert_eq!(subsets.len(), 16);
    let rows: Vec<OutcomeRow> = table(&scratch.out());
    let clusters: BTreeMap<(TestId, Revision), Revision> =
        rows.iter().map(|row| ((row.test, row.revision), row.cluster)).collect();
    for test in table::<TestRow>(&scratch.out()) {
        let file = scratch.out().join(format!("tests/{:04}.ktest", test.test.0));
        let input = TestInput::read(&file).expect("a test");
        let at = value(&input, "x") + 8 * value(&input, "y");
        let set = |row: &SubsetRow| row.changes.iter().fold(0, |set, name| set | 1 << bit(name));
        for (a, b) in subsets.iter().zip(&subsets[1..]) {
            let cluster = |row: &SubsetRow| clusters[&(test.test, row.revision)];
            let is_same = known[&set(a)][at] == known[&set(b)][at];
            assert_eq!(cluster(a) == cluster(b), is_same, "test {}", test.test);
        }
    }
}

/// One input tells all subsets apart that differ, and yet another is the only one on which the three
/// changes interact and no two of them do.
#[test]
fn every_way_to_tell_subsets_apart_is_visited() {
    let source = "int entry(int x, int y)\n{\n\tint r = 0;\n\tr = r;\n\tr ^= 9;\n\
        \tif (x < -1) r = y * x;\n\tif (x != 4) r--;\n\tr = x;\n\treturn r;\n}\n";
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -4 +4 @@\n-\tr = r;\n+\tif (x + y < 2) r = y * x;\n\
        @@ -6 +6 @@\n-\tif (x < -1) r = y * x;\n+\tif (r != 4) r = x - r;\n\
        @@ -8 +8 @@\n-\tr = x;\n+\tr += 7 - y;\n";
    let toml = "name = \"s\"\nsources = [\"a.c\"]\npatches = [\"*.diff\"]\nentry = \"entry\"\n\
        [inputs.params]\nx = { min = -6, max = 6 }\ny = { min = -6, max = 6 }\n";
    let scratch = Scratch::new().file("a.c", source).file("1.diff", diff);
    let scratch = scratch.file("subject.toml", toml);
    let said = interact(scratch.dir.path(), &scratch.out(), &["--patch", "1"]);
    let rows: Vec<InteractionRow> = table(&scratch.out());
    let sets: BTreeSet<Vec<String>> = rows.into_iter().map(|row| row.changes).collect();
    let expected = [names(&["4", "8"]), names(&["6", "8"]), names(&["4", "6", "8"])];
    assert_eq!(sets, BTreeSet::from(expected), "{said}");
    assert!(!said.contains("was visited"), "{said}");
}

#[test]
fn other_commands_take_the_results() {
    let scratch = Scratch::new();
    interact(&kept("cut-overflow"), &scratch.out(), &["--patch", "1", "--later", "2"]);
    for command in ["rank", "plot"] {
        let ran = run(psychic().arg(command).arg(scratch.out()));
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    }
    let ask = run(psychic().arg("ask").arg(scratch.out()).write_stdin(""));
    assert_eq!(ask.code, Some(0), "{}", ask.stderr);
    let mut explain = psychic();
    explain.arg("explain").arg(kept("cut-overflow")).args([
        "0",
        "7",
        "--time-budget",
        "0s",
        "--out",
    ]);
    let explained = run(explain.arg(scratch.out()));
    assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    assert!(explained.stdout.contains("-55+56+63"), "{}", explained.stdout);
    let with_subject = |command: &[&str]| {
        let mut with = psychic();
        with.args(command).arg(kept("cut-overflow")).arg("--out").arg(scratch.out());
        let ran = run(&mut with);
        assert!(ran.code.is_some_and(|code| code < 2), "{command:?}: {}", ran.stderr);
        ran.stdout
    };
    assert!(with_subject(&["rank"]).contains("-55+56+63"));
    assert!(with_subject(&["export", "--as", "c"]).contains("set_fields"));
    assert!(with_subject(&["export", "--as", "junit"]).contains("-55+56+63"));
    let clusters = || {
        let rows: Vec<OutcomeRow> = table(&scratch.out());
        rows.into_iter().map(|row| (row.test, row.revision, row.cluster)).collect::<Vec<_>>()
    };
    let before = clusters();
    with_subject(&["replay"]);
    assert_eq!(clusters(), before);
    // A comparison in the same place leaves nothing of it behind.
    let ran = run(psychic().arg("diff").arg(kept("cut-overflow")).arg("--out").arg(scratch.out()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for name in ["subsets", "subsets.csv", "csg.svg", "interactions.csv"] {
        assert!(!scratch.out().join(name).exists(), "{name}");
    }
}

/// Functions, each with a number that its change replaces.
fn many(changes: usize) -> Scratch {
    let line = |index: usize, value: usize| format!("\tif (x == {index})\n\t\tr += {value};\n");
    let text = |value: usize| {
        let lines: String = (0..changes).map(|index| line(index, value)).collect();
        format!("int entry(int x)\n{{\n\tint r = 0;\n{lines}\treturn r;\n}}\n")
    };
    let mut diff = String::from("--- a/a.c\n+++ b/a.c\n");
    for index in 0..changes {
        let at = 5 + 2 * index;
        diff += &format!("@@ -{at} +{at} @@\n-\t\tr += 0;\n+\t\tr += 1;\n");
    }
    Scratch::new().file("a.c", &text(0)).file("1.diff", &diff)
}

#[test]
fn of_more_than_ten_changes_some_subsets_are_revisions() {
    let scratch = many(11);
    let said =
        interact(scratch.dir.path(), &scratch.out(), &["--patch", "1", "--time-budget", "20s"]);
    assert!(said.contains("of 11 changes, the 1024 subsets"), "{said}");
    assert!(said.contains("no changes interact"), "{said}");
    let subsets: Vec<SubsetRow> = table(&scratch.out());
    assert_eq!(subsets.len(), 1024);
    let sizes: BTreeSet<usize> = subsets.iter().map(|row| row.changes.len()).collect();
    assert!(sizes.contains(&0) && sizes.contains(&1) && sizes.contains(&10) && sizes.contains(&11));
}

#[test]
fn statements_are_changes_of_their_own() {
    let source = "int entry(int x)\n{\n\tint a = 1;\n\tint b = 2;\n\treturn x > 9 ? a : b;\n}\n";
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -3,2 +3,2 @@\n-\tint a = 1;\n-\tint b = 2;\n+\tint a = 3;\n+\tint b = 4;\n";
    let scratch = || Scratch::new().file("a.c", source).file("1.diff", diff);
    let whole = scratch();
    let message = refused(whole.stage("interact").args(["--patch", "1"]));
    assert!(message.contains("1.diff) has one change only") && message.contains("--by statement"));
    let split = scratch();
    interact(split.dir.path(), &split.out(), &["--patch", "1", "--by", "statement"]);
    let changes: Vec<ChangeRow> = table(&split.out());
    let of: Vec<_> = changes.iter().map(|row| (row.change.as_str(), row.old_line)).collect();
    assert_eq!(of, [("3", 3), ("4", 4)]);
    let rows: Vec<InteractionRow> = table(&split.out());
    assert!(rows.is_empty(), "{rows:?}");
    assert!(table::<TestRow>(&split.out()).iter().any(|row| row.found_by == FoundBy::Sequence));
}

#[test]
fn what_cannot_be_done_is_said() {
    let said = |scratch: &Scratch, more: &[&str]| {
        let message = refused(scratch.stage("interact").args(more));
        assert!(!scratch.out().join("interactions.csv").exists());
        message
    };
    let three =
        many(3).file("2.diff", "--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\t\tr += 7;\n+\t\tr += 1;\n");
    let broken = "--- a/a.c\n+++ b/a.c\n@@ -5 +5 @@\n-\t\tr += 0;\n+\t\tr += y;\n@@ -7 +7 @@\n-\t\tr += 0;\n+\t\tr += 1;\n";
    let three = three.file("3.diff", broken);
    assert!(
        said(&three, &["--patch", "9"]).contains("there is no patch 9: scratch has patches 1 to 3")
    );
    assert!(said(&three, &["--patch", "0"]).contains("there is no patch 0"));
    let message = said(&three, &["--patch", "2"]);
    assert!(
        message.contains("patch 2 (2.diff) is set aside") && message.contains("hunk 1"),
        "{message}"
    );
    let message = said(&three, &["--patch", "3"]);
    assert!(
        message.contains("patch 3 (3.diff) is set aside") && message.contains("`y`")
            || message.contains("'y'"),
        "{message}"
    );
    assert!(said(&three, &["--patch", "1", "--later", "1"]).contains("--later 1"));
    assert!(said(&three, &["--patch", "1", "--later", "8"]).contains("there is no patch 8"));
    // Nothing is judged by a revision that is none.
    let message = said(&three, &["--patch", "1", "--later", "3"]);
    assert!(message.contains("revision 8 "), "{message}");
    assert!(said(&three, &[]).contains("--patch"));
    let one = Scratch::new().patch("1.diff", "return x > 1;");
    let message = said(&one, &["--patch", "1", "--by", "statement"]);
    assert!(message.contains("has one change only, so that none can interact"), "{message}");
    let toml = "name = \"meta\"\nsources = [\"a.c\"]\nrevisions = 2\nentry = \"entry\"\n";
    let meta = Scratch::new().file("subject.toml", toml);
    assert!(said(&meta, &["--patch", "1"]).contains("only patches of C files are split"));
}

/// Two files of a package: what one no longer says, the other says in its place.
#[test]
fn changes_of_packages_interact_too() {
    let inputs = "[inputs]\nargs = [{ string = 1, count = [0, 1] }]\n";
    let both = "--- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
        -\treturn say(GREETING, argc > 1 ? argv[1] : \"world\");\n\
        +\treturn say(GREETING, argc > 1 ? argv[1] : \"\");\n\
        --- a/say.c\n+++ b/say.c\n@@ -5 +5 @@\n\
        -\tprintf(\"%s %s\\n\", what, whom);\n\
        +\tprintf(\"%s %s\\n\", what, *whom ? whom : \"nobody\");\n";
    let scratch = package().file("subject.toml", &format!("{CONFIG}\n{inputs}"));
    let scratch = scratch.file("1.diff", both);
    let said = interact(scratch.dir.path(), &scratch.out(), &["--patch", "1"]);
    assert!(said.contains("critical sequence") || said.contains("errors of the patch"), "{said}");
    let rows: Vec<InteractionRow> = table(&scratch.out());
    let pair = names(&["main.c:6", "say.c:5"]);
    assert!(!rows.is_empty(), "{said}");
    for row in &rows {
        assert_eq!((&row.changes, &row.sequence, row.potential), (&pair, &pair, true));
    }
    // On no argument, the two print something else than either alone; on an empty one, only one does.
    let inputs: BTreeSet<usize> = rows.iter().map(|row| argument_count(&scratch, row)).collect();
    assert_eq!(inputs, BTreeSet::from([1]));
    let edges = fs::read_to_string(scratch.out().join("csg.csv")).expect("written");
    assert!(edges.contains("root,root,main.c:6,change,"), "{edges}");
    assert!(edges.contains("main.c:6,change,say.c:5,change,"), "{edges}");
}

/// Changes of the two files of [`nested`].
const OF_NESTED: &str = "--- a/lib/half.c\n+++ b/lib/half.c\n@@ -6 +6 @@\n\
    -\tif (x > 64) {\n+\tif (x > 97) {\n\
    --- a/main.c\n+++ b/main.c\n@@ -6 +6 @@\n\
    -\tprintf(\"%d\\n\", half(argc > 1 ? argv[1][0] : 'a'));\n\
    +\tprintf(\"%d\\n\", half(argc > 1 ? argv[1][0] : 'b'));\n";

/// A build may run the compiler where a file lies (`make -C`): its name alone is known then.
#[test]
fn changes_of_files_in_subdirectories_are_seen_to_run() {
    let scratch = nested().file("1.diff", OF_NESTED);
    let said = interact(scratch.dir.path(), &scratch.out(), &["--patch", "1"]);
    let rows: Vec<InteractionRow> = table(&scratch.out());
    assert!(!rows.is_empty(), "{said}");
    for row in &rows {
        assert_eq!(row.changes, names(&["lib/half.c:6", "main.c:6"]));
        assert_eq!(row.sequence, names(&["main.c:6", "lib/half.c:6"]));
        assert!(row.potential, "{said}");
    }
    let page = fs::read_to_string(scratch.out().join("report.html")).expect("written");
    assert!(page.contains("lib/half.c:7") && page.contains("puts(&quot;large&quot;);"), "{page}");
}

#[test]
fn a_name_that_several_files_have_is_said() {
    let scratch = nested_twice().file("1.diff", OF_NESTED);
    let said = interact(scratch.dir.path(), &scratch.out(), &["--patch", "1"]);
    assert!(said.contains("changes of half.c are not seen to run, as there are several"), "{said}");
    let rows: Vec<InteractionRow> = table(&scratch.out());
    assert!(!rows.is_empty(), "{said}");
    assert!(rows.iter().all(|row| row.sequence == names(&["main.c:6"])), "{rows:?}");
}

/// How many arguments the input of a row has, with the name of the program.
fn argument_count(scratch: &Scratch, row: &InteractionRow) -> usize {
    let file = scratch.out().join(format!("tests/{:04}.ktest", row.test.0));
    TestInput::read(&file).expect("a test").args.len()
}

#[test]
fn parts_that_are_no_programs_are_set_aside() {
    let scratch = Scratch::new();
    interact(&kept("cut-ranges"), &scratch.out(), &["--patch", "1"]);
    let rows: Vec<RevisionRow> = table(&scratch.out());
    let subsets: Vec<SubsetRow> = table(&scratch.out());
    for row in &rows {
        let of =
            subsets.iter().find(|subset| subset.revision == row.revision).expect("one for each");
        let lacks = !of.changes.is_empty() && !of.changes.contains(&"1".to_owned());
        assert_eq!(row.status == Status::Rejected, lacks, "{row:?}");
    }
}
