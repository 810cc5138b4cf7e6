use std::{
    io::Read,
    path::PathBuf,
    process::{Command, ExitStatus, Stdio},
};

use proptest::{prelude::*, test_runner::FileFailurePersistence};

use super::{super::source, *};

const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>

#define LIMIT 12

static int table[4] = { 3, 1, 4, 1 };

static int weigh(int value, int factor)
{
	int total = 0;
	int i;
	for (i = 0; i < factor && i < LIMIT; i++) {
		if (value > 5 && i != 2)
			total += value;
		else
			total -= 1;
	}
	return total;
}

static int classify(int n)
{
	int kind = n % 4;
	switch (kind) {
	case 0:
		n = n + 2;
		break;
	case 1:
		n = weigh(n, 2);
		/* fall through */
	case 2:
		n = n - 1;
		break;
	default:
		n = 0;
	}
	if (n < 0)
		goto negative;
	return n;
negative:
	n = -n;
	return n + table[n & 3];
}

int main(int argc, char **argv)
{
	int a = argc > 1 ? atoi(argv[1]) : 0;
	int b = argc > 2 ? atoi(argv[2]) : 1;
	int steps = 0;
	while (a > 0 || b > 3) {
		int before = a;
		a = a - 1;
		b = b / 2;
		if (before == 7 || steps > LIMIT) {
			printf("stop %d\n", steps);
			break;
		}
		steps++;
		if (steps > 50) return 3;
	}
	printf("%d %d %d\n", weigh(a + 6, b), classify(b), steps);
	if (!a) printf("zero\n");
	return classify(steps) & 7;
}
"#;

/// Makes the `kind`th sort of change at the `position`th place that allows it.
fn mutate(text: &str, kind: u8, position: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let statements: Vec<usize> = (0..lines.len())
        .filter(|i| lines[*i].starts_with('\t') && lines[*i].ends_with(';'))
        .collect();
    let index = statements[position % statements.len()];
    let mut lines: Vec<String> = lines.iter().map(|l| (*l).to_owned()).collect();
    match kind {
        0 => _ = lines.remove(index),
        1 => lines.insert(index, lines[index].clone()),
        2 if !lines[index + 1].starts_with('}') => lines.swap(index, index + 1),
        2 => lines.insert(index, "\t;".into()),
        3 => lines.insert(index, "\tif (rand() == 1) exit(4);".into()),
        4 => lines.insert(index, format!("\tint extra{index} = 2; (void)extra{index};")),
        5 => lines[index] = format!("\tif (getenv(\"HOME\")) {{ {} }}", lines[index].trim()),
        _ => return replace(text, kind, position),
    }
    lines.join("\n") + "\n"
}

/// Replaces a token by another of its sort.
fn replace(text: &str, kind: u8, position: usize) -> String {
    let pairs = match kind {
        6 => &[(" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == ")][..],
        7 => &[(" + ", " - "), (" - ", " + "), (" % ", " / ")],
        8 => &[(" && ", " || "), (" || ", " && ")],
        9 => &[(" 0", " 1"), (" 2", " 5"), (" 1", " 0"), (" 4", " 3"), (" 12", " 2")],
        10 => &[("if (", "if (rand() >= 0 && "), ("while (", "while (1 && ")],
        11 => &[("i++", "i += 2"), ("steps++", "steps--"), ("case 2", "case 3")],
        _ => &[("int n)", "long n)"), ("int value", "short value"), ("table[4]", "table[5]")],
    };
    let places: Vec<_> = pairs
        .iter()
        .flat_map(|(from, to)| text.match_indices(from).map(move |(at, _)| (at, from, to)))
        .collect();
    let (at, from, to) = places[position % places.len()];
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

fn mutants(most: usize) -> impl Strategy<Value = Vec<String>> {
    let changes = prop::collection::vec((0u8..13, 0usize..200), 1..4);
    let mutant = changes.prop_map(|changes| {
        changes.into_iter().fold(PROGRAM.to_owned(), |text, (k, p)| mutate(&text, k, p))
    });
    prop::collection::vec(mutant, 1..most)
}

fn parses(text: &str) -> bool {
    source::Source::new(text.to_owned()).errors().is_empty()
}

fn configuration(cases: u32) -> ProptestConfig {
    let failure_persistence = Some(Box::new(FileFailurePersistence::Off) as _);
    ProptestConfig { cases, failure_persistence, max_shrink_iters: 20, ..Default::default() }
}

fn build(dir: &Path, source: &Path, name: &str) -> PathBuf {
    let binary = dir.join(name);
    let output = Command::new("clang-19")
        .args(["-w", "-Iinclude", "-ftrivial-auto-var-init=zero", "-o"])
        .args([&binary, source])
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    binary
}

/// What one run did.
#[derive(Debug)]
struct Run {
    /// The exit status, if the run ended by itself.
    status: Option<ExitStatus>,
    /// At most the first [`MOST_OUTPUT`] bytes of standard output, escaped.
    output: String,
}

/// Only a mutant that never ends prints as many bytes.
const MOST_OUTPUT: u64 = 1 << 14;

impl Run {
    fn of(binary: &Path, revision: u32, arguments: [&str; 2]) -> Self {
        let mut run = Command::new("timeout")
            .arg("5")
            .arg(binary)
            .args(arguments)
            .env("PSYCHIC_REVISION", revision.to_string())
            .env("HOME", "/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = Vec::new();
        run.stdout.take().unwrap().take(MOST_OUTPUT).read_to_end(&mut output).unwrap();
        let status = run.wait().unwrap();
        let ended = output.len() < MOST_OUTPUT as usize && status.code() != Some(124);
        let output = output.escape_ascii().to_string();
        Self { status: ended.then_some(status), output }
    }

    /// Whether two runs did the same. If neither ended, one may have come further than the other.
    fn is_like(&self, other: &Self) -> bool {
        let [a, b] = [&self.output, &other.output];
        self.status == other.status
            && if self.status.is_none() { a.starts_with(b) || b.starts_with(a) } else { a == b }
    }
}

proptest! {
    #![proptest_config(configuration(150))]
    /// `merge` checks projection itself; here it must not refuse any mutant.
    #[test]
    fn every_mutant_projects(mutants in mutants(12)) {
        let texts: Vec<_> =
            mutants.iter().map(String::as_str).filter(|t| *t != PROGRAM && parses(t)).collect();
        prop_assume!(!texts.is_empty());
        let (_dir, subject) = subject(PROGRAM, &texts);
        let meta = merge(&subject, &Believe).map_err(|e| TestCaseError::fail(e.to_string()))?;
        for revision in &meta.revisions {
            prop_assert_eq!(revision.status, Status::Merged, "{:?}", revision);
        }
    }
}

proptest! {
    #![proptest_config(configuration(6))]
    #[test]
    fn the_meta_program_behaves_as_each_patched_program(mutants in mutants(9)) {
        let texts: Vec<_> =
            mutants.iter().map(String::as_str).filter(|t| *t != PROGRAM).collect();
        prop_assume!(!texts.is_empty());
        let (dir, subject) = subject(PROGRAM, &texts);
        // A function that ends without returning a value would not give the same value twice.
        let mut compiler = compiler();
        compiler.flags.push("-Werror=return-type".into());
        let meta = match merge(&subject, &compiler) {
            Err(MergeError::NothingToMerge(reasons))
                if reasons.iter().all(|r| r.contains("error:")) => return Ok(()),
            other => other.map_err(|e| TestCaseError::fail(e.to_string()))?,
        };
        for revision in meta.revisions.iter().filter(|r| r.status == Status::Rejected) {
            let own = revision.reason.starts_with("x.c:") && revision.reason.contains("error:");
            prop_assert!(own, "{:?}", revision);
        }
        meta.write(&dir.path().join("meta")).unwrap();
        let all = build(dir.path(), Path::new("meta/x.c"), "meta.native");
        for revision in meta.merged().iter() {
            let text = meta.patched(revision, Path::new("x.c")).unwrap();
            fs::write(dir.path().join("own.c"), text).unwrap();
            let own = build(dir.path(), Path::new("own.c"), "own");
            for arguments in [["0", "1"], ["9", "40"], ["3", "-5"], ["20", "7"]] {
                let [all, own] = [&all, &own].map(|it| Run::of(it, revision.0, arguments));
                prop_assert!(
                    all.is_like(&own),
                    "revision {} of {}: {:?} and {:?}", revision, meta.files[0].text, all, own
                );
            }
        }
    }
}

/// With many arms, each is found by halves, in conditions as in statements.
#[test]
fn each_of_many_arms_is_reached() {
    let text = |revision: u32| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv)\n{{\n\
             \tint n = atoi(argv[1]), first = {revision}, i;\n\tfor (i = 0; i < 40; i++) {{\n\
             \t\tif (n + i == 2 * {revision})\n\t\t\tprintf(\"%d \", i);\n\
             \t\tif (i > 30) {{\n\t\t\tn += {revision};\n\t\t\tcontinue;\n\t\t}}\n\t}}\n\
             \treturn n + first;\n}}\n"
        )
    };
    let patched: Vec<String> = (1..=37).map(text).collect();
    let meta = merged(&text(0), &patched.iter().map(String::as_str).collect::<Vec<_>>());
    let all = &meta.files[0].text;
    assert!(
        all.contains("first = (psychic_at_1() < 19 ? (") && all.contains("() < 19) {"),
        "{all}"
    );
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("include")).unwrap();
    fs::write(dir.path().join("include/psychic.h"), HEADER).unwrap();
    meta.write(&dir.path().join("meta")).unwrap();
    let all = build(dir.path(), Path::new("meta/x.c"), "meta.native");
    for revision in 0..=37 {
        fs::write(dir.path().join("own.c"), text(revision)).unwrap();
        let own = build(dir.path(), Path::new("own.c"), "own");
        for arguments in [["0", ""], ["5", ""], ["-3", ""]] {
            let [all, own] = [&all, &own].map(|it| Run::of(it, revision, arguments));
            assert!(all.is_like(&own), "revision {revision}: {all:?} and {own:?}");
        }
    }
}
