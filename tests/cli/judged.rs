//! The verdicts of a kept subject, compared with the folders of its patches:
//! `tests/subjects/NAME/{equivalent,unless-failing,distinguished,unknown,rejected}/*.diff`.

use std::collections::BTreeMap;

use psychic::{
    results::{Code, PairRow, RevisionRow, Status, SummaryRow, Verdict},
    subject::Revision,
};
use tempfile::TempDir;

use crate::support::{kept, psychic, run, table};

/// What `psychic diff` said of a subject.
pub struct Found {
    /// The folder of each patch, and its name without the suffix.
    pub patches: BTreeMap<Revision, (String, String)>,
    pub results: TempDir,
}

impl Found {
    fn folder(&self, revision: Revision) -> &str {
        self.patches.get(&revision).map_or("original", |(folder, _)| folder)
    }
}

/// Runs `psychic diff` and checks its verdicts against the folders.
pub fn diff(name: &str) -> Found {
    let results = TempDir::new().expect("a temporary directory");
    let ran = run(psychic().arg("diff").arg(kept(name)).arg("--out").arg(results.path()));
    let told = format!("{}{}", ran.stdout, ran.stderr);
    let rows: Vec<RevisionRow> = table(results.path());
    let mut patches = BTreeMap::new();
    for row in &rows[1..] {
        let (folder, patch) = row.patch.split_once('/').expect("a patch in a folder");
        let rejected = row.status == Status::Rejected;
        assert_eq!(rejected, folder == "rejected", "{}: {}", row.patch, row.reason);
        patches.insert(row.revision, (folder.to_owned(), patch.replace(".diff", "")));
    }
    let found = Found { patches, results };
    let pairs: Vec<PairRow> = table(found.results.path());
    let merged = rows.iter().filter(|row| row.status != Status::Rejected).count();
    assert_eq!(pairs.len(), merged * (merged - 1) / 2, "{told}");
    let mut open = false;
    for pair in &pairs {
        let allowed: &[Verdict] = match (found.folder(pair.a), found.folder(pair.b)) {
            ("original" | "equivalent", "equivalent") => &[Verdict::Equivalent],
            ("original" | "equivalent", "distinguished")
            | ("distinguished", "original" | "equivalent") => &[Verdict::Distinguished],
            ("original" | "equivalent" | "unless-failing", "unless-failing") => {
                &[Verdict::EquivalentUnlessFailing]
            }
            ("unless-failing", "distinguished") => &[Verdict::Distinguished],
            ("original", "unknown") => &[Verdict::Unknown],
            ("distinguished", "distinguished") => {
                &[Verdict::Distinguished, Verdict::Equivalent, Verdict::EquivalentUnlessFailing]
            }
            // One of the two is partly unknown; the rest of it may still tell them apart.
            _ => &[Verdict::Unknown, Verdict::Distinguished],
        };
        let names = [pair.a, pair.b].map(|r| found.patches.get(&r));
        assert!(allowed.contains(&pair.verdict), "{names:?}: {:?} {}", pair.verdict, pair.reason);
        let unknown = pair.verdict == Verdict::Unknown;
        assert!(!unknown || !pair.reason.is_empty(), "{names:?}: unknown without a reason");
        assert_eq!(unknown, !pair.code.is_empty(), "{names:?}: {:?}", pair.code);
        // These reasons would mean that evidence was lost on the way to a proof.
        let lost = [Code::NotExhausted, Code::StateLost, Code::RefutationLost];
        assert!(!pair.code.iter().any(|code| lost.contains(code)), "{names:?}: {:?}", pair.code);
        assert_eq!(pair.verdict == Verdict::Distinguished, pair.test.is_some());
        open |= unknown;
    }
    let summary: Vec<SummaryRow> = table(found.results.path());
    assert_eq!(summary[0].mismatches, 0, "{told}");
    assert_eq!(ran.code, Some(i32::from(open)), "{told}");
    found
}
