//! Differences that nobody sees: revisions that are proved to do the same are compared once more,
//! with what their functions return and leave as outputs (`[outputs] functions`).

use std::collections::BTreeMap;

use super::findings::Findings;
use crate::{
    compile::Probed,
    merge,
    results::Verdict,
    subject::{Subject, config::FunctionsConfig},
};

impl Findings {
    /// Takes the differences of an comparison by what functions do over into the verdicts.
    pub(super) fn look_inside(&mut self, inner: Option<Findings>) {
        let Some(inner) = inner else { return };
        let differ = inner.pairs().iter().filter(|row| row.verdict == Verdict::Distinguished);
        let differ: BTreeMap<_, _> = differ.map(|row| ((row.a, row.b), row)).collect();
        for row in &mut self.report.pairs {
            if let (Verdict::Equivalent, Some(found)) = (row.verdict, differ.get(&(row.a, row.b))) {
                (row.verdict, row.test, row.output) =
                    (Verdict::Internal, found.test, found.output.clone());
                self.report.summary.equivalent -= 1;
                self.report.summary.internal += 1;
            }
        }
        self.inner = Some(Box::new(inner));
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
