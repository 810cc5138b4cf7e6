//! How the verdicts on single pairs changed from one campaign to another.

use std::{collections::BTreeMap, fmt, path::Path};

use crate::{
    results::{PairRow, ResultsDir, RevisionRow, Verdict},
    subject::Revision,
};

/// The original, among names of patches.
const ORIGINAL: &str = "original";

/// A pair of revisions with another verdict than before.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PairChange {
    /// Name of the subject.
    pub subject: String,
    /// The patches of the two; `original` for the original.
    pub pair: [String; 2],
    /// The verdict that it had.
    pub old: Verdict,
    /// The verdict that it has.
    pub new: Verdict,
    /// Whether the subject has the same digest in both campaigns.
    pub is_same_subject: bool,
}

/// What a change of a verdict means.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Kind {
    /// One verdict says that an input tells the two apart, the other that no input does. If the
    /// subject is the same, one of them is wrong.
    Contradiction,
    /// The pair was decided, and is unknown now.
    Lost,
    /// The pair was unknown, and is decided now.
    Progress,
    /// Something else, such as a proof with fewer conditions.
    Other,
}

impl PairChange {
    /// What the change means.
    pub fn kind(&self) -> Kind {
        let apart = |verdict| verdict == Verdict::Distinguished;
        match (self.old, self.new) {
            (_, Verdict::Unknown) => Kind::Lost,
            (Verdict::Unknown, _) => Kind::Progress,
            // Every other verdict is a proof that nothing that can be seen differs.
            (old, new) if apart(old) != apart(new) => Kind::Contradiction,
            _ => Kind::Other,
        }
    }
}

impl fmt::Display for PairChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, pair: [a, b], old, new, .. } = self;
        write!(f, "{subject}: {a} and {b}: {old} → {new}")?;
        if !self.is_same_subject {
            write!(f, " (the subject or its directory has changed)")?;
        }
        Ok(())
    }
}

/// The verdicts on the pairs of a subject, by the ordered names of the two patches. `None` if its
/// results cannot be read.
pub(super) fn pairs(results: &Path) -> Option<BTreeMap<[String; 2], Verdict>> {
    let results = ResultsDir::open(results).ok()?;
    let name = |row: RevisionRow| {
        let name = if row.revision == Revision::ORIGINAL { ORIGINAL.into() } else { row.patch };
        (row.revision, name)
    };
    let names: BTreeMap<Revision, String> =
        results.read::<RevisionRow>().ok()?.into_iter().map(name).collect();
    let mut pairs = BTreeMap::new();
    for row in results.read::<PairRow>().ok()? {
        let mut pair = [names.get(&row.a)?.clone(), names.get(&row.b)?.clone()];
        pair.sort();
        pairs.insert(pair, row.verdict);
    }
    Some(pairs)
}
