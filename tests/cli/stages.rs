//! Every stage starts from the files of the stage before, and from files made elsewhere.

use std::{fs, os::unix::fs::PermissionsExt};

use psychic::{
    results::{ClusterRow, Clustering, read_clusterings},
    subject::Revision,
    tree::Tree,
};

use crate::support::{Scratch, names, psychic, refused, run, table};

/// A test as KLEE's tools write it: big-endian numbers, the program's name, one object.
fn ktest(object: &str, bytes: &[u8]) -> Vec<u8> {
    let number = |n: usize| (n as u32).to_be_bytes();
    let sized = |bytes: &[u8]| [&number(bytes.len()), bytes].concat();
    let header = [b"KTEST".as_slice(), &number(3), &number(1), &sized(b"program")].concat();
    let symbolic_arguments = [number(0), number(0)].concat();
    [header, symbolic_arguments, number(1).to_vec(), sized(object.as_bytes()), sized(bytes)]
        .concat()
}

fn clusterings(scratch: &Scratch) -> Vec<Clustering> {
    read_clusterings(&scratch.path("out/clusters.csv")).expect("readable")
}

#[test]
fn merge_then_build_then_replay() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    let merged = run(&mut scratch.stage("merge"));
    assert_eq!(merged.code, Some(0), "{}", merged.stderr);
    assert!(merged.stdout.starts_with("2 of 2 patches merged: "), "{}", merged.stdout);
    assert_eq!(names(&scratch.path("out")), ["build", "meta", "revisions.csv"]);

    // A revision is its own compilation, whatever a person writes into the meta program.
    let meta = scratch.path("out/meta/a.c");
    let text = fs::read_to_string(&meta).expect("readable C");
    assert_eq!(text.matches("x >= 0").count(), 1, "{text}");
    fs::write(&meta, text.replace("x >= 0", "x >= 5")).expect("written");
    let built = run(&mut scratch.stage("build"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    for file in built.stdout.lines() {
        assert!(fs::metadata(file).expect("built").len() > 0, "{file}");
    }

    let scratch = scratch.file("zero.ktest", "").file("three.ktest", "").file("seven.ktest", "");
    for (name, x) in [("zero", 0i32), ("three", 3), ("seven", 7)] {
        let bytes = ktest("x", &x.to_le_bytes());
        fs::write(scratch.path(&format!("{name}.ktest")), bytes).expect("written");
    }
    let files = ["zero.ktest", "three.ktest", "seven.ktest"].map(|name| scratch.path(name));
    let replayed = run(scratch.stage("replay").args(files));
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    let groups = |test: usize| -> Vec<u32> {
        clusterings(&scratch)[test].clusters.values().map(|cluster| cluster.0).collect()
    };
    assert_eq!(groups(0), [0, 1, 1], "x = 0: 0, 1, 1");
    assert_eq!(groups(1), [0, 0, 2], "x = 3: 1, 1, 0");
    assert_eq!(groups(2), [0, 0, 2], "x = 7: 1, 1, 0");
}

/// A stage that is run on its own leaves what a comparison has found.
#[test]
fn stages_have_a_directory_beside_a_comparison() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let out = scratch.out();
    let tables = ["states.csv", "stats.csv", "revisions.csv", "meta/a.c", "meta.bc"];
    let read = || tables.map(|name| fs::read(out.join(name)).expect("written"));
    let before = read();
    for stage in ["merge", "build", "explore"] {
        let ran = run(&mut scratch.stage(stage));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.contains("out/stages"), "{}", ran.stdout);
        assert!(read() == before, "{stage}");
    }
    let of_stages = names(&out.join("stages"));
    assert!(["meta", "states.csv"].iter().all(|name| of_stages.iter().any(|of| of == name)));
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    assert_eq!(names(&out.join("stages")), of_stages);
}

#[test]
fn replay_shows_what_diff_found() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let found = clusterings(&scratch);
    let replayed = run(&mut scratch.stage("replay"));
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    assert_eq!(clusterings(&scratch), found);
}

/// What diff has found stays, whatever is replayed, and is what it is compared with.
#[test]
fn replay_leaves_results_as_they_are() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    fs::write(scratch.path("seven.ktest"), ktest("x", &7i32.to_le_bytes())).expect("written");
    let table = scratch.path("out/clusters.csv");
    for name in ["tests.csv", "outcomes.csv", "clusters.csv"] {
        let before = fs::read(scratch.path("out").join(name)).expect("written");
        let replayed = run(scratch.stage("replay").arg(scratch.path("seven.ktest")));
        assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
        assert!(replayed.stdout.starts_with("test 1: 2 clusters: "), "{}", replayed.stdout);
        assert_eq!(fs::read(scratch.path("out").join(name)).expect("written"), before);
    }

    // Somebody else's clusters: all revisions do the same on test 1.
    let rows = fs::read_to_string(&table).expect("written");
    let one = rows.lines().map(|row| match row.strip_prefix("1,") {
        Some(row) => format!("1,{},0\n", row.split(',').next().expect("a revision")),
        None => format!("{row}\n"),
    });
    fs::write(&table, one.collect::<String>()).expect("written");
    let replayed = run(&mut scratch.stage("replay"));
    assert_eq!(replayed.code, Some(1), "{}", replayed.stderr);
    assert!(
        replayed.stdout.contains("clusters, not those of the results: "),
        "{}",
        replayed.stdout
    );
}

/// What runs now would not be what the results are about.
#[test]
fn sources_and_patches_are_those_that_were_compared() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let stages = || {
        let mut explain = scratch.stage("explain");
        explain.args(["0", "1"]);
        let mut export = scratch.stage("export");
        export.args(["--as", "c", "--expected", "0"]);
        [scratch.stage("replay"), explain, export]
    };
    for (file, from, to) in [("a.c", "entry(int x)", "entry(int  x)"), ("1.diff", ">= 0", ">= 1")] {
        let path = scratch.path(file);
        let text = fs::read_to_string(&path).expect("read");
        fs::write(&path, text.replace(from, to)).expect("written");
        for mut stage in stages() {
            let message = refused(&mut stage);
            let expected =
                format!("{file}: changed since the comparison; run `psychic diff` again");
            assert!(message.contains(&expected), "{message}");
        }
        fs::write(&path, text).expect("written");
    }
    let ran = stages().map(|mut stage| run(&mut stage).code);
    assert_eq!(ran, [Some(0); 3]);
}

/// A run knows all that another one writes, also where no mark says so.
#[test]
fn whatever_a_run_writes_is_known_to_the_next() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    for _ in 0..2 {
        let ran = run(&mut scratch.stage("diff"));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for stage in ["merge", "build", "explore", "rank"] {
            assert_eq!(run(&mut scratch.stage(stage)).code, Some(0), "{stage}");
        }
        fs::remove_file(scratch.out().join(".psychic")).expect("written");
    }
}

/// Such a directory is that of a revision in the results of an earlier run.
#[test]
fn files_with_the_names_of_what_a_build_makes_stay() {
    let mut scratch = Scratch::new();
    for number in 0..8 {
        scratch = scratch.patch(&format!("{number}.diff"), &format!("return x > {number};"));
    }
    let names = ["a.c.bc", "psychic_harness.c.bc", "psychic_harness.c.native.ir"];
    let scratch = names.iter().fold(scratch, |scratch, name| scratch.file(name, "mine\n"));
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("9 revisions, 8 classes"), "{}{}", ran.stdout, ran.stderr);
    for name in names {
        assert_eq!(fs::read_to_string(scratch.path(name)).expect("kept"), "mine\n", "{name}");
    }
}

/// Two files with the same name are two tests.
#[test]
fn replay_numbers_tests_of_one_name() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;");
    for (folder, x) in [("a", 0i32), ("b", 1)] {
        fs::create_dir(scratch.path(folder)).expect("made");
        let bytes = ktest("x", &x.to_le_bytes());
        fs::write(scratch.path(folder).join("0001.ktest"), bytes).expect("written");
    }
    let files = ["a/0001.ktest", "b/0001.ktest"].map(|name| scratch.path(name));
    assert_eq!(run(scratch.stage("replay").args(files)).code, Some(0));
    let clusters: Vec<usize> = clusterings(&scratch).iter().map(|c| c.groups().len()).collect();
    assert_eq!(clusters, [2, 1]);
}

/// One revision by itself: what it does is shown, and the results stay as they are.
#[test]
fn replay_shows_one_revision() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "retur !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let before = fs::read(scratch.path("out/clusters.csv")).expect("written");
    for (revision, shown) in [("0", "return = 0"), ("1", "return = 1")] {
        let replayed = run(scratch.stage("replay").args(["1", "--revision", revision]));
        assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
        assert_eq!(replayed.stdout, format!("test 1: x = 0: {shown}\n"));
    }
    assert_eq!(fs::read(scratch.path("out/clusters.csv")).expect("written"), before);
    for (arguments, message) in [
        (["1", "--revision", "7"], "there is no revision 7"),
        (["1", "--revision", "2"], "revision 2 was set aside"),
        (["5", "--revision", "1"], "there is no test 5 in"),
    ] {
        let refusal = refused(scratch.stage("replay").args(arguments));
        assert!(refusal.contains(message), "{refusal}");
    }
}

/// In place of gdb, a script runs what it is told to run, and says where it would stop and look.
#[test]
fn a_debugger_runs_one_revision_on_one_test() {
    let debugger = "#!/bin/sh\n\
        while [ \"$1\" != --args ]; do\n  case $1 in\n    -d) last=$2;;\n    \
        break*) echo \"$1\";;\n    *wrapper*) wrapper=${1##* };;\n  esac\n  shift\ndone\n\
        shift\ngrep return \"$last/a.c\"\n\
        PSYCHIC_OUTPUTS=$PWD/outputs $wrapper \"$@\"\necho \"exit $?\"\nod -An -c outputs\n";
    let scratch = Scratch::new()
        .patch("1.diff", "return x >= 0;")
        .patch("2.diff", "return x > 3;")
        .file("bin/gdb", debugger);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scratch.path("bin/gdb"), executable).expect("set");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let path = format!("{}:{}", scratch.path("bin").display(), std::env::var("PATH").expect("set"));
    let debug = |test: &str, path: &str| {
        let mut command = scratch.stage("replay");
        command.args([test, "--revision", "1", "--debug"]).env("PATH", path);
        command
    };
    // The original and revision 1 differ at 0.
    let at_zero = (1..=2).find(|test| {
        let shown = run(scratch.stage("replay").args([&test.to_string(), "--revision", "1"]));
        shown.stdout.contains("x = 0")
    });
    let ran = run(&mut debug(&at_zero.expect("a test").to_string(), &path));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[..3], ["break a.c:entry", "\treturn x >= 0;", "exit 0"]);
    assert!(lines[3].contains("r   e   t   u   r   n  \\0 004"), "{}", ran.stdout);
    assert!(lines.concat().contains("001"), "{}", ran.stdout);
    let refusal = refused(scratch.stage("replay").args(["1", "2", "--revision", "1", "--debug"]));
    assert!(refusal.contains("takes one test"), "{refusal}");
}

/// Eight revisions that three yes-or-no tests tell apart, as another tool might write them: with
/// Windows line ends, a column of its own, columns and rows in no order, and clusters that are not
/// named after their smallest revision.
#[test]
fn tree_of_clusters_made_elsewhere() {
    let mut rows: Vec<String> = (0..3)
        .flat_map(|test| {
            (0..8).map(move |r| format!("{},{r},by hand,{}", 7 - (r >> test & 1), test + 1))
        })
        .collect();
    rows.reverse();
    let text = format!("cluster,revision,remark,test\r\n{}\r\n", rows.join("\r\n"));
    let scratch = Scratch::new().file("c.csv", &text);
    let tree = scratch.path("tree.json");
    let ran = run(psychic().arg("tree").arg(scratch.path("c.csv")).arg("--out").arg(&tree));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("height 3 (minimal)"), "{}", ran.stdout);
    let tree = Tree::from_json(&fs::read_to_string(tree).expect("written")).expect("a tree");
    assert_eq!(tree.height(), 3);
}

/// Four revisions. Test 0 tells 0 from the rest, and tests 1 to 3 halve them in the three ways.
#[test]
fn a_tree_is_the_best_for_what_is_asked_for() {
    let answers = [[0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]];
    let cluster = |test: usize, r: usize| answers[test].iter().position(|a| *a == answers[test][r]);
    let rows = (0..16).map(|n| (n / 4, n % 4));
    let rows: String = rows
        .map(|(test, r)| format!("{test},{r},{}\n", cluster(test, r).expect("there")))
        .collect();
    let scratch = Scratch::new()
        .file("clusters.csv", &format!("test,revision,cluster\n{rows}"))
        .file("prior.csv", "revision,score\n0,0.9\n1,0.001\n")
        .file("wrong.csv", "revision,score\n0,-1\n");
    let file = |name: &str| scratch.path(name).display().to_string();
    let tree = |more: &[&str]| {
        let mut command = psychic();
        command.arg("tree").arg(scratch.path("clusters.csv")).args(more);
        command
    };
    let last = |more: &[&str]| {
        let ran = run(&mut tree(more));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran.stdout.lines().last().unwrap_or_default().to_owned()
    };
    let rest = "greedy 3, 4 classes of 4 revisions";
    let prior = file("prior.csv");
    assert_eq!(last(&[]), format!("height 2 (minimal), {rest}, 2 tests used of 4"));
    assert_eq!(
        last(&["--objective", "expected", "--prior", &prior]),
        format!("height 3 (1.00 expected, minimal), {rest}, 3 tests used of 4")
    );
    assert_eq!(
        last(&["--objective", "tests"]),
        format!("height 2, {rest}, 2 tests used (minimal) of 4")
    );
    assert_eq!(last(&["--oblivious"]), "everybody is asked: 1, 2");
    assert_eq!(
        last(&["--greedy"]),
        "height 3 (at least 2), greedy 3, 4 classes of 4 revisions, 3 tests used of 4"
    );
    assert_eq!(
        last(&["--greedy", "--objective", "tests"]),
        format!("height 3, {rest}, 3 tests used (at least 2) of 4")
    );
    assert_eq!(
        last(&["--greedy", "--objective", "expected"]),
        format!("height 3 (2.25 expected, not proved minimal), {rest}, 3 tests used of 4")
    );
    assert!(refused(&mut tree(&["--oblivious", "--greedy"])).contains("--greedy"));
    let negative = refused(&mut tree(&["--prior", &file("wrong.csv")]));
    assert!(negative.contains("the score of 0 is negative"), "{negative}");
}

/// No test says anything of revision 2, which takes part as its own compilation alone.
#[test]
fn a_tree_has_the_revisions_that_no_test_clusters() {
    let scratch = Scratch::new()
        .file("clusters.csv", "test,revision,cluster\n1,0,0\n1,1,1\n")
        .file(
            "revisions.csv",
            "revision,patch,status,reason,hunks,arms,own\n0,,merged,,0,0,0\n1,a.diff,merged,,1,1,0\n\
             2,b.bc,own,it is a module,0,0,1\n3,c.diff,rejected,it does not compile,1,0,0\n",
        );
    let tree = scratch.path("tree.json");
    let clusters = scratch.path("clusters.csv");
    let ran = run(psychic().arg("tree").arg(clusters).arg("--out").arg(&tree));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let tree = Tree::from_json(&fs::read_to_string(tree).expect("written")).expect("a tree");
    assert_eq!(tree.revisions(), (0..3).map(Revision).collect());
}

/// Revision 3 has an outcome only on test 2, where revision 0 has none.
#[test]
fn tree_of_clusters_with_gaps() {
    let rows = ["1,0,0", "1,1,1", "1,2,1", "2,1,1", "2,2,2", "2,3,1"];
    let text = format!("test,revision,cluster\n{}\n", rows.join("\n"));
    let scratch = Scratch::new().file("c.csv", &text);
    let tree = scratch.path("tree.json");
    let ran = run(psychic().arg("tree").arg(scratch.path("c.csv")).arg("--out").arg(&tree));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("height 2 (minimal)"), "{}", ran.stdout);
    assert!(ran.stdout.contains("* at several leaves"), "{}", ran.stdout);
    let tree = Tree::from_json(&fs::read_to_string(tree).expect("written")).expect("a tree");
    for clustering in read_clusterings(&scratch.path("c.csv")).expect("readable") {
        assert!(tree.leaves().into_iter().all(|leaf| clustering.joins(leaf)));
    }
    assert_eq!(tree.repeated(), [Revision(3)].into_iter().collect());
}

/// Each test tells one pair apart and is silent on all other revisions, so that a whole tree has
/// 2^14 leaves.
#[test]
fn what_is_said_of_a_tree_that_is_cut_off_is_of_that_tree() {
    let rows: String = (0..14)
        .map(|test| format!("{test},{0},{0}\n{test},{1},{1}\n", 2 * test, 2 * test + 1))
        .collect();
    let scratch = Scratch::new().file("c.csv", &format!("test,revision,cluster\n{rows}"));
    let file = scratch.path("tree.json");
    let clusterings = read_clusterings(&scratch.path("c.csv")).expect("readable");
    for (more, said) in [
        (vec!["--time-budget", "1s"], "height 13 (cut off), "),
        (vec!["--time-budget", "5s", "--greedy"], "height 13 (cut off), greedy 13 (cut off)"),
        (vec!["--time-budget", "1s", "--objective", "expected"], "height 13 (cut off) ("),
        (vec!["--time-budget", "1s", "--objective", "tests"], "tests used (at least 14) of 14"),
        (vec!["--oblivious"], "tests used (at least 14) of 14"),
    ] {
        let mut command = psychic();
        command.arg("tree").arg(scratch.path("c.csv")).arg("--out").arg(&file);
        let ran = run(command.args(&more));
        assert_eq!(ran.code, Some(1), "{more:?}: {}", ran.stderr);
        assert!(ran.stdout.contains(said), "{more:?}: {}", last_lines(&ran.stdout));
        let tree = Tree::from_json(&fs::read_to_string(&file).expect("written")).expect("a tree");
        let together = tree.together(&clusterings).len();
        assert!(together > 0 && tree.is_over(&clusterings), "{more:?}");
        let silent = format!("does not separate {together} pair");
        assert!(ran.stdout.contains(&silent), "{more:?}: {}", last_lines(&ran.stdout));
    }
    let at_once = ["--greedy", "--time-budget", "0s"];
    let late = refused(psychic().arg("tree").arg(scratch.path("c.csv")).args(at_once));
    assert!(late.contains("--time-budget"), "{late}");
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(4)..].join("\n")
}

#[test]
fn tree_and_plot_need_clusters_only() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 0;").patch("2.diff", "return !x;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    let tree = fs::read(scratch.path("out/tree.json")).expect("written");
    let other = scratch.path("other");
    fs::create_dir(&other).expect("made");
    for name in ["clusters.csv", "tests.csv"] {
        fs::copy(scratch.path("out").join(name), other.join(name)).expect("copied");
    }
    let ran = run(psychic().arg("tree").arg(&other));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(fs::read(other.join("tree.json")).expect("written"), tree);
    let ran = run(psychic().arg("plot").arg(&other));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for picture in ran.stdout.lines() {
        assert!(fs::metadata(picture).expect("drawn").len() > 0, "{picture}");
    }
    let png = fs::read(other.join("tree.png")).expect("drawn");
    assert!(png.starts_with(b"\x89PNG"));
}

/// If every patch is equivalent, there is no test and a single leaf.
#[test]
fn tree_without_tests() {
    let scratch = Scratch::new().patch("1.diff", "return x >= 1;");
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    assert_eq!(table::<ClusterRow>(&scratch.out()), []);
    let ran = run(psychic().arg("tree").arg(scratch.out()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 class of 2 revisions"), "{}", ran.stdout);
    let text = fs::read_to_string(scratch.path("out/tree.json")).expect("written");
    let leaf = Tree::from_json(&text).expect("a tree");
    assert_eq!(leaf.revisions().iter().collect::<Vec<_>>(), [Revision(0), Revision(1)]);
}
