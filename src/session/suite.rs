//! The tests of a comparison as a suite that expects what one revision does.

use std::{collections::BTreeMap, ffi::OsStr, path::PathBuf};

use super::{
    inputs::{self, environment},
    native::Native,
    observer::Observer,
    rows::outcome_rows,
    stage::{Stage, harness},
};
use crate::{
    compile::Show,
    diff::{Expected, Replay},
    replay::{Case, Outcome, Suite, Termination, Tested, Visible},
    report::{Document, TestEntry},
    results::{Clustering, OutcomeRow, TestId},
    subject::{Revision, Subject, Times},
};

/// A run may take this many times the time limit of native runs, and `LEAST_SECONDS` more: any
/// machine may run the tests.
const PATIENCE: u32 = 10;
const LEAST_SECONDS: u64 = 10;

/// The tests in the results of `stage`, which `document` describes, with the outcomes of
/// `revision`. The revision runs natively once more, as the results do not have all bytes of what
/// it showed. A test on which it fails, or does not do the same again, expects nothing.
///
/// # Errors
/// The results are not there, or the subject cannot be built.
pub(crate) fn suite(
    stage: &Stage,
    document: &Document,
    revision: Revision,
    observer: &mut dyn Observer,
) -> anyhow::Result<Suite> {
    let Stage { subject, results, .. } = stage;
    let config = &subject.config;
    let harness = harness(subject, Show::Outputs(config.outputs.nan))?;
    let mut sources = sources(subject);
    let tested = match harness {
        Some((source, harness)) => {
            sources.sort_by_key(|other| other != source);
            Tested::Entry { harness }
        }
        None => Tested::Program {
            files: subject.files.clone(),
            symbolic_files: config.inputs.sym_files.keys().cloned().collect(),
        },
    };
    let mut merged = stage.merged(observer)?;
    let (built, _) = stage.build(&mut merged, observer)?;
    let native = Native::new(stage, &built, None)?;
    let recorded: BTreeMap<TestId, OutcomeRow> = results
        .read::<OutcomeRow>()?
        .into_iter()
        .filter(|row| row.revision == revision)
        .map(|row| (row.test, row))
        .collect();
    let is_program = matches!(tested, Tested::Program { .. });
    let case = |entry: &TestEntry| -> anyhow::Result<Case> {
        let test = entry.row.test;
        let input = inputs::test(&results.ktest(test))?;
        let its = entry.outcome_of(revision);
        let expected = match (its, recorded.get(&test)) {
            // Without a sanitizer, a program may not show the error, or may run forever.
            (Some(its), _) if !its.outcome.finding.is_empty() => {
                Err(format!("revision {revision} fails: {}", its.outcome.short()))
            }
            _ if subject.times != Times::default() => {
                Err("only Psychic's runtime gives the clock and the ages of files".to_owned())
            }
            (Some(_), Some(recorded)) => {
                let outcomes = native.outcomes(&input, &[revision], &Expected::default())?;
                match outcomes.first().filter(|outcome| agrees(outcome, recorded, subject)) {
                    Some(outcome) => Ok(expected(outcome, subject, is_program)),
                    None => Err(format!("revision {revision} did not do the same again")),
                }
            }
            _ => Err(format!("it is not known what revision {revision} does")),
        };
        let shown = its.map(|its| format!(": {}", its.outcome.short())).unwrap_or_default();
        Ok(Case { test, about: format!("{}{shown}", entry.input.input), input, expected })
    };
    let labels = document.labels();
    Ok(Suite {
        about: vec![
            format!("Tests of {}, which expect what this revision does:", config.name),
            labels.revision(revision),
        ],
        tested,
        root: subject.root.clone(),
        sources,
        flags: config.build.flags.clone(),
        variables: inputs::native(&environment(&config.inputs)).to_vec(),
        seconds: (config.budget.replay * PATIENCE).as_secs() + LEAST_SECONDS,
        counts: [config.outputs.stdout, config.outputs.stderr],
        cases: document.tests.iter().map(case).collect::<anyhow::Result<_>>()?,
    })
}

/// The sources of a program that a compiler alone can build; none for other programs.
fn sources(subject: &Subject) -> Vec<PathBuf> {
    let is_c = |source: &PathBuf| source.extension() == Some(OsStr::new("c"));
    let is_plain = subject.config.build.program.is_none() && subject.config.revisions == 0;
    match is_plain && subject.sources.iter().all(is_c) {
        true => subject.sources.clone(),
        false => Vec::new(),
    }
}

/// Whether the parts of an outcome that count are as they were recorded.
fn agrees(outcome: &Outcome, recorded: &OutcomeRow, subject: &Subject) -> bool {
    let test = recorded.test;
    let clustering = Clustering::new(test, [(recorded.revision, recorded.cluster)]);
    let config = &subject.config.outputs;
    let counted = |row: &OutcomeRow| OutcomeRow {
        stdout_sha256: if config.stdout { row.stdout_sha256.clone() } else { String::new() },
        stderr_sha256: if config.stderr { row.stderr_sha256.clone() } else { String::new() },
        cluster: row.revision,
        ..row.clone()
    };
    let again = outcome_rows(test, &clustering, [(recorded.revision, outcome)].into_iter());
    again.first().map(counted) == Some(counted(recorded)) && !outcome.is_outside_assumptions()
}

/// What a test file can expect. If a signal ended the run, standard error names lines, and part of
/// what a program printed may still be in its buffers.
fn expected(outcome: &Outcome, subject: &Subject, is_program: bool) -> Visible {
    let mut visible = outcome.visible(&subject.config.outputs);
    if let Termination::Signal(_) = outcome.termination {
        visible.stderr = None;
        visible.stdout = visible.stdout.filter(|_| !is_program);
    }
    visible
}
