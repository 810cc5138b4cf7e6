//! Made-up results for tests and for people to look at.

use std::collections::BTreeMap;

use super::{Labels, Verdicts, labels::OutcomeDescription};
use crate::{
    results::{Clustering, Code, PairRow, TestId, Verdict},
    subject::{Revision, RevisionSet},
    tree::{Options, Solution, minimal},
};

pub(crate) struct Sample {
    pub clusterings: Vec<Clustering>,
    pub pairs: Vec<PairRow>,
    pub solution: Solution,
    pub names: BTreeMap<Revision, String>,
    pub inputs: BTreeMap<TestId, String>,
    pub shown: BTreeMap<(TestId, Revision), OutcomeDescription>,
}

impl Sample {
    pub fn labels(&self) -> Labels {
        Labels {
            patches: self.names.clone(),
            inputs: self.inputs.clone(),
            outcomes: self.shown.clone(),
        }
    }

    pub fn verdicts(&self) -> Verdicts {
        Verdicts::new(&self.pairs)
    }
}

pub(crate) fn seven() -> Sample {
    sample(7, 4, 5, false)
}

pub(crate) fn seventeen() -> Sample {
    sample(17, 12, 3, false)
}

pub(crate) fn forty() -> Sample {
    sample(40, 60, 1, false)
}

/// A sample whose tests say nothing about some revisions, so that these stand at several leaves.
pub(crate) fn silent() -> Sample {
    sample(7, 6, 5, true)
}

fn sample(revisions: u32, tests: u32, mut seed: u64, silent: bool) -> Sample {
    let mut next = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    // Some patches share an idea with an earlier one: the two always behave the same.
    let idea: Vec<u32> = (0..revisions)
        .map(|r| if next(4) == 0 { next(u64::from(r) + 1) as u32 } else { r })
        .collect();
    let mut clusterings = Vec::new();
    let mut inputs = BTreeMap::new();
    let mut shown = BTreeMap::new();
    for test in (1..=tests).map(TestId) {
        let kinds = 2 + next(3);
        let mut own: Vec<u64> =
            (0..revisions).map(|_| if next(3) == 0 { next(kinds) } else { 0 }).collect();
        for r in 0..revisions as usize {
            own[r] = own[idea[r] as usize];
        }
        let known = |revision: &Revision| !silent || !(revision.0 + test.0).is_multiple_of(4);
        let known = (0..revisions).map(Revision).filter(known);
        let clustering = Clustering::new(test, known.map(|r| (r, own[r.0 as usize])));
        for cluster in clustering.groups().into_keys() {
            let kind = own[cluster.0 as usize];
            shown.insert((test, cluster), outcome(kind, next(100)));
        }
        let (x, y) = (next(40) as i64 - 20, next(9000));
        inputs.insert(
            test,
            match next(3) {
                0 => format!("x = {x}, y = {y}"),
                1 => format!("\"{x} {y} {}\n\"", next(100)),
                _ => format!("argv: -n {y} --pattern 'a{x}*'"),
            },
        );
        clusterings.push(clustering);
    }
    let all: RevisionSet = (0..revisions).map(Revision).collect();
    let solution = minimal(&all, &clusterings, &Options::default()).unwrap();
    let names =
        ["null-check", "bounds", "off-by-one-upper", "guard_return", "genprog-v3", "early-exit"];
    let names = (1..revisions)
        .map(|r| (Revision(r), format!("{}-{r}", names[r as usize % names.len()])))
        .collect();
    let mut pairs = Vec::new();
    for (a, b) in (0..revisions).flat_map(|b| (0..b).map(move |a| (Revision(a), Revision(b)))) {
        let told_apart = clusterings.iter().find(|clustering| clustering.tells_apart(a, b));
        let same = !silent && (a.0 + b.0) % 7 != 0;
        let (verdict, reason) = match (told_apart, same) {
            (Some(_), _) => (Verdict::Distinguished, ""),
            (None, true) => (Verdict::Equivalent, "loops up to 16 rounds"),
            (None, false) => (Verdict::Unknown, "solver timeout"),
        };
        let code = if verdict == Verdict::Unknown { vec![Code::Solver] } else { vec![] };
        let test = told_apart.map(|clustering| clustering.test);
        let output = String::from(if test.is_some() { "stdout" } else { "" });
        pairs.push(PairRow { a, b, verdict, test, output, reason: reason.into(), code });
    }
    pairs.sort_by_key(|row| (row.a, row.b));
    Sample { clusterings, pairs, solution, names, inputs, shown }
}

fn outcome(kind: u64, value: u64) -> OutcomeDescription {
    let mut outcome = OutcomeDescription { exit: Some(0), ..OutcomeDescription::default() };
    match kind {
        0 => outcome.stdout = "6\n".into(),
        1 => outcome.outputs = [("return".into(), value.to_string())].into(),
        2 => (outcome.exit, outcome.signal) = (None, Some(11)),
        3 => {
            outcome.exit = Some(1);
            outcome.stderr = "error: out of range\n".into();
        }
        _ => outcome.finding = "heap-buffer-overflow".into(),
    }
    if value.is_multiple_of(2) && kind == 1 {
        outcome.stdout = format!("{value}\n");
    }
    outcome
}
