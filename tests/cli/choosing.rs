//! What comes after a comparison: `results.json`, `ask`, `rank`, `explain`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use assert_cmd::Command;
use psychic::{
    results::{
        ChangeRow, Clustering, DivergenceRow, InteractionRow, RankingRow, RevisionRow, SequenceRow,
        SubsetRow, TestId, read_clusterings,
    },
    subject::Revision,
    tree::{Options, Tree, minimal},
};
use serde_json::Value;

use crate::support::{CONFIG, Scratch, psychic, refused, run, table};

/// A subject that was compared: 1 differs at 0, 2 does the same as the original, 3 differs for all
/// but 0, and 4 fails at 0.
fn compared() -> Scratch {
    let scratch = Scratch::new()
        .patch("1-at-zero.diff", "return x >= 0;")
        .patch("2-same.diff", "return x >= 1;")
        .patch("3-turned.diff", "return x < 0;")
        .patch("4-divides.diff", "return 10 / x > 0 || x > 10;");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    scratch
}

fn on(command: &str, scratch: &Scratch) -> Command {
    let mut psychic = psychic();
    psychic.arg(command).arg(scratch.path("out"));
    psychic
}

/// Answers every question with the outcome of this revision; returns what was asked and what
/// remains.
fn answered_by(scratch: &Scratch, revision: u64) -> (usize, BTreeSet<u64>) {
    let script = format!(
        "python3 -c 'import json, sys\n\
         outcomes = json.load(sys.stdin)[\"test\"][\"outcomes\"]\n\
         print(1 + [{revision} in o[\"revisions\"] for o in outcomes].index(True))'"
    );
    let ran = run(on("ask", scratch).args(["--json", "--restart", "--oracle", &script]));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (last, asked) = lines.split_last().expect("what remains");
    assert!(asked.iter().zip(1..).all(|(question, number)| question["question"] == number));
    let remaining = last["remaining"].as_array().expect("a list");
    (asked.len(), remaining.iter().map(|r| r.as_u64().expect("a number")).collect())
}

/// `psychic tree` may have written another tree than the one of `results.json`.
#[test]
fn questions_are_those_of_the_tree_that_is_there() {
    let scratch = compared();
    let file = scratch.path("out/tree.json");
    let asked = |more: &[&str]| {
        let ran = run(on("ask", &scratch).args(["--json", "--oracle", "echo 1"]).args(more));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let question: Value =
            serde_json::from_str(ran.stdout.lines().next().expect("a question")).expect("JSON");
        question["test"]["test"].as_u64().expect("a number") as u32
    };
    let first = asked(&[]);
    let clusterings = read_clusterings(&scratch.path("out/clusters.csv")).expect("readable");
    let others: Vec<Clustering> =
        clusterings.into_iter().filter(|clustering| clustering.test != TestId(first)).collect();
    let all = (0..=4).map(Revision).collect();
    let other = minimal(&all, &others, &Options::default()).expect("a tree").tree;
    let Tree::Node { test, .. } = &other else { panic!("one test tells all apart") };
    fs::write(&file, other.to_json()).expect("written");
    let message = refused(&mut on("ask", &scratch));
    assert!(message.contains("this tree") && message.contains("--restart"), "{message}");
    assert_eq!(run(&mut on("rank", &scratch)).code, Some(0), "the answers are still known");
    assert_eq!(asked(&["--restart"]), test.0);
    assert_eq!(run(&mut on("rank", &scratch)).code, Some(0));
    for (text, problem) in
        [("[]", "not a decision tree"), (r#"{"revisions": [0]}"#, "not a tree of these")]
    {
        fs::write(&file, text).expect("written");
        let message = refused(&mut on("ask", &scratch));
        assert!(message.contains("tree.json") && message.contains(problem), "{message}");
    }
    fs::remove_file(&file).expect("removed");
    assert_eq!(asked(&["--restart"]), first);
}

#[test]
fn answers_lead_to_the_patches_that_give_them() {
    let scratch = compared();
    for (revision, left) in [(0, &[0, 2][..]), (1, &[1]), (2, &[0, 2]), (3, &[3]), (4, &[4])] {
        let (questions, remaining) = answered_by(&scratch, revision);
        assert_eq!(remaining, left.iter().copied().collect());
        assert!((1..=2).contains(&questions), "{questions}");
    }
}

#[test]
fn a_walk_goes_on_where_it_was_left_and_can_go_back() {
    let scratch = compared();
    let ran = run(on("ask", &scratch).write_stdin("1\nu\n?\n"));
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    assert!(ran.stdout.contains("goes on from here"), "{}", ran.stdout);
    let kept = fs::read_to_string(scratch.path("out/answers.json")).expect("written");
    assert!(kept.contains("do-not-know") && !kept.contains("outcome"), "{kept}");
    // With nothing known of any test, all revisions remain.
    let ran = run(on("ask", &scratch).write_stdin("?\n?\n?\n?\n?\n?\n?\n?\n"));
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.contains("5 revisions left after"), "{}", ran.stdout);
    let ran = run(on("ask", &scratch).arg("--restart").write_stdin("n\n"));
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.contains("no revision is left"), "{}", ran.stdout);
}

#[test]
fn answers_of_other_results_are_refused() {
    let scratch = compared();
    let place = |name: &str| scratch.path("out").join(name);
    fs::write(place("answers.json"), r#"{"answers": [{"test": 77, "answer": "do-not-know"}]}"#)
        .expect("written");
    let message = refused(&mut on("ask", &scratch));
    assert!(message.contains("test 77") && message.contains("--restart"), "{message}");
    fs::write(place("answers.json"), "{").expect("written");
    let message = refused(&mut on("rank", &scratch));
    assert!(message.contains("answers.json: not answers of `psychic ask`"), "{message}");
    // A new comparison has tests of its own.
    assert_eq!(run(&mut scratch.stage("diff")).code, Some(0));
    assert!(!place("answers.json").exists());
    fs::write(place("results.json"), r#"{"version": 99}"#).expect("written");
    let message = refused(&mut on("ask", &scratch));
    assert!(message.contains("results.json: version 99"), "{message}");
    fs::remove_file(place("results.json")).expect("removed");
    let message = refused(&mut on("rank", &scratch));
    assert!(message.contains("`psychic diff` writes it"), "{message}");
}

#[test]
fn an_answer_that_is_none_is_an_error_in_a_script() {
    let scratch = compared();
    let output = on("ask", &scratch).write_stdin("9\n").output().expect("psychic runs");
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(message.starts_with("psychic: test ") && message.contains("\"9\""), "{message}");
    let ran = run(on("ask", &scratch).args(["--oracle", "echo perhaps"]));
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("\"perhaps\""), "{}", ran.stderr);
    let ran = run(on("ask", &scratch).args(["--oracle", "exit 3"]));
    assert!(ran.code == Some(2) && ran.stderr.contains("exit status: 3"), "{}", ran.stderr);
}

fn order(scratch: &Scratch, args: &[&str]) -> Vec<u32> {
    let ran = run(on("rank", scratch).args(args));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.lines().count() >= 4, "{}", ran.stdout);
    let rows: Vec<RankingRow> = table(&scratch.path("out"));
    rows.iter().map(|row| row.revision.0).collect()
}

#[test]
fn answers_scores_and_weights_order_the_patches() {
    let scratch = compared().file("scores.csv", "revision,score\n3,0.9\n2,0.1\n1,0.5\n");
    assert_eq!(order(&scratch, &["--weight", "prior=0"])[0], 1);
    let scores = scratch.path("scores.csv");
    let only_scores =
        ["errors", "effect", "change", "share", "class", "size"].map(|name| format!("{name}=0"));
    let mut args = vec!["--scores", scores.to_str().expect("UTF-8")];
    args.extend(only_scores.iter().flat_map(|weight| ["--weight", weight]));
    // 4 has no score, and 2 has the least.
    assert_eq!(order(&scratch, &args), [3, 1, 2, 4]);
    answered_by(&scratch, 4);
    assert_eq!(order(&scratch, &args)[0], 4);
    let ran = run(on("rank", &scratch).args(["--correct", "4"]));
    assert!(ran.stdout.contains("first correct patch: place 1 of 4"), "{}", ran.stdout);
}

/// What the tools that make patches leave: JSON, names of files without their directory or ending,
/// and scores of patches that do not compile.
#[test]
fn scores_are_read_as_tools_write_them() {
    let scratch = Scratch::new()
        .file("subject.toml", &CONFIG.replace("*.diff", "patches/*.diff"))
        .patch("patches/0.diff", "return x >= 0;")
        .patch("patches/1.diff", "return x < 0;")
        .patch("patches/2.diff", "return x > ;")
        .patch("patches/10.diff", "return x >= 2;");
    let ran = run(&mut scratch.stage("diff"));
    assert!(ran.stdout.contains("set aside: patches/2.diff"), "{}{}", ran.stdout, ran.stderr);
    let rows: Vec<RevisionRow> = table(&scratch.path("out"));
    let numbers = |names: &[&str]| -> Vec<u32> {
        let row = |name: &&str| rows.iter().find(|row| row.patch == format!("patches/{name}.diff"));
        names.iter().map(|name| row(name).expect("a patch").revision.0).collect()
    };
    let scratch = scratch
        .file("a.json", r#"{"0.diff": 0.2, "10.diff": 9, "1.diff": 1, "2.diff": 7}"#)
        .file(
            "b.json",
            r#"[{"patch": "/run/bug/patches/1.diff", "score": 3, "line": 3}, {"patch": 10, "score": 2},
               {"patch": "2", "score": 1.5}, {"revision": 1, "score": -1}]"#,
        )
        .file("c.csv", "rank,patch,score\n1,0.diff,3\n2,patches/10.diff,2\n3,1,1\n");
    let all = ["errors=0", "effect=0", "change=0", "share=0", "class=0", "size=0"];
    for (file, best) in
        [("a.json", ["10", "1", "0"]), ("b.json", ["1", "10", "0"]), ("c.csv", ["0", "10", "1"])]
    {
        let file = scratch.path(file).display().to_string();
        let mut args = vec!["--scores", &file];
        args.extend(all.iter().flat_map(|weight| ["--weight", weight]));
        let ran = run(on("rank", &scratch).args(args));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let rows: Vec<RankingRow> = table(&scratch.path("out"));
        let order: Vec<u32> = rows.iter().map(|row| row.revision.0).collect();
        assert_eq!(order, numbers(&best), "{file}");
    }
    let prior = scratch.path("a.json");
    let mut tree = on("tree", &scratch);
    let ran = run(tree.args(["--objective", "expected", "--prior"]).arg(&prior));
    assert!(ran.code == Some(0) && ran.stdout.contains(" expected, minimal)"), "{}", ran.stdout);
}

#[test]
fn bad_scores_and_labels_are_refused() {
    let scratch = compared();
    let cases = [
        ("patch\n1-at-zero.diff\n", "scores.csv: no column `score`"),
        ("score\n1\n", "no column `patch` or `revision`"),
        ("patch,score\nnone.diff,1\n", "scores.csv:2: no patch \"none.diff\""),
        ("patch,score\n2-same.diff,high\n", "scores.csv:2: no number: \"high\""),
        ("revision,score\n9,1\n", "scores.csv:2: no revision \"9\""),
        ("patch,score\n2-same,1\n2-same.diff,1\n", "scores.csv:3: revision 2 has a score already"),
    ];
    let json = [
        ("[1", "scores.json: EOF while parsing"),
        ("3", "scores.json: neither an object of scores by patch nor a list"),
        (r#"{"none.diff": 1}"#, "scores.json: no patch \"none.diff\""),
        (r#"{"2-same.diff": "high"}"#, "scores.json: \"2-same.diff\": no number: \"high\""),
        (r#"[{"patch": "2-same"}]"#, "scores.json: entry 1: no `score`"),
        (r#"[{"score": 1}]"#, "scores.json: entry 1: no `patch` or `revision`"),
    ];
    let cases = cases.map(|case| ("scores.csv", case)).into_iter();
    for (file, (text, expected)) in cases.chain(json.map(|case| ("scores.json", case))) {
        fs::write(scratch.path(file), text).expect("written");
        let message = refused(on("rank", &scratch).arg("--scores").arg(scratch.path(file)));
        assert!(message.contains(expected), "{message}");
    }
    let message = refused(on("rank", &scratch).args(["--correct", "0"]));
    assert!(message.contains("--correct: 0"), "{message}");
    let message = refused(on("rank", &scratch).args(["--weight", "beauty=2"]));
    assert!(message.contains("none of errors, effect"), "{message}");
    assert!(!scratch.path("out/ranking.csv").exists());
}

/// A loop with a call and a condition; the second patch changes nothing that runs on the test.
const LOOP: &str = "#include <stdio.h>
static int half(int x)
{
	return x / 2;
}

static int start = 0;

int main(void)
{
	int n, steps = start;
	if (scanf(\"%d\", &n) != 1)
		return 1;
	if (n < 0 || n > 9)
		return 2;
	while (n > 1) {
		n = half(n);
		steps++;
	}
	printf(\"%d\\n\", steps);
end:
	return 0;
}
";

#[test]
fn the_lines_that_two_revisions_run_stand_side_by_side() {
    let diff = |line: u32, old: &str, new: &str| {
        format!("--- a/a.c\n+++ b/a.c\n@@ -{line} +{line} @@\n-{old}\n+{new}\n")
    };
    let scratch = Scratch::new()
        .file("subject.toml", "name = 'loop'\nsources = ['a.c']\npatches = ['*.diff']\n")
        .file("a.c", LOOP)
        .file("1.diff", &diff(16, "\twhile (n > 1) {", "\twhile (n > 2) {"))
        .file("2.diff", &diff(4, "\treturn x / 2;", "\treturn x >> 1;"))
        .file("4.diff", &diff(15, "\t\treturn 2;", "\t\tgoto end;"))
        .file("5.diff", &diff(7, "static int start = 0;", "static int start = 1;"))
        .file("3.diff", &diff(20, "\tprintf(\"%d\\n\", steps);", "\tprintf(\"%d\\n\", -steps);"));
    let explain = |args: &[&str]| {
        let mut command = psychic();
        command.arg("explain").arg(scratch.dir.path()).args(args);
        command.arg("--out").arg(scratch.path("out"));
        command
    };
    let message = refused(&mut explain(&["0", "1"]));
    assert!(message.contains("no results there"), "{message}");
    let ran = run(&mut scratch.stage("diff"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);

    // The rows of the first divergence: what stands left and right, with their marks.
    let rows = |args: &[&str]| -> Vec<(String, String)> {
        let ran = run(&mut explain(args));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let rows = ran.stdout.lines().filter_map(|line| line.split_once(" │"));
        rows.skip(1).map(|(left, right)| (words(left), words(right))).collect()
    };
    let both = |line: &str| (line.to_owned(), line.to_owned());
    let found = rows(&["0", "1"]);
    let parting = ("± 16 while (n > 1) {".to_owned(), "± 16 while (n > 2) {".to_owned());
    let at = found.iter().position(|row| *row == parting).expect("where their ways part");
    assert_eq!(found[at + 1].0, "› 17 n = half(n);");
    let found = rows(&["0", "3"]);
    let changed =
        ("± 20 printf(\"%d\\n\", steps);".into(), "± 20 printf(\"%d\\n\", -steps);".into());
    assert!(found.contains(&changed) && found.contains(&both("22 return 0;")), "{found:?}");
    assert!(!found.iter().any(|(left, right)| left.starts_with('›') || right.starts_with('›')));
    let found = rows(&["0", "4"]);
    let jump = ("± 15 return 2;".into(), "± 15 goto end;".into());
    assert!(found.contains(&jump), "{found:?}");
    let ran = run(&mut explain(&["0", "5"]));
    assert!(ran.stdout.contains("what differs is none of them"), "{}", ran.stdout);

    for (args, expected) in [
        (&["0", "2"][..], "0 and 2 are equivalent: no test tells them apart"),
        (&["0", "0"], "name two different revisions"),
        (&["0", "9"], "there is no revision 9"),
        (&["0", "1", "77"], "there is no test 77"),
    ] {
        let message = refused(&mut explain(args));
        assert!(message.contains(expected), "{message}");
    }
}

/// Checks a value against a JSON Schema that uses only the keywords below, and panics at others.
fn is_valid(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let fault = |what: &str| Err(format!("{what}: {}", value.to_string().get(..80).unwrap_or("")));
    let type_of = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => panic!("type {name}"),
    };
    for (keyword, rule) in schema.as_object().expect("a schema") {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let place = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("local");
                is_valid(value, root.pointer(place).expect("defined"), root)?;
            }
            "type" => {
                let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                if !names.iter().any(|name| type_of(name.as_str().expect("a name"))) {
                    return fault(&format!("not {rule}"));
                }
            }
            "const" if value != rule => return fault("not the constant"),
            "enum" if !rule.as_array().expect("a list").contains(value) => {
                return fault("none of the words");
            }
            "minimum" if value.is_number() && value.as_f64() < rule.as_f64() => {
                return fault("too small");
            }
            "const" | "enum" | "minimum" | "pattern" | "uniqueItems" => {}
            "required" => {
                for name in rule.as_array().expect("a list") {
                    if value.get(name.as_str().expect("a name")).is_none() {
                        return fault(&format!("no {name}"));
                    }
                }
            }
            "properties" | "additionalProperties" => {
                let known = &schema["properties"];
                for (name, member) in value.as_object().into_iter().flatten() {
                    match (keyword.as_str(), known.get(name)) {
                        ("properties", Some(rule)) => is_valid(member, rule, root)?,
                        ("additionalProperties", None) => is_valid(member, rule, root)?,
                        _ => {}
                    }
                }
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    is_valid(item, rule, root)?;
                }
            }
            "not" if is_valid(value, rule, root).is_ok() => return fault("excluded"),
            "not" => {}
            "oneOf" => {
                let rules = rule.as_array().expect("a list").iter();
                let results: Vec<_> = rules.map(|rule| is_valid(value, rule, root)).collect();
                if results.iter().filter(|result| result.is_ok()).count() != 1 {
                    return fault(&format!("not one of {results:?}"));
                }
            }
            _ => panic!("keyword {keyword}"),
        }
    }
    Ok(())
}

#[test]
fn results_for_programs_have_the_documented_shape() {
    let scratch = compared();
    let ran = run(scratch.stage("diff").arg("--json"));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let written = fs::read_to_string(scratch.path("out/results.json")).expect("written");
    assert_eq!(ran.stdout, written);
    let value: Value = serde_json::from_str(&written).expect("JSON");
    let rows = as_documented(&value, &["revisions", "pairs", "shares"]);
    assert_eq!(rows["shares"], 4);
    let schema = schema();
    for (part, place) in [
        ("/tests/0", "/$defs/test/properties"),
        ("/tests/0/outcomes/0", "/$defs/outcome/properties"),
    ] {
        let part = value.pointer(part).expect("there");
        assert_eq!(undescribed(part, schema.pointer(place)), Vec::<String>::new());
    }
    // Only what was looked for is there.
    assert!(value.get("divergences").is_none() && value.get("interactions").is_none());
    assert!(is_valid(&Value::Null, &schema, &schema).is_err());
}

/// What other commands find is in their `results.json` as in their tables.
#[test]
fn divergences_and_interactions_are_there_for_programs() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = Scratch::new();
    let results = |command: &str, subject: &str, more: &[&str]| -> Value {
        let mut psychic = psychic();
        psychic.arg(command).arg(top.join("tests").join(command).join(subject)).args(more);
        let ran = run(psychic.arg("--out").arg(scratch.out()));
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        let text = fs::read_to_string(scratch.path("out/results.json")).expect("written");
        serde_json::from_str(&text).expect("JSON")
    };
    let value = results("interact", "cut-ranges", &["--patch", "1", "--later", "2"]);
    let lists = ["changes", "subsets", "interactions", "sequences", "critical"];
    let rows = as_documented(&value, &lists);
    assert_eq!(rows["changes"], table::<ChangeRow>(&scratch.out()).len());
    assert_eq!(rows["subsets"], table::<SubsetRow>(&scratch.out()).len());
    assert_eq!(rows["interactions"], table::<InteractionRow>(&scratch.out()).len());
    assert_eq!(rows["sequences"], table::<SequenceRow>(&scratch.out()).len());
    assert_eq!(value["critical"][0]["sequence"], serde_json::json!(["1", "5", "7"]));
    assert!(value.get("divergences").is_none());
    let value = results("shadow", "toy", &[]);
    let rows = as_documented(&value, &["divergences"]);
    let written = table::<DivergenceRow>(&scratch.out());
    assert_eq!(rows["divergences"], written.len());
    assert_eq!(value["divergences"][0]["condition"], *written[0].condition);
    assert!(value.get("interactions").is_none());
}

/// The documented shape of `results.json`.
fn schema() -> Value {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(top.join("docs/results.schema.json")).expect("there");
    serde_json::from_str(&text).expect("JSON")
}

/// The members of an object that its schema does not describe.
fn undescribed(value: &Value, known: Option<&Value>) -> Vec<String> {
    let known = known.and_then(Value::as_object).expect("an object");
    let names = value.as_object().expect("an object").keys();
    names.filter(|name| !known.contains_key(*name)).cloned().collect()
}

/// Checks `results.json` against its schema, and that nothing is there that is not described, in
/// particular in rows of these lists, each of which has to have a row; returns how many.
fn as_documented<'n>(value: &Value, lists: &[&'n str]) -> BTreeMap<&'n str, usize> {
    let schema = schema();
    assert_eq!(is_valid(value, &schema, &schema), Ok(()));
    assert_eq!(undescribed(value, schema.get("properties")), Vec::<String>::new());
    let rows = |list: &&'n str| {
        let rows = value[*list].as_array().expect("a list");
        let place = format!("/properties/{list}/items/properties");
        assert!(!rows.is_empty(), "{list}");
        assert_eq!(undescribed(&rows[0], schema.pointer(&place)), Vec::<String>::new());
        (*list, rows.len())
    };
    lists.iter().map(rows).collect()
}

#[test]
fn results_are_read_by_the_example() {
    let scratch = compared();
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut python = Command::new("python3");
    python.arg(top.join("examples/read_results.py")).arg(scratch.path("out"));
    let ran = run(&mut python);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("original, 2-same.diff\n    on x = "), "{}", ran.stdout);
    assert!(ran.stdout.contains("division-by-zero"), "{}", ran.stdout);
}
