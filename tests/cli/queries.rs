//! Queries that are written for another solver.

use std::fs;

use psychic::results::{PairRow, Verdict};

use crate::support::{Scratch, names, refused, run, table};

/// One patch is equivalent, and the other one is not: the first is proved by an unsatisfiable
/// query, and the second is found by a satisfiable one.
#[test]
fn what_verdicts_rest_on_is_written_with_its_answer() {
    let scratch = Scratch::new()
        .patch("1.diff", "return (x | 1) > 0 && x != 0;")
        .patch("2.diff", "return (x > 0) ^ (x == 77777);");
    let directory = scratch.path("queries");
    let ran = run(scratch.stage("diff").arg("--emit-smt2").arg(&directory));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let pairs: Vec<PairRow> = table(&scratch.out());
    let verdicts: Vec<Verdict> = pairs.iter().map(|pair| pair.verdict).collect();
    assert_eq!(verdicts, [Verdict::Equivalent, Verdict::Distinguished, Verdict::Distinguished]);
    let written = names(&directory);
    let (mut refuted, mut solved) = (0, 0);
    for name in &written {
        let text = fs::read_to_string(directory.join(name)).expect("readable");
        let (status, _) = text.split_once('\n').expect("several lines");
        match status {
            "(set-info :status unsat)" => refuted += 1,
            "(set-info :status sat)" if name.starts_with("pair-") => solved += 1,
            other => panic!("{name}: {other}"),
        }
        assert!(text.contains("\n(check-sat)\n"), "{name}");
    }
    assert!(refuted > 0 && solved > 0, "{written:?}");

    let again = refused(scratch.stage("diff").arg("--emit-smt2").arg(&directory));
    assert!(again.contains("is not empty"), "{again}");
    assert_eq!(names(&directory), written, "queries of two runs are mixed");
}
