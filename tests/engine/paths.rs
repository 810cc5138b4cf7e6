//! Programs with symbolic input: an input of every path behaves natively as the path predicts.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::machine::{Input, Subject, each_in_parallel};
use psychic::{
    env::{Halt, models::Models},
    expr::{ExprId, Exprs},
    solver::{self, LayerStatistics, Query, Solver, SolverConfig, Unknown, Verdict},
};

fn sources(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine").join(directory);
    let entries = fs::read_dir(&directory).expect("the directory is there");
    let mut sources: Vec<_> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty());
    sources
}

/// The standard input that a `.stdin` file describes: `tokens 4`, `tokens 4 eof` or `bytes 4`.
fn input(source: &Path) -> Input {
    let Ok(text) = fs::read_to_string(source.with_extension("stdin")) else {
        return Input::Tokens(8, false);
    };
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        ["tokens", count] => Input::Tokens(count.parse().expect("a number"), false),
        ["tokens", count, "eof"] => Input::Tokens(count.parse().expect("a number"), true),
        ["bytes", count] => Input::Bytes(count.parse().expect("a number")),
        _ => panic!("{text}"),
    }
}

/// Runs `check` on every source; panics with the names of those that failed.
fn each(directory: &str, check: impl Fn(&Path) + std::panic::RefUnwindSafe + Sync) {
    let sources = sources(directory);
    let checked =
        each_in_parallel(&sources, |source| std::panic::catch_unwind(|| check(source)).is_ok());
    let failed = sources.iter().zip(checked).filter(|(_, passed)| !passed);
    let failed: Vec<_> = failed.filter_map(|(source, _)| source.file_name()).collect();
    assert!(failed.is_empty(), "{failed:?}");
}

fn replay_all(flags: &'static [&str]) {
    each("symbolic", |source| {
        let text = fs::read_to_string(source).expect("readable");
        let subject = Subject::with_flags(&text, flags);
        let paths = subject.explore(&input(source));
        let replayed = paths.replay(false);
        println!("{}: {replayed} paths", source.display());
    });
}

#[test]
fn every_path_is_replayed_unoptimised() {
    replay_all(&[]);
}

#[test]
fn every_path_is_replayed_optimised() {
    replay_all(&["-O1"]);
}

/// The models of string functions do the same as the code for which they stand.
#[test]
fn every_path_is_replayed_without_models() {
    let names = [
        "memcpy",
        "memmove",
        "mempcpy",
        "memset",
        "strlen",
        "strnlen",
        "memchr",
        "memrchr",
        "strchr",
        "strrchr",
        "strchrnul",
        "memcmp",
        "strcmp",
        "strncmp",
    ];
    let models = Models::without(&names.map(String::from)).expect("they have models");
    for name in ["searching.c", "strings.c"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engine/symbolic").join(name);
        let text = fs::read_to_string(&source).expect("readable");
        let with = Subject::with_flags(&text, &[]).explore(&input(&source)).ends();
        let subject = Subject::with_models(&text, &[], &models);
        let paths = subject.explore(&input(&source));
        paths.replay(false);
        // With models there are fewer paths, but the kinds of ends are the same.
        let mut without = paths.ends();
        assert!(with.len() <= without.len(), "{name}");
        let mut kinds = with;
        kinds.dedup();
        without.dedup();
        assert_eq!(kinds, without, "{name}");
    }
}

/// A solver that has no answer to some queries.
struct Forgetful {
    solver: Box<dyn Solver>,
    /// One query in `rate`, a power of two, has no answer.
    rate: u64,
    asked: u64,
    /// The result of such a query.
    says: Unknown,
    hurried: bool,
}

impl Solver for Forgetful {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        self.asked += 1;
        if self.says == SLOW && !self.hurried {
            return self.solver.check(exprs, query);
        }
        match self.asked.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32 & (self.rate - 1) {
            0 => Verdict::Unknown(self.says),
            _ => self.solver.check(exprs, query),
        }
    }

    fn hurry(&mut self, most: Duration) {
        self.hurried = most < Duration::MAX;
        self.solver.hurry(most);
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        self.solver.statistics()
    }
}

/// A solver that takes long over each query that it has not answered before.
struct Slow {
    solver: Box<dyn Solver>,
    answered: HashSet<Vec<ExprId>>,
    /// The time that a query may take now.
    most: Duration,
}

impl Slow {
    const TAKES: Duration = Duration::from_secs(5);
}

impl Solver for Slow {
    fn check(&mut self, exprs: &Exprs, query: Query<'_>) -> Verdict {
        let key: Vec<_> = query.path_condition.iter().chain(query.goals).copied().collect();
        if self.most < Self::TAKES && !self.answered.contains(&key) {
            return Verdict::Unknown(Unknown::Timeout(self.most));
        }
        self.answered.insert(key);
        self.solver.check(exprs, query)
    }

    fn hurry(&mut self, most: Duration) {
        self.most = most;
    }

    fn statistics(&self) -> Vec<LayerStatistics> {
        self.solver.statistics()
    }
}

/// The result of a query that took too long while the solver was to hurry; it is asked again later.
const SLOW: Unknown = Unknown::Timeout(Duration::MAX);

/// The paths that are found are right, and the others are reported as incomplete.
#[test]
fn a_solver_that_gives_up_makes_no_path_wrong() {
    each("symbolic", |source| {
        let text = fs::read_to_string(source).expect("readable");
        let subject = Subject::with_flags(&text, &[]);
        for rate in [2, 4, 16] {
            let solver = solver::chain(&SolverConfig::default());
            let says = Unknown::GaveUp;
            let mut solver = Forgetful { solver, rate, asked: 0, says, hurried: false };
            let mut paths = subject.explore_with(&input(source), &mut solver);
            // It is not known whether an incomplete path is feasible at all.
            paths.states.retain(|state| !matches!(state.halt, Halt::Incomplete(_)));
            paths.replay(true);
        }
    });
}

#[test]
fn a_question_that_is_put_off_is_asked_again() {
    let source = "#include <stdio.h>\n#include <string.h>\nint main(void) {\n  int a, b;\n  \
                  char word[9];\n  if (scanf(\"%d %d %8s\", &a, &b, word) != 3) return 9;\n  \
                  if (a < b) putchar('<');\n  while (b > 3 && b < 9) { b++; putchar('+'); }\n  \
                  return strcmp(word, \"ab\") ? a % 3 == 1 : 7;\n}\n";
    let subject = Subject::with_flags(source, &[]);
    let input = Input::Tokens(3, true);
    let ends = subject.explore(&input).ends();
    assert!(ends.len() > 8, "{ends:?}");
    for rate in [2, 16] {
        let solver = solver::chain(&SolverConfig::default());
        let mut solver = Forgetful { solver, rate, asked: 0, says: SLOW, hurried: false };
        let paths = subject.explore_with(&input, &mut solver);
        paths.replay(false);
        assert_eq!(paths.ends(), ends);
    }
}

/// One instruction asks several queries. Whenever it runs again, earlier queries are answered at
/// once, but the next one takes long again.
#[test]
fn all_that_one_instruction_asks_is_waited_for() {
    let source = "#include <stdio.h>\nint main(void) {\n  int a;\n  \
                  if (scanf(\"%d\", &a) != 1 || a < 0 || a > 7) return 9;\n  switch (a * a) {\n  \
                  case 2: return 1;\n  case 3: return 2;\n  case 5: return 3;\n  \
                  case 16: return 4;\n  case 17: return 5;\n  }\n  return 0;\n}\n";
    let subject = Subject::with_flags(source, &[]);
    let input = Input::Tokens(1, true);
    let solver = solver::chain(&SolverConfig::default());
    let mut solver = Slow { solver, answered: HashSet::new(), most: Duration::MAX };
    let paths = subject.explore_with(&input, &mut solver);
    assert_eq!(paths.replay(false), paths.states.len());
    assert_eq!(paths.ends(), subject.explore(&input).ends());
}

#[test]
fn a_number_that_is_no_integer_is_left_out() {
    let source = "#include <klee/klee.h>\nint main(void) {\n  double d;\n  \
                  klee_make_symbolic(&d, sizeof d, \"d\");\n  return (signed char)d != 0;\n}\n";
    let subject = Subject::with_flags(source, &[]);
    let ends = subject.explore(&Input::Tokens(0, false)).ends();
    let unsupported = "incomplete (unsupported: a conversion out of the integer's range)";
    assert_eq!(ends, ["exit", unsupported], "of 32 bits, then cut");
}

/// What such an argument's register or stack slot contains depends on the code generator.
#[test]
fn a_variadic_argument_that_was_not_passed() {
    let end = |wanted: u32| {
        let source = format!(
            "#include <stdarg.h>\nstatic int last(int count, ...) {{\n  va_list list;\n  int n = 0;\n  \
             va_start(list, count);\n  while (count--) n = va_arg(list, int);\n  return n;\n}}\n\
             int main(void) {{ return last({wanted}, 1, 2, 3, 4, 5, 6, 7); }}\n"
        );
        Subject::with_flags(&source, &[]).explore(&Input::Tokens(0, false)).ends()
    };
    assert_eq!(end(7), ["exit"]);
    for wanted in [8, 9] {
        let ends = end(wanted);
        assert!(ends[0].contains("`va_arg` for an argument that was not passed"), "{ends:?}");
    }
    let in_registers = "int printf(const char *, ...);\n#include <stdarg.h>\n\
                        static int second(int count, ...) {\n  va_list list;\n  va_start(list, count);\n\
                        va_arg(list, int);\n  return va_arg(list, int);\n}\n\
                        int main(void) { return second(2, 1); }\n";
    let ends = Subject::with_flags(in_registers, &[]).explore(&Input::Tokens(0, false)).ends();
    assert!(ends[0].contains("`va_arg` for an argument that was not passed"), "{ends:?}");
}

#[test]
fn exceptions_that_are_not_known_are_not_told() {
    let end_with = |flags: &[&str], statement: &str| {
        let source = format!(
            "#include <fenv.h>\n#include <math.h>\nstatic volatile double a = 0.1, b;\n\
             int main(void) {{\n  {statement};\n  return fetestexcept(FE_INVALID);\n}}\n"
        );
        let subject = Subject::with_flags(&source, flags);
        subject.explore(&Input::Tokens(0, false)).ends().join(" ")
    };
    let end = |statement: &str| end_with(&[], statement);
    assert_eq!(end("b = a / 3"), "exit");
    assert_eq!(end("b = (long double)a / 3; feclearexcept(FE_ALL_EXCEPT)"), "exit");
    for (statement, what) in [
        ("b = (long double)a / 3", "arithmetic in other formats than float and double"),
        ("b = fma(a, a, a)", "fma"),
        ("b = (unsigned long)a", "a conversion of several instructions"),
        (
            "b = __builtin_isinf(0x1p-1074 * (1 + b))",
            "a comparison that a code generator writes in many ways",
        ),
    ] {
        let unsupported = format!("incomplete (unsupported: the exception flags after {what})");
        assert_eq!(end(statement), unsupported, "{statement}");
    }
    let lesser = "b = NAN; double c = b, d = a; b = c < d ? c : d";
    assert_eq!(end(lesser), "exit");
    let optimised = end_with(&["-O1"], lesser);
    assert!(optimised.contains("a comparison that a code generator writes"), "{optimised}");
    assert_eq!(end_with(&["-O1"], "double c = 2 * a, d = a; b = c < d ? c : d"), "exit");
}

#[test]
fn every_path_is_replayed_vectorised() {
    replay_all(&["-O2", "-fvectorize", "-fslp-vectorize"]);
}

/// The first line of each program says how its paths end, and at which of its lines (none if the
/// end is in the libc).
#[test]
fn every_error_is_found_at_its_line_and_confirmed() {
    each("errors", |source| {
        let text = fs::read_to_string(source).expect("readable");
        ends_as_it_says(source, &text, &[]);
    });
}

/// A trap of UndefinedBehaviorSanitizer names its check.
#[test]
fn every_trap_says_which_check_it_is() {
    each("traps", |source| {
        let text = fs::read_to_string(source).expect("readable");
        ends_as_it_says(source, &text, &["-fsanitize=undefined", "-fsanitize-trap=undefined"]);
    });
}

fn ends_as_it_says(source: &Path, text: &str, flags: &[&str]) {
    let first = text.lines().next().unwrap_or_default();
    let list = first.strip_prefix("/* ends: ").and_then(|rest| rest.strip_suffix(" */"));
    let expected: Vec<_> = list.expect("it says how it ends").split(", ").collect();
    let subject = Subject::with_flags(text, flags);
    let paths = subject.explore(&input(source));
    assert_eq!(paths.ends(), expected, "{}", source.display());
    paths.replay(false);
}

/// These decisions are the same wherever objects are natively.
#[test]
fn what_no_place_of_an_object_changes_is_exact() {
    let source = include_str!("addresses/exact.c");
    for flags in [&[][..], &["-O1"], &["-O2"]] {
        let subject = Subject::with_flags(source, flags);
        assert!(subject.explore(&Input::Tokens(0, false)).approximations().is_empty());
    }
}

/// Each of these decisions depends on where objects are, and each path says so once.
#[test]
fn what_depends_on_the_place_of_an_object_is_marked() {
    let source = include_str!("addresses/loose.c");
    let subject = Subject::with_flags(source, &[]);
    let paths = subject.explore(&Input::Tokens(0, false));
    let mut places: Vec<_> = paths.approximations().iter().map(|a| a.to_string()).collect();
    places.sort();
    places.dedup();
    let marks = (1..).zip(source.lines()).filter(|(_, line)| line.contains("/* here */"));
    let mut expected: Vec<_> = marks.map(|(line, _)| format!("subject.c:{line}")).collect();
    expected.sort();
    assert_eq!(places.len(), expected.len(), "{places:?}");
    for (place, expected) in places.iter().zip(&expected) {
        assert!(place.contains("an address used as a number at "), "{place}");
        assert!(place.ends_with(expected), "{place}, not {expected}");
    }
}
