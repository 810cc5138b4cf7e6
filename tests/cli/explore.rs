//! `psychic explore` on a C file, on bitcode, and on a subject.

use std::{fs, process::Command};

use psychic::{
    replay::TestInput,
    results::{StateRow, StatsRow, TestRow},
};

use crate::support::{Scratch, kept, names, psychic, refused, run, table};

/// Makes `program.bc` from `program.c`.
fn compile(scratch: &Scratch) {
    let compiled = Command::new("clang-19")
        .args(["-O0", "-g", "-emit-llvm", "-c", "program.c", "-o", "program.bc"])
        .current_dir(scratch.dir.path())
        .status()
        .expect("clang-19 runs");
    assert!(compiled.success());
}

const PROGRAM: &str = include_str!("programs/explore_program.c");

#[test]
fn explore_a_c_file() {
    let scratch = Scratch::new().file("program.c", PROGRAM);
    let explore = |tests: &str| {
        let mut command = psychic();
        command.arg("explore").arg(scratch.path("program.c")).arg("--out").arg(scratch.out());
        let ran = run(command.args(["--stats", "--tests", tests]));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("1 x division-by-zero at program.c:8"), "{}", ran.stdout);
        let tests = names(&scratch.path("out/tests"));
        tests.iter().map(|name| scratch.path("out/tests").join(name)).collect::<Vec<_>>()
    };
    let all = explore("all");
    let states: Vec<StateRow> = table(&scratch.out());
    assert_eq!(all.len(), states.len());
    assert!(table::<StatsRow>(&scratch.out()).iter().any(|row| row.phase == "explore"));
    // The tests of the previous run are gone.
    let errors = explore("errors");
    assert_eq!(errors.len(), 1);
    let input = TestInput::read(&errors[0]).expect("a test");
    assert_eq!(input.stdin.as_deref(), Some(b"3\n".as_slice()));
}

#[test]
fn explore_bitcode() {
    let scratch = Scratch::new().file("program.c", PROGRAM);
    compile(&scratch);
    let mut command = psychic();
    command.arg("explore").arg(scratch.path("program.bc")).arg("--out").arg(scratch.out());
    let ran = run(&mut command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("1 x division-by-zero at program.c:8"), "{}", ran.stdout);
    assert!(!scratch.path("out/tests").exists(), "none were asked for");
}

#[test]
fn explore_a_subject() {
    let scratch = Scratch::new().patch("1.diff", "return x > 1;");
    let ran = run(scratch.stage("explore").args(["--tests", "all"]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let states: Vec<StateRow> = table(&scratch.out());
    assert_eq!(names(&scratch.path("out/tests")).len(), states.len());
    // The tests can be replayed, which finds what diff would have found.
    assert_eq!(run(&mut scratch.stage("replay")).code, Some(0));
    let told = table::<TestRow>(&scratch.out()).iter().filter(|test| test.clusters == 2).count();
    assert!(states.len() < 3 || told > 0);
}

#[test]
fn every_search_finds_the_same_paths() {
    let explore = |search: &str| {
        let scratch = Scratch::new().patch("1.diff", "return x > 1;");
        let mut command = psychic();
        command.arg("explore").arg(kept("switch")).arg("--out").arg(scratch.out());
        let ran = run(command.args(["--search", search, "--seed", "3"]));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        table::<StateRow>(&scratch.out()).len()
    };
    let depth_first = explore("dfs");
    for search in ["bfs", "random-path", "coverage"] {
        assert_eq!(explore(search), depth_first, "{search}");
    }
}

/// A program with calls that return, a loop, a switch, a path that stops in the middle of straight
/// code, and a function that nothing calls.
const COVERED: &str = r"static int sign(int x)
{
	if (x < 0)
		return -1;
	return x > 0;
}

int never(int x)
{
	return x ? sign(x) : 2;
}

int main(int argc, char **argv)
{
	int sum = 0;
	for (int i = 0; i < 3; i++)
		sum += sign(i);
	if (sum > 10)
		sum = 0;
	switch (argv[1][0]) {
	case 'a':
		return 1;
	case 'b':
		sum = 1 / (sum - 2);
		sum += argc;
		return sum;
	}
	return sum;
}
";
const TRACEFILE: &str = "TN:
SF:program.c
FN:1,sign
FN:8,never
FN:13,main
FNDA:1,sign
FNDA:0,never
FNDA:1,main
FNF:3
FNH:2
BRDA:3,0,0,0
BRDA:3,0,1,1
BRDA:10,0,0,-
BRDA:10,0,1,-
BRDA:16,0,0,1
BRDA:16,0,1,1
BRDA:18,0,0,0
BRDA:18,0,1,1
BRDA:20,0,0,1
BRDA:20,0,1,1
BRDA:20,0,2,1
BRF:11
BRH:7
DA:3,1
DA:4,0
DA:5,1
DA:6,1
DA:10,0
DA:15,1
DA:16,1
DA:17,1
DA:18,1
DA:19,0
DA:20,1
DA:22,1
DA:24,1
DA:25,0
DA:26,0
DA:28,1
DA:29,1
LF:17
LH:12
end_of_record
";

#[test]
fn covered_lines_and_branches_are_told_exactly() {
    let scratch = Scratch::new().file("program.c", COVERED);
    for jobs in ["1", "2"] {
        let mut command = psychic();
        command.arg("explore").arg(scratch.path("program.c")).arg("--out").arg(scratch.out());
        let ran = run(command.args(["--sym-arg", "1", "--jobs", jobs]));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let told = "covered 12 of 17 lines (71 %), 7 of 11 branches (64 %)";
        assert!(ran.stdout.contains(told), "{}", ran.stdout);
        let rows: Vec<StatsRow> = table(&scratch.out());
        let count = |phase: &str| rows.iter().find(|row| row.phase == phase).map(|row| row.count);
        let counts = ["lines", "lines.covered", "branches", "branches.covered"].map(count);
        assert_eq!(counts, [Some(17), Some(12), Some(11), Some(7)]);
        let tracefile = fs::read_to_string(scratch.path("out/coverage.info")).expect("written");
        assert_eq!(tracefile, TRACEFILE);
    }
}

/// The lowered program is kept in the cache, and later runs use it.
#[test]
fn bitcode_is_lowered_once() {
    let scratch = Scratch::new().file("program.c", COVERED);
    compile(&scratch);
    let explore = || {
        let mut command = psychic();
        command.env("PSYCHIC_CACHE", scratch.path("cache")).arg("explore");
        command.arg(scratch.path("program.bc")).arg("--out").arg(scratch.out());
        let ran = run(command.args(["--sym-arg", "1"]));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        ["states.csv", "coverage.info"]
            .map(|name| fs::read_to_string(scratch.out().join(name)).expect("written"))
    };
    let first = explore();
    let kept = names(&scratch.path("cache/modules"));
    assert_eq!(kept.len(), 1);
    let file = scratch.path("cache/modules").join(&kept[0]);
    let whole = fs::read(&file).expect("readable");
    assert_eq!(explore(), first);
    fs::write(&file, &whole[..whole.len() / 2]).expect("written");
    assert_eq!(explore(), first);
    assert_eq!(fs::read(&file).expect("readable"), whole);
}

#[test]
fn standard_input_comes_from_a_file_or_from_a_pipe() {
    let scratch = Scratch::new().file("program.c", PROGRAM).file("nine", "9\n");
    let explore = |options: &[&str]| {
        let mut command = psychic();
        command.arg("explore").arg(scratch.path("program.c")).arg("--out").arg(scratch.out());
        command.args(["--tests", "all"]).args(options).current_dir(scratch.dir.path());
        command
    };
    for (options, text) in [(["--stdin", "nine"], "9\n"), (["--stdin", "-"], "8\n")] {
        let ran = run(explore(&options).write_stdin("8\n"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let tests = names(&scratch.path("out/tests"));
        assert_eq!(tests.len(), 1);
        let input = TestInput::read(&scratch.path("out/tests").join(&tests[0])).expect("a test");
        assert_eq!(input.stdin.as_deref(), Some(text.as_bytes()));
    }
    let message = refused(&mut explore(&["--stdin", "nothing"]));
    assert!(message.contains("nothing: cannot be read"), "{message}");
    let message = refused(&mut explore(&["--stdin", "-", "--sym-stdin", "1"]));
    assert!(message.contains("--stdin and --sym-stdin exclude each other"), "{message}");
}
