//! Rows of the tables of a results directory.

use std::collections::BTreeSet;

use anyhow::bail;
use sha2::{Digest, Sha256};

use crate::{
    diff::{DifferentialTest, PairVerdict, Pairs, Reason},
    env::Halt,
    exec::HaltState,
    explore::Statistics,
    ir::Module,
    replay::{Outcome, Termination},
    results::{
        Clustering, Code, OutcomeRow, PairRow, RevisionRow, StateId, StateRow, StatsRow, TestId,
        TestRow, Verdict,
    },
    subject::Revision,
};

/// Checks that a revision takes part in a comparison with these `rows` of `revisions.csv`.
///
/// # Errors
/// There is no such revision, or it was set aside.
pub(crate) fn takes_part<'r>(
    rows: impl IntoIterator<Item = &'r RevisionRow>,
    revision: Revision,
) -> anyhow::Result<()> {
    match rows.into_iter().find(|row| row.revision == revision) {
        None => bail!("there is no revision {revision}; see revisions.csv"),
        Some(row) if !row.status.takes_part() => {
            bail!("revision {revision} was set aside: {}", row.reason)
        }
        Some(_) => Ok(()),
    }
}

/// Rows of `states.csv` for `states`, which are numbered from `first`.
pub(crate) fn state_rows(module: &Module, first: u32, states: &[HaltState]) -> Vec<StateRow> {
    (first..)
        .zip(states)
        .map(|(number, state)| {
            let mut approximations: Vec<String> =
                state.world.approximations.iter().map(ToString::to_string).collect();
            if let Halt::Incomplete(why) = &state.halt {
                approximations.push(why.to_string());
            }
            StateRow {
                state: StateId(number),
                revisions: state.revisions.clone(),
                halt: state.halt.to_string(),
                location: location(module, state),
                depth: state.lineage.depth(),
                approximations,
                findings: state.world.findings.iter().map(ToString::to_string).collect(),
            }
        })
        .collect()
}

pub(crate) fn location(module: &Module, state: &HaltState) -> String {
    let Some(place) = state.place else { return String::new() };
    let file = module.files.get(place.file.0 as usize).map_or("", String::as_str);
    format!("{file}:{}", place.line)
}

/// Rows of `stats.csv` about an exploration.
pub(crate) fn stats_rows(statistics: &Statistics) -> Vec<StatsRow> {
    let mut rows = vec![
        StatsRow::timed("explore", statistics.paths, statistics.time),
        StatsRow::timed("instructions", statistics.instructions, statistics.time),
    ];
    rows.extend(statistics.solver.iter().map(|layer| StatsRow {
        cache_hits: layer.hits,
        cache_misses: layer.queries - layer.hits,
        ..StatsRow::timed(&format!("solver.{}", layer.layer), layer.queries, layer.time)
    }));
    rows
}

/// Rows of `pairs.csv`. `bounds` is the reason given for pairs that are proved equivalent.
pub(super) fn pair_rows(pairs: &Pairs, bounds: &str) -> Vec<PairRow> {
    pairs
        .verdicts()
        .map(|(a, b, verdict)| match verdict {
            PairVerdict::Distinguished(decided) => PairRow {
                a,
                b,
                verdict: Verdict::Distinguished,
                test: Some(decided.test),
                output: decided.output.clone(),
                reason: String::new(),
                code: Vec::new(),
            },
            PairVerdict::Equivalent | PairVerdict::EquivalentUnlessFailing => PairRow {
                a,
                b,
                verdict: match verdict {
                    PairVerdict::Equivalent => Verdict::Equivalent,
                    _ => Verdict::EquivalentUnlessFailing,
                },
                test: None,
                output: String::new(),
                reason: bounds.to_owned(),
                code: Vec::new(),
            },
            PairVerdict::Unknown(reasons) => PairRow {
                a,
                b,
                verdict: Verdict::Unknown,
                test: None,
                output: String::new(),
                reason: texts(&reasons),
                code: codes(&reasons),
            },
        })
        .collect()
}

fn texts(reasons: &[&Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// The codes of the reasons, each once.
fn codes(reasons: &[&Reason]) -> Vec<Code> {
    let codes: BTreeSet<Code> = reasons.iter().map(|reason| reason.code()).collect();
    codes.into_iter().collect()
}

/// Rows of `tests.csv`.
pub(super) fn test_rows(tests: &[DifferentialTest]) -> Vec<TestRow> {
    tests
        .iter()
        .map(|test| TestRow {
            test: test.test,
            found_by: test.found_by,
            clusters: test.clustering.groups().len() as u32,
            size: test.input.size() as u64,
            mismatch: !test.mismatches.is_empty(),
        })
        .collect()
}

/// Rows of `outcomes.csv` for one test.
pub(crate) fn outcome_rows<'a>(
    test: TestId,
    clustering: &Clustering,
    outcomes: impl Iterator<Item = (Revision, &'a Outcome)>,
) -> Vec<OutcomeRow> {
    let hash = |bytes: &[u8]| format!("{:x}", Sha256::digest(bytes));
    outcomes
        .map(|(revision, outcome)| {
            let mut files = Sha256::new();
            let mut update = |part: &[u8]| {
                files.update((part.len() as u64).to_le_bytes());
                files.update(part);
            };
            for (path, state) in &outcome.files {
                update(path.as_bytes());
                update(&postcard::to_stdvec(state).expect("plain data"));
            }
            for (name, bytes) in &outcome.outputs {
                update(name.as_bytes());
                update(bytes);
            }
            OutcomeRow {
                test,
                revision,
                cluster: clustering.cluster(revision).unwrap_or(revision),
                exit: match outcome.termination {
                    Termination::Exit(code) => Some(i32::from(code)),
                    _ => None,
                },
                signal: match outcome.termination {
                    Termination::Signal(signal) => Some(signal),
                    _ => None,
                },
                stdout_sha256: hash(&outcome.stdout),
                stderr_sha256: hash(&outcome.stderr),
                files_sha256: format!("{:x}", files.finalize()),
                finding: ending(outcome),
            }
        })
        .collect()
}

/// The `finding` of an outcome: the error that ended the run, or how it was stopped, or else the
/// errors after which it went on.
pub(super) fn ending(outcome: &Outcome) -> String {
    let noted = outcome.noted.iter().map(ToString::to_string);
    match (&outcome.finding, outcome.termination) {
        (Some(finding), _) => finding.kind.to_string(),
        (None, Termination::Timeout | Termination::OutputLimit) => outcome.termination.to_string(),
        (None, _) => noted.collect::<Vec<_>>().join(" "),
    }
}
