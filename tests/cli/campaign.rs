//! `psychic campaign`: many subjects.

use std::{fs, path::Path};

use assert_cmd::Command;
use psychic::{
    campaign::CampaignRow,
    results::{Ended, FoundBy, SummaryRow, TestRow},
};

use crate::support::{CONFIG, SOURCE, Scratch, psychic, refused, run, table};

/// Three subjects in a directory: two that can be compared, and one whose source does not compile.
fn three() -> Scratch {
    let patch = |statement: &str| {
        format!("--- a/a.c\n+++ b/a.c\n@@ -3 +3 @@\n-\treturn x > 0;\n+\t{statement}\n")
    };
    let mut scratch = Scratch::new();
    for (name, source, statement) in [
        ("one", SOURCE, "return x >= 0;"),
        ("two", SOURCE, "return x >= 1;"),
        ("worse", "int entry(int x)\n{\n\treturn x > ;\n}\n", "return 1;"),
    ] {
        scratch = scratch
            .file(&format!("bugs/{name}/subject.toml"), CONFIG)
            .file(&format!("bugs/{name}/a.c"), source)
            .file(&format!("bugs/{name}/1.diff"), &patch(statement));
    }
    scratch
}

fn campaign(scratch: &Scratch, out: &str) -> Command {
    let mut command = psychic();
    command.arg("campaign").arg(scratch.path("bugs")).arg("--out").arg(scratch.path(out));
    command
}

fn rows(place: &Path) -> Vec<(String, Ended)> {
    let rows: Vec<CampaignRow> = table(place);
    rows.into_iter().map(|row| (row.name, row.ended)).collect()
}

#[test]
fn what_fails_costs_the_others_nothing_and_what_is_known_is_not_run_again() {
    let scratch = three();
    let first = run(&mut campaign(&scratch, "out"));
    assert_eq!(first.code, Some(1), "{}{}", first.stdout, first.stderr);
    assert!(first.stdout.contains("3 subjects: 2 decided, 1 failed"), "{}", first.stdout);
    let known = [("one", Ended::Decided), ("two", Ended::Decided), ("worse", Ended::Failed)];
    assert_eq!(rows(&scratch.path("out")), known.map(|(name, ended)| (name.to_owned(), ended)));
    let all: Vec<CampaignRow> = table(&scratch.path("out"));
    assert!(all[2].reason.contains("a.c"), "{}", all[2].reason);
    // The figures are those of the subject's own results.
    let own: Vec<SummaryRow> = table(&scratch.path("out/subjects/one"));
    assert_eq!(all[0].summary.as_ref(), own.first());
    let two = all[1].summary.as_ref().expect("compared");
    assert_eq!((two.equivalent, two.distinguished), (1, 0));
    assert_eq!(all[2].summary, None);
    for file in ["campaign.html", "cactus.svg", "subjects/one/report.html", "logs/worse.log"] {
        assert!(scratch.path("out").join(file).is_file(), "{file}");
    }
    fs::write(scratch.path("bugs/two/1.diff"), "no diff\n").expect("written");
    let second = run(&mut campaign(&scratch, "out"));
    let is_known = |name: &str| {
        second.stderr.lines().any(|line| line.contains(name) && line.ends_with("(known)"))
    };
    assert!(is_known("one") && !is_known("two"), "{}", second.stderr);
    assert_eq!(rows(&scratch.path("out"))[1].1, Ended::Failed);
    // An option is another input.
    let third = run(campaign(&scratch, "out").args(["--", "--no-join"]));
    assert!(!third.stderr.contains("(known)"), "{}", third.stderr);
    fs::remove_dir_all(scratch.path("out/subjects/one")).expect("removed");
    let fourth = run(campaign(&scratch, "out").args(["--", "--no-join"]));
    assert!(!fourth.stderr.contains("(known)"), "{}", fourth.stderr);
    assert!(scratch.path("out/subjects/one/report.html").is_file());
}

#[test]
fn campaigns_are_compared() {
    let scratch = three();
    run(&mut campaign(&scratch, "old"));
    let compare = |new: &str| {
        let mut command = psychic();
        command.args(["campaign", "compare"]).arg(scratch.path("old")).arg(scratch.path(new));
        run(&mut command)
    };
    let same = compare("old/campaign.csv");
    assert_eq!(same.code, Some(0));
    assert_eq!(
        same.stdout,
        "3 subjects in both, 0 changed; 0 in one; median of new time over old: 1.00\n\
         2 pairs in both: 0 contradictions, 0 decided now, 0 not any more, 0 changed otherwise\n"
    );
    fs::write(scratch.path("bugs/worse/a.c"), SOURCE).expect("written");
    run(&mut campaign(&scratch, "new"));
    let changed = compare("new");
    assert_eq!(changed.code, Some(1));
    let worse = "worse: ended failed → decided, revisions – → 2, rejected – → 0, classes – → 2";
    assert!(changed.stdout.starts_with(worse), "{}", changed.stdout);
    // A verdict that has turned round comes first, although no number of pairs need have changed.
    let pairs = scratch.path("new/subjects/two/pairs.csv");
    let text = fs::read_to_string(&pairs).expect("readable").replace("equivalent", "distinguished");
    fs::write(&pairs, text).expect("written");
    let wrong = compare("new");
    let line = "contradiction in two: 1.diff and original: equivalent → distinguished\n";
    assert!(wrong.stdout.starts_with(line), "{}", wrong.stdout);
    assert!(wrong.stdout.contains("2 pairs in both: 1 contradiction,"), "{}", wrong.stdout);
}

/// A run with a part of the list costs the others nothing, and what comes later changes no name.
#[test]
fn lists_shrink_and_grow() {
    let mut scratch = three();
    run(&mut campaign(&scratch, "out"));
    let part = |scratch: &Scratch, places: &[&str]| {
        let mut command = psychic();
        command.arg("campaign").args(places.iter().map(|place| scratch.path(place)));
        run(command.arg("--out").arg(scratch.path("out")))
    };
    let one = part(&scratch, &["bugs/one"]);
    assert_eq!(one.code, Some(0), "{}", one.stderr);
    assert_eq!(rows(&scratch.path("out")), [("one".to_owned(), Ended::Decided)]);
    for (file, text) in [("subject.toml", CONFIG), ("a.c", SOURCE)] {
        scratch = scratch.file(&format!("again/one/{file}"), text);
        scratch = scratch.file(&format!("again/TWO/{file}"), text);
    }
    let all = part(&scratch, &["again", "bugs"]);
    let known = |name: &str| {
        all.stderr.lines().any(|line| line.contains(name) && line.ends_with("(known)"))
    };
    assert!(known("  one: 2 revisions") && known("  two: 2 revisions"), "{}", all.stderr);
    let names: Vec<String> = rows(&scratch.path("out")).into_iter().map(|row| row.0).collect();
    assert_eq!(names, ["again-TWO", "again-one", "one", "two", "worse"]);
}

#[test]
fn a_list_and_a_place_have_to_be_right() {
    let scratch = three().file("notes/mine.txt", "mine");
    let none = refused(psychic().arg("campaign").arg(scratch.path("notes")));
    assert!(none.contains("no subject.toml"), "{none}");
    let foreign = refused(&mut campaign(&scratch, "notes"));
    assert!(foreign.contains("--out"), "{foreign}");
    assert!(scratch.path("notes/mine.txt").is_file());
    for (option, told) in [("--bogus", "--bogus"), ("--out=x", "--out"), ("other", "a subject")] {
        let wrong = refused(campaign(&scratch, "out").args(["--", option]));
        assert!(wrong.contains(told) && !scratch.path("out").exists(), "{wrong}");
    }
    fs::create_dir(scratch.path("out")).expect("made");
    fs::write(scratch.path("out/.psychic-campaign"), "").expect("written");
    fs::write(scratch.path("out/campaign.csv"), "broken\n").expect("written");
    let broken = refused(&mut campaign(&scratch, "out"));
    assert!(broken.contains("--again") && broken.contains("campaign.csv"), "{broken}");
    assert_eq!(run(campaign(&scratch, "out").arg("--again")).code, Some(1));
}

/// A subject whose run was killed goes on with the tests that it left.
#[test]
fn what_was_killed_is_taken_up() {
    let scratch = three();
    run(&mut campaign(&scratch, "out"));
    let one = scratch.path("out/subjects/one");
    fs::create_dir(one.join("unfinished")).expect("made");
    fs::rename(one.join("tests"), one.join("unfinished/tests")).expect("moved");
    fs::remove_file(one.join("summary.csv")).expect("removed");
    let again = run(&mut campaign(&scratch, "out"));
    assert!(again.stderr.contains("two: 2 revisions"), "{}", again.stderr);
    let tests: Vec<TestRow> = table(&one);
    assert_eq!(tests[0].found_by, FoundBy::Seed);
}
