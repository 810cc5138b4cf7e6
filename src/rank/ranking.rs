//! Orders the revisions by what is known about them.
//!
//! Revisions that are wrong on fewer of the tests with a known right outcome come first. Among
//! equals, those that are proved equivalent to the reference come first. The rest is decided by the
//! score: the mean of the criteria, each from 0 to 1, under the weights.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use super::walk::{Answer, Answered};
use crate::{
    results::{Clustering, Fraction, RankingRow, ShareRow, TestId, Verdict},
    subject::{Revision, RevisionSet},
};

/// The criteria by which revisions are scored.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Criterion {
    /// No error on a test on which the original has none.
    Errors,
    /// Some test tells the revision from the original: it does change something.
    Effect,
    /// Few tests tell the revision from the original.
    Change,
    /// Few inputs behave differently than in the original.
    Share,
    /// Many revisions do the same.
    Class,
    /// The patch is small.
    Size,
    /// The score that the user gives.
    Prior,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Self; 7] = [
        Self::Errors,
        Self::Effect,
        Self::Prior,
        Self::Change,
        Self::Share,
        Self::Class,
        Self::Size,
    ];

    /// The name of the criterion.
    pub fn name(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Effect => "effect",
            Self::Change => "change",
            Self::Share => "share",
            Self::Class => "class",
            Self::Size => "size",
            Self::Prior => "prior",
        }
    }

    /// What it rewards, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Errors => "no error on a test on which the original has none",
            Self::Effect => "some test tells the patch from the original",
            Self::Change => "few tests tell the patch from the original",
            Self::Share => {
                "few inputs behave differently than in the original, as sampled by `psychic diff`"
            }
            Self::Class => "many patches do the same",
            Self::Size => "the patch adds and removes few lines",
            Self::Prior => "the score of --scores, if there is one",
        }
    }

    /// What it counts where nobody says otherwise.
    pub fn usual_weight(self) -> f64 {
        match self {
            Self::Errors | Self::Effect => 4.0,
            Self::Prior => 2.0,
            Self::Change | Self::Share | Self::Class | Self::Size => 1.0,
        }
    }
}

/// How much each criterion counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights(BTreeMap<Criterion, f64>);

impl Default for Weights {
    fn default() -> Self {
        Self(Criterion::ALL.map(|criterion| (criterion, criterion.usual_weight())).into())
    }
}

impl Weights {
    /// Sets the weight of a criterion; 0 leaves it out.
    pub fn set(&mut self, criterion: Criterion, weight: f64) {
        self.0.insert(criterion, weight);
    }
}

/// What is known about the revisions.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The names of the patches to order, by revision.
    pub patches: BTreeMap<Revision, String>,
    /// The tests.
    pub clusterings: Vec<Clustering>,
    /// Sets of revisions that the tests tell apart from the same others.
    pub classes: Vec<RevisionSet>,
    /// The outcomes that are errors, by test and cluster.
    pub errors: BTreeSet<(TestId, Revision)>,
    /// The answers about tests.
    pub answers: Vec<Answered>,
    /// Whether an outcome is right, by test and cluster, where that is known without an answer.
    pub right: BTreeMap<(TestId, Revision), bool>,
    /// For each patch, the verdict on it and the revision that is taken for right, if there is one.
    pub reference: BTreeMap<Revision, Verdict>,
    /// The shares of inputs that the patches change, where they were sampled.
    pub shares: BTreeMap<Revision, Share>,
    /// The numbers of lines that the patches add and remove.
    pub sizes: BTreeMap<Revision, u32>,
    /// Scores that the user gives; larger is better.
    pub priors: BTreeMap<Revision, f64>,
}

/// The share of inputs on which a revision behaves differently from the original.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// The share among the samples.
    pub changed: Fraction,
    /// The least that the share may be.
    pub low: Fraction,
    /// The greatest that the share may be.
    pub high: Fraction,
}

impl Share {
    /// The share in a row of `shares.csv`; `None` if nothing is known about it.
    pub fn of(row: &ShareRow) -> Option<Self> {
        let share = Self { changed: row.changed?, low: row.changed_low?, high: row.changed_high? };
        (share.low.0 > 0.0 || share.high.0 < 1.0).then_some(share)
    }

    /// The middle between the least and the greatest that it may be.
    fn middle(self) -> f64 {
        f64::midpoint(self.low.0, self.high.0)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Round away from the middle, so that the range as it is shown holds, too.
        let [low, high] = [(self.low.0 * 1e3).floor() / 10.0, (self.high.0 * 1e3).ceil() / 10.0];
        match (self.low.0, self.high.0) {
            (_, high) if high <= 0.0 => f.write_str("changes no input"),
            (low, _) if low >= 1.0 => f.write_str("changes every input"),
            _ if low == high => write!(f, "changes {low} % of inputs"),
            (0.0, _) => write!(f, "changes at most {high} % of inputs"),
            (_, 1.0) => write!(f, "changes at least {low} % of inputs"),
            _ => write!(f, "changes {low} to {high} % of inputs"),
        }
    }
}

/// What the tests say about one revision.
struct Record {
    right: u32,
    wrong: Vec<TestId>,
    errors: Vec<TestId>,
    changed: u32,
    class: u32,
}

/// The revisions from the best to the worst. Revisions of equal score are ordered by their numbers.
pub fn ranking(evidence: &Evidence, weights: &Weights) -> Vec<RankingRow> {
    let records: BTreeMap<Revision, Record> =
        evidence.patches.keys().map(|revision| (*revision, evidence.record(*revision))).collect();
    let scales = Scales::new(evidence, &records);
    let mut rows: Vec<RankingRow> = records
        .iter()
        .map(|(revision, record)| evidence.row(*revision, record, &scales, weights))
        .collect();
    rows.sort_by(|a, b| {
        let differs = |row: &RankingRow| row.reference != Some(Verdict::Equivalent);
        a.wrong
            .cmp(&b.wrong)
            .then(differs(a).cmp(&differs(b)))
            .then(b.score.total_cmp(&a.score))
            .then(a.revision.cmp(&b.revision))
    });
    for (rank, row) in (1..).zip(&mut rows) {
        row.rank = rank;
    }
    rows
}

/// The figures that scores are relative to.
struct Scales {
    tests: u32,
    class: u32,
    size: u32,
    least_prior: f64,
    largest_prior: f64,
}

impl Scales {
    fn new(evidence: &Evidence, records: &BTreeMap<Revision, Record>) -> Self {
        let of_patches = evidence.patches.keys();
        let sizes = of_patches.filter_map(|revision| evidence.sizes.get(revision).copied());
        let priors = || evidence.priors.values().copied();
        Self {
            tests: evidence.clusterings.len() as u32,
            class: records.values().map(|record| record.class).max().unwrap_or(1),
            size: sizes.min().unwrap_or(1).max(1),
            least_prior: priors().fold(f64::INFINITY, f64::min),
            largest_prior: priors().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The place of a prior between the least and the largest one, from 0 to 1.
    fn prior(&self, prior: f64) -> f64 {
        let range = self.largest_prior - self.least_prior;
        if range > 0.0 { (prior - self.least_prior) / range } else { 1.0 }
    }
}

impl Evidence {
    fn record(&self, revision: Revision) -> Record {
        let mut record =
            Record { right: 0, wrong: Vec::new(), errors: Vec::new(), changed: 0, class: 1 };
        for clustering in &self.clusterings {
            let test = clustering.test;
            let Some(cluster) = clustering.cluster(revision) else { continue };
            let original = clustering.cluster(Revision::ORIGINAL);
            if original.is_some_and(|original| original != cluster) {
                record.changed += 1;
            }
            let fails = |cluster| self.errors.contains(&(test, cluster));
            if fails(cluster) && !original.is_some_and(fails) {
                record.errors.push(test);
            }
            match self.is_right(test, cluster) {
                Some(true) => record.right += 1,
                Some(false) => record.wrong.push(test),
                None => {}
            }
        }
        let class = self.classes.iter().find(|class| class.contains(revision));
        record.class = class.map_or(1, |class| class.len() as u32);
        record
    }

    /// Whether the outcome of a cluster is right, if that is known. What a person said comes first.
    fn is_right(&self, test: TestId, cluster: Revision) -> Option<bool> {
        let mut answers = self.answers.iter().filter(|answered| answered.test == test);
        let said = answers.find_map(|answered| match answered.answer {
            Answer::Outcome(right) => Some(right == cluster),
            Answer::NoneOf(_) => Some(false),
            Answer::DoNotKnow => None,
        });
        said.or_else(|| self.right.get(&(test, cluster)).copied())
    }

    fn row(
        &self,
        revision: Revision,
        record: &Record,
        scales: &Scales,
        weights: &Weights,
    ) -> RankingRow {
        let size = self.sizes.get(&revision).copied();
        let prior = self.priors.get(&revision).copied();
        let changed = self.shares.get(&revision).copied();
        let reference = self.reference.get(&revision).copied();
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        let value = |criterion| match criterion {
            Criterion::Errors => Some(1.0 - share(record.errors.len() as u32, scales.tests)),
            Criterion::Effect => Some(if record.changed > 0 { 1.0 } else { 0.0 }),
            Criterion::Change => Some(1.0 - share(record.changed, scales.tests)),
            Criterion::Share => changed.map(|share| 1.0 - share.middle()),
            Criterion::Class => Some(share(record.class, scales.class)),
            Criterion::Size => size.map(|size| share(scales.size, size.max(scales.size))),
            // Where some patches have a score, one without has the least.
            Criterion::Prior if self.priors.is_empty() => None,
            Criterion::Prior => Some(prior.map_or(0.0, |prior| scales.prior(prior))),
        };
        let counted = weights.0.iter().filter_map(|(criterion, weight)| {
            value(*criterion).map(|value| (*weight, weight * value))
        });
        let (whole, part) =
            counted.fold((0.0, 0.0), |(w, p), (weight, value)| (w + weight, p + value));
        RankingRow {
            rank: 0,
            revision,
            patch: self.patches[&revision].clone(),
            score: if whole > 0.0 { part / whole } else { 0.0 },
            right: record.right,
            wrong: record.wrong.len() as u32,
            new_errors: record.errors.len() as u32,
            changed: record.changed,
            class: record.class,
            size: size.unwrap_or(0),
            prior,
            reference,
            reasons: reasons(record, reference, changed, scales.tests),
            share: changed.map(|share| share.changed),
            share_low: changed.map(|share| share.low),
            share_high: changed.map(|share| share.high),
        }
    }
}

/// What speaks for and against a revision, in words.
fn reasons(
    record: &Record,
    reference: Option<Verdict>,
    share: Option<Share>,
    tests: u32,
) -> Vec<String> {
    let list = |tests: &[TestId]| {
        let numbers: Vec<String> = tests.iter().map(ToString::to_string).collect();
        let noun = if numbers.len() == 1 { "test" } else { "tests" };
        format!("{noun} {}", numbers.join(" "))
    };
    let mut reasons = Vec::new();
    if !record.wrong.is_empty() {
        reasons.push(format!("wrong on {}", list(&record.wrong)));
    }
    if record.right > 0 {
        let tests = if record.right == 1 { "test" } else { "tests" };
        reasons.push(format!("right on {} {tests}", record.right));
    }
    if reference == Some(Verdict::Equivalent) {
        reasons.push("equivalent to the reference".into());
    }
    if !record.errors.is_empty() {
        reasons.push(format!("new errors on {}", list(&record.errors)));
    }
    reasons.push(match record.changed {
        0 => "not told from the original".into(),
        changed => format!("unlike the original on {changed} of {tests}"),
    });
    reasons.extend(share.map(|share| share.to_string()));
    if record.class > 1 {
        reasons.push(format!("one of {} not told apart", record.class));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clustering(test: u32, outcomes: &[u32]) -> Clustering {
        Clustering::new(TestId(test), (0..).map(Revision).zip(outcomes.iter().copied()))
    }

    /// 1 crashes where the original does not, 2 and 3 do the same, and 4 is like the original.
    fn evidence() -> Evidence {
        let clusterings = vec![clustering(1, &[0, 9, 2, 2, 0]), clustering(2, &[0, 0, 2, 2, 0])];
        let set = |revisions: &[u32]| revisions.iter().copied().map(Revision).collect();
        Evidence {
            patches: (1..=4).map(|r| (Revision(r), format!("{r}.diff"))).collect(),
            clusterings,
            classes: vec![set(&[0, 4]), set(&[1]), set(&[2, 3])],
            errors: [(TestId(1), Revision(1))].into(),
            sizes: (1..=4).map(|r| (Revision(r), 2 * r)).collect(),
            ..Evidence::default()
        }
    }

    fn order(evidence: &Evidence, weights: &Weights) -> Vec<u32> {
        ranking(evidence, weights).iter().map(|row| row.revision.0).collect()
    }

    #[test]
    fn errors_and_idle_patches_come_last() {
        let rows = ranking(&evidence(), &Weights::default());
        let order: Vec<_> = rows.iter().map(|row| (row.rank, row.revision.0)).collect();
        assert_eq!(order, [(1, 2), (2, 3), (3, 1), (4, 4)]);
        assert_eq!(rows[2].reasons, ["new errors on test 1", "unlike the original on 1 of 2"]);
        assert_eq!(rows[3].reasons, ["not told from the original", "one of 2 not told apart"]);
        assert!(rows.iter().all(|row| (0.0..=1.0).contains(&row.score)));
    }

    #[test]
    fn whoever_is_wrong_on_an_answered_test_is_behind_all_others() {
        let mut evidence = evidence();
        let answer = Answer::Outcome(Revision(1));
        evidence.answers = vec![Answered { test: TestId(1), answer }];
        let rows = ranking(&evidence, &Weights::default());
        assert_eq!(rows[0].revision, Revision(1));
        assert_eq!((rows[0].right, rows[0].wrong), (1, 0));
        assert!(rows[1..].iter().all(|row| row.wrong == 1));
        evidence.answers[0].answer = Answer::DoNotKnow;
        assert!(ranking(&evidence, &Weights::default()).iter().all(|row| row.wrong == 0));
    }

    fn share(low: f64, high: f64) -> Share {
        let [changed, low, high] = [f64::midpoint(low, high), low, high].map(Fraction);
        Share { changed, low, high }
    }

    #[test]
    fn a_patch_that_changes_fewer_inputs_comes_first() {
        let shares = [(Revision(2), share(0.2, 0.3)), (Revision(3), share(0.0, 0.001))];
        let evidence = Evidence { shares: shares.into(), ..evidence() };
        let rows = ranking(&evidence, &Weights::default());
        assert_eq!(rows[0].revision, Revision(3));
        assert!(rows[0].reasons.contains(&"changes at most 0.1 % of inputs".to_owned()));
        assert_eq!(rows[1].share_high, Some(Fraction(0.3)));
        // Nothing is known about the others.
        assert!(rows[2..].iter().all(|row| row.share.is_none()));
        let mut weights = Weights::default();
        weights.set(Criterion::Share, 0.0);
        assert_eq!(order(&evidence, &weights)[0], 2);
    }

    #[test]
    fn what_is_said_of_a_share_holds() {
        for ((low, high), text) in [
            ((0.0, 0.0), "no input"),
            ((1.0, 1.0), "every input"),
            ((0.0, 0.0101), "at most 1.1 % of inputs"),
            ((0.9991, 1.0), "at least 99.9 % of inputs"),
            ((0.2312, 0.2571), "23.1 to 25.8 % of inputs"),
            ((0.5, 0.5), "50 % of inputs"),
        ] {
            assert_eq!(share(low, high).to_string(), format!("changes {text}"));
        }
    }

    #[test]
    fn an_interval_of_everything_says_nothing() {
        let [zero, one] = [0.0, 1.0].map(|share| Some(Fraction(share)));
        let row = ShareRow {
            revision: Revision(1),
            changed: zero,
            changed_low: zero,
            changed_high: one,
            unknown: one,
            samples: 9,
        };
        assert_eq!(Share::of(&row), None);
        let none = ShareRow { changed: None, samples: 0, ..row.clone() };
        assert_eq!(Share::of(&none), None);
        assert!(Share::of(&ShareRow { changed_high: Some(Fraction(0.5)), ..row }).is_some());
    }

    #[test]
    fn a_weight_of_nothing_leaves_a_criterion_out() {
        let mut weights = Weights::default();
        for criterion in Criterion::ALL {
            weights.set(criterion, 0.0);
        }
        assert_eq!(order(&evidence(), &weights), [1, 2, 3, 4]);
        weights.set(Criterion::Prior, 1.0);
        let priors = [(Revision(3), -1.0), (Revision(4), 2.0), (Revision(1), 0.5)];
        let scored = Evidence { priors: priors.into(), ..evidence() };
        assert_eq!(order(&scored, &weights), [4, 1, 2, 3]);
    }
}
