use std::collections::BTreeMap;

use super::{sample::Sample, *};
use crate::{
    results::{
        DistanceRow, FoundBy, ResultsDir, RevisionRow, StatsRow, Status, SummaryRow, TestId,
        TestRow, Verdict,
    },
    subject::Revision,
};

fn report(sample: Sample) -> Report {
    let labels = sample.labels();
    let row = |revision: Revision, patch: String| RevisionRow {
        revision,
        patch,
        status: Status::Merged,
        reason: String::new(),
        hunks: 1,
        arms: 2,
        own: 0,
    };
    let mut revisions = vec![row(Revision::ORIGINAL, String::new())];
    revisions.extend(labels.patches.iter().map(|(r, name)| row(*r, format!("{name}.diff"))));
    let count = revisions.len() as u32;
    revisions.push(RevisionRow {
        status: Status::Rejected,
        reason: "hunk 2 does not apply: no `if (n > <max>)` near a.c:40".into(),
        ..row(Revision(count), "sub/broken.patch".into())
    });
    let tests = sample.clusterings.iter().map(|c| TestRow {
        test: c.test,
        found_by: FoundBy::Pair,
        clusters: c.groups().len() as u32,
        size: 8,
        mismatch: c.test == TestId(2),
    });
    let of = |verdict| sample.pairs.iter().filter(|row| row.verdict == verdict).count() as u64;
    use crate::results::Verdict::{Distinguished, Equivalent, Internal, Unknown};
    let summary = SummaryRow {
        subject: "smallest".into(),
        revisions: count,
        rejected: 1,
        tests: sample.clusterings.len() as u32,
        classes: sample.solution.classes.len() as u32,
        height: sample.solution.height,
        lower_bound: sample.solution.lower_bound,
        distinguished: of(Distinguished),
        internal: of(Internal),
        equivalent: of(Equivalent),
        unknown: of(Unknown),
        mismatches: 1,
        paths: 120,
        instructions: 45_678,
        queries: 321,
        seconds: 12.3456,
        peak_mb: 210,
        ..SummaryRow::default()
    };
    let stats = StatsRow {
        phase: "explore".into(),
        count: 1,
        seconds: 10.0,
        cache_hits: 200,
        cache_misses: 121,
    };
    let diff = "--- a/a.c\n+++ b/a.c\n@@ -1,2 +1,2 @@\n int f(int n) {\n-\treturn n > 1 && n < 5;\n\
                +\treturn n >= 1;\n";
    Report {
        summary,
        stats: vec![stats],
        diffs: revisions[1..].iter().map(|row| (row.revision, diff.into())).collect(),
        revisions,
        tests: tests.collect(),
        inputs: sample
            .inputs
            .iter()
            .map(|(test, input)| {
                (*test, TestDescription { input: input.clone(), ..TestDescription::default() })
            })
            .collect(),
        outcomes: sample.shown,
        right: BTreeMap::new(),
        reference: None,
        clusterings: sample.clusterings,
        pairs: sample.pairs,
        ranges: Vec::new(),
        shares: Vec::new(),
        divergences: None,
        solution: sample.solution,
        bounds: vec!["At most 64 tokens of standard input.".into()],
        sources: BTreeMap::new(),
        interaction: None,
    }
}

/// A directory for results: temporary, or below `$PSYCHIC_LOOK` for a person who wants to look at
/// the pictures.
fn directory(name: &str) -> (tempfile::TempDir, ResultsDir) {
    let scratch = tempfile::tempdir().unwrap();
    let place = std::env::var_os("PSYCHIC_LOOK").map_or(scratch.path().into(), Into::into);
    let place: std::path::PathBuf = place;
    let results = ResultsDir::create(place.join(name)).unwrap();
    (scratch, results)
}

#[test]
fn everything_is_written() {
    let samples = [
        ("seven", sample::seven()),
        ("seventeen", sample::seventeen()),
        ("forty", sample::forty()),
        ("silent", sample::silent()),
    ];
    for (name, sample) in samples {
        let (_scratch, results) = directory(name);
        let report = report(sample);
        report.write_all(&results).unwrap();
        let text = |name: &str| std::fs::read_to_string(results.path().join(name)).unwrap();
        let tree = crate::tree::Tree::from_json(&text("tree.json")).unwrap();
        assert_eq!(tree, report.solution.tree);
        assert_eq!(results.read::<SummaryRow>().unwrap()[0].subject, "smallest");
        assert_eq!(results.read::<StatsRow>().unwrap(), report.stats);
        let distances = results.read::<DistanceRow>().unwrap();
        let count = tree.revisions().len();
        assert_eq!(distances.len(), count * (count - 1) / 2);
        let pictures = ["tree.png", "clusters.png", "distances.png"];
        for picture in pictures.iter().filter(|_| cfg!(feature = "plots")) {
            let bytes = std::fs::read(results.path().join(picture)).unwrap();
            assert!(bytes.starts_with(b"\x89PNG"), "{picture}");
            let pdf = std::fs::read(results.path().join(picture.replace("png", "pdf"))).unwrap();
            assert!(pdf.starts_with(b"%PDF"), "{picture}");
        }
        let page = text("report.html");
        assert!(page.contains("no `if (n &gt; &lt;max&gt;)` near a.c:40"));
        assert!(page.contains("At most 64 tokens"));
        let links = page.matches("href=").count();
        assert!(!page.contains("src=") && links == page.matches("href=\"#").count(), "one file");
        // A person who clicks through the questions can reach every leaf, and from there the
        // patches.
        let leaves = tree.leaves().iter().map(|leaf| leaf.len()).sum::<usize>();
        let original =
            tree.leaves().iter().filter(|leaf| leaf.contains(Revision::ORIGINAL)).count();
        assert_eq!(links, leaves - original);
        for link in page.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert_eq!(page.matches(&format!("id=\"{target}\"")).count(), 1, "{target}");
        }
        let document = Document::read(results.path()).unwrap();
        assert_eq!(document, report.document());
        let style = TextStyle { colour: std::env::var_os("PSYCHIC_LOOK").is_some(), width: 100 };
        results.write_file("tree.txt", report.terminal(style).as_bytes()).unwrap();
    }
}

#[test]
fn a_tree_that_joins_a_pair_told_apart_is_objected_to() {
    let mut report = report(sample::silent());
    assert_eq!(report.unseparated(), []);
    let told_apart = report.pairs.iter().find(|row| row.verdict == Verdict::Distinguished);
    let (a, b, test) = told_apart.map(|row| (row.a, row.b, row.test)).unwrap();
    report.solution.tree = crate::tree::Tree::Leaf([a, b].into_iter().collect());
    let why = WhyUnseparated::Clusterings;
    assert_eq!(report.unseparated(), [Unseparated { a, b, test, why }]);
    report.solution.together.insert((a, b));
    assert_eq!(report.unseparated()[0].why, WhyUnseparated::CutOff);
    let page = html(&report).unwrap();
    assert!(page.contains(&format!("does not separate {a} and {b}, told apart by test")));
}

#[test]
fn a_revision_of_its_own_compilation_alone_is_no_rejected_one() {
    let mut report = report(sample::seven());
    let reason = "it cannot be a part of the meta program";
    report.revisions[1].status = Status::Own;
    report.revisions[1].reason = reason.into();
    let page = html(&report).unwrap();
    let place = |text: &str| page.find(text).unwrap();
    assert!(place(reason) < place("<h3>Rejected</h3>"));
}
