//! Differences that nobody sees: revisions that are proved to do the same are compared once more,
//! with what their functions return and leave as outputs (`[outputs] functions`).

use std::collections::{BTreeMap, BTreeSet};

use anyhow::bail;

use super::{findings::Findings, stage::Stage};
use crate::{
    compile::{BuildError, Probed, Revisions},
    diff::Reason,
    merge::{self, Changes},
    replay::{Outcome, Visible, is_of_call},
    results::Verdict,
    subject::{
        CONFIG_FILE, Revision, Subject,
        config::{FunctionsConfig, OutputsConfig},
    },
};

impl Findings {
    /// Adds differences in what functions return and leave to the verdicts. `counted` is what
    /// counts outside. A pair whose native runs differ outside, too, becomes `unknown`: its proof
    /// says that there is no such input.
    pub(super) fn look_inside(&mut self, inner: Findings, counted: &OutputsConfig) {
        let outside = inner.differ_outside(counted);
        let differ = inner.pairs().iter().filter(|row| row.verdict == Verdict::Distinguished);
        let differ: BTreeMap<_, _> = differ.map(|row| ((row.a, row.b), row)).collect();
        let summary = &mut self.report.summary;
        for row in self.report.pairs.iter_mut().filter(|row| row.verdict == Verdict::Equivalent) {
            if outside.contains(&(row.a, row.b)) {
                row.verdict = Verdict::Unknown;
                row.reason = Reason::Contradicted.to_string();
                row.code = vec![Reason::Contradicted.code()];
                summary.equivalent -= 1;
                summary.unknown += 1;
            } else if let Some(found) = differ.get(&(row.a, row.b)) {
                row.verdict = Verdict::Internal;
                (row.test, row.output) = (found.test, found.output.clone());
                summary.equivalent -= 1;
                summary.internal += 1;
            }
        }
        self.inner = Some(Box::new(inner));
    }

    /// The pairs of revisions, the smaller one first, that differ on some test in more than what
    /// functions return and leave.
    fn differ_outside(&self, counted: &OutputsConfig) -> BTreeSet<(Revision, Revision)> {
        let mut found = BTreeSet::new();
        for test in self.tests() {
            let shown = self.revisions().iter().zip(&test.outcomes);
            // A run that is no evidence is in no cluster.
            let shown = shown.filter(|(revision, _)| test.clustering.cluster(**revision).is_some());
            let shown: Vec<(Revision, Visible)> =
                shown.map(|(revision, outcome)| (*revision, outside(outcome, counted))).collect();
            for (index, (b, of_b)) in shown.iter().enumerate() {
                let others = shown[..index].iter().filter(|(_, of_a)| of_a != of_b);
                found.extend(others.map(|(a, _)| (*a, *b)));
            }
        }
        found
    }
}

/// What a run shows without what its functions return and leave.
fn outside(outcome: &Outcome, counted: &OutputsConfig) -> Visible {
    let mut visible = outcome.visible(counted);
    visible.outputs.retain(|name, _| !is_of_call(name));
    visible
}

impl Stage {
    /// Refuses a subject that names functions to look into which its original does not have. Nothing
    /// else would say so, unless revisions are found to do the same. `self` is a prepared stage whose
    /// programs show what these functions return.
    pub(super) fn check_probed(&self) -> anyhow::Result<()> {
        let original = || BTreeMap::from([(Revision::ORIGINAL, Changes::new())]);
        let common = self.common("revisions")?;
        let (toolchain, of) = (self.toolchain.clone(), Revision::ORIGINAL);
        let (made, revisions);
        let error = if let Some(whole) = &self.whole {
            made = whole.unite(&original(), &Changes::new(), &common.directory);
            made.as_ref().err()
        } else {
            revisions = match self.subject.is_bitcode() {
                true => {
                    let module = self.subject.root.join(&self.subject.sources[0]);
                    Revisions::of_modules(toolchain, &common, BTreeMap::from([(of, module)]))?
                }
                // What else is wrong with the original is found when revisions are compiled.
                false => match Revisions::new(toolchain, &common, &original()) {
                    Ok((revisions, _)) => revisions,
                    Err(_) => return Ok(()),
                },
            };
            revisions.bitcode().get(&of).and_then(|made| made.as_ref().err())
        };
        if let Some(error @ BuildError::NotProbed(_)) = error {
            bail!("{}: {error}", self.subject.dir.join(CONFIG_FILE).display());
        }
        Ok(())
    }
}

/// The functions that are to show what they return and leave.
pub(super) fn probed(subject: &Subject, functions: &FunctionsConfig) -> Probed {
    match functions {
        FunctionsConfig::Named(names) => Probed::Functions(names.clone()),
        FunctionsConfig::Patched => {
            let candidates = merge::candidates(subject);
            let changed =
                candidates.values().flatten().flat_map(|candidate| candidate.files.keys());
            Probed::Files(changed.cloned().collect())
        }
    }
}
