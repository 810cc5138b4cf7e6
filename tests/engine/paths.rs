//! Paths of programs: how they end, and that an input of each behaves natively as it predicts.

use std::{collections::HashSet, fs, path::Path, time::Duration};

use super::{
    machine::{Input, Subject},
    silent::{SLOW, Silent},
};
use psychic::{
    env::models::Models,
    expr::{ExprId, Exprs},
    solver::{self, LayerStatistics, Query, Solver, SolverConfig, Unknown, Verdict},
};

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
    let input = Input::Tokens(8, false);
    for name in ["searching.c", "strings.c"] {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/symbolic").join(name);
        let text = fs::read_to_string(&source).expect("readable");
        let with = Subject::with_flags(&text, &[]).explore(&input).ends();
        let subject = Subject::with_models(&text, &[], &models);
        let paths = subject.explore(&input);
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

#[test]
fn a_question_that_is_put_off_is_asked_again() {
    let source = include_str!("programs/a_question_that_is_put_off_is_asked_again.c");
    let subject = Subject::with_flags(source, &[]);
    let input = Input::Tokens(3, true);
    let ends = subject.explore(&input).ends();
    assert!(ends.len() > 8, "{ends:?}");
    for rate in [2, 16] {
        let solver = solver::chain(&SolverConfig::default());
        let mut solver = Silent::new(solver, rate, SLOW);
        let paths = subject.explore_with(&input, &mut solver);
        paths.replay(false);
        assert_eq!(paths.ends(), ends);
    }
}

/// One instruction asks several queries. Whenever it runs again, earlier queries are answered at
/// once, but the next one takes long again.
#[test]
fn all_that_one_instruction_asks_is_waited_for() {
    let source = include_str!("programs/all_that_one_instruction_asks_is_waited_for.c");
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
    let source = include_str!("programs/a_number_that_is_no_integer_is_left_out.c");
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
    let in_registers = include_str!("programs/a_variadic_argument_that_was_not_passed.c");
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
