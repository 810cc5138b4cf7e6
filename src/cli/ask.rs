//! `psychic ask SUBJECT|RESULTS`: walks through the tree with somebody's answers.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;

use super::{
    args::subject_or_results,
    exit::{SUCCESS, UNDECIDED},
    say,
};
use crate::{
    rank::{Answer, Walk, read_answers, write_answers},
    report::{
        Document, Labels, OutcomeEntry, TestEntry, TextStyle, question, readable, terminal,
        visible, visible_line,
    },
    subject::{Revision, RevisionSet},
    tree::{Branch, Tree},
};

const HELP: &str = "  1, 2, ...  this outcome is right
  = TEXT     this standard output is right (\\n, \\t, \\\\ and \\xNN as in C)
  n          none of them is right
  ?          I do not know: ask something else
  u          undo the last answer
  q          quit, and go on later";

const AFTER_HELP: &str = "\
Answers are read from standard input, a line each: the number of the outcome that is right, `= TEXT`
for the right standard output, `n` if none is right, `?` if you do not know, `u` to undo, `q` to
quit. They are kept in answers.json of the results, where the next `psychic ask` goes on and
`psychic rank` finds them. What [oracle] and [tests] of subject.toml say is not asked. Exit code: 0 at the end of the walk, 1 if questions are left.";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct AskArgs {
    /// A directory with a subject.toml, or a results directory of `psychic diff`
    #[arg(value_name = "SUBJECT|RESULTS")]
    place: PathBuf,
    /// Where the results of the subject are [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Forget earlier answers
    #[arg(long)]
    restart: bool,
    /// Write questions, and what remains at the end, as lines of JSON
    #[arg(long)]
    json: bool,
    /// Ask this shell command: it reads a question as JSON and prints the answer
    #[arg(long, value_name = "COMMAND")]
    oracle: Option<String>,
}

/// What somebody typed.
#[derive(Debug, Eq, PartialEq)]
enum Reply {
    Answer(Answer),
    Undo,
    Quit,
}

pub(super) fn run(args: &AskArgs) -> anyhow::Result<u8> {
    let (_, results) = subject_or_results(&args.place, args.out.as_deref())?;
    let document = Document::read(results.path())?;
    let clusterings = document.clusterings();
    let mut walk = Walk::new(&document.tree_in_use(results.path())?, &clusterings);
    if args.restart {
        write_answers(&results, &[])?;
    } else {
        walk.repeat(&read_answers(&results)?).with_context(|| {
            let path = results.path().display();
            format!("{path}: other answers than of these results and this tree: --restart")
        })?;
    }
    let asker = Asker { args, document: &document, labels: document.labels() };
    while let Some(reply) = asker.ask(&walk)? {
        match reply {
            Reply::Answer(answer) => walk.answer(answer)?,
            Reply::Undo => while walk.undo() && asker.known(&walk).is_some() {},
            Reply::Quit => {
                asker.note("the answers are kept: `psychic ask` goes on from here")?;
                return Ok(UNDECIDED);
            }
        }
        write_answers(&results, walk.answers())?;
    }
    asker.conclude(&walk)?;
    Ok(SUCCESS)
}

/// Puts questions, and says what remains.
struct Asker<'a> {
    args: &'a AskArgs,
    document: &'a Document,
    labels: Labels,
}

/// A question as JSON.
#[derive(Serialize)]
struct Asked {
    /// The number of the question, from 1.
    question: usize,
    /// The largest number of questions that are left, this one included.
    left: u32,
    /// The revisions that no answer has ruled out.
    possible: RevisionSet,
    /// The test, with the outcomes of the revisions that are possible.
    test: TestEntry,
}

/// What remains at the end, as JSON.
#[derive(Serialize)]
struct Remaining {
    /// The revisions that no answer has ruled out.
    remaining: RevisionSet,
    /// The same revisions, with those that are proved equivalent in one set.
    groups: Vec<RevisionSet>,
    /// How the sets are related.
    relation: Option<&'static str>,
    /// The number of answers.
    answers: usize,
}

impl Asker<'_> {
    /// Puts the next question and returns the reply; nothing if no question is left.
    fn ask(&self, walk: &Walk<'_>) -> anyhow::Result<Option<Reply>> {
        let Some(next) = walk.question() else { return Ok(None) };
        if let Some(answer) = self.known(walk) {
            let what = match answer {
                Answer::Outcome(cluster) => self.labels.outcome(next.test, cluster),
                _ => "none of the outcomes".into(),
            };
            self.note(&format!("test {}: known to be right: {what}", next.test))?;
            return Ok(Some(Reply::Answer(answer)));
        }
        let test = self.document.tests.iter().find(|entry| entry.row.test == next.test);
        let test = test.with_context(|| format!("test {} is not in the results", next.test))?;
        let shown = Asked {
            question: walk.answers().len() + 1,
            left: next.left,
            possible: walk.possible().clone(),
            test: TestEntry { outcomes: still_possible(test, next.outcomes), ..test.clone() },
        };
        let json = || serde_json::to_string(&shown).context("a question cannot be written as JSON");
        if self.args.json {
            say::line(&json()?)?;
        }
        let reply = match &self.args.oracle {
            Some(command) => self.consult(command, &json()?, &shown)?,
            None => {
                if !self.args.json {
                    self.put(&shown, next.outcomes)?;
                }
                self.listen(&shown)?
            }
        };
        Ok(Some(reply))
    }

    /// The answer to the next question, if the subject says what is right.
    fn known(&self, walk: &Walk<'_>) -> Option<Answer> {
        let next = walk.question()?;
        let test = self.document.tests.iter().find(|entry| entry.row.test == next.test)?;
        let is_right = |branch: &Branch| {
            let of_cluster = |entry: &&OutcomeEntry| entry.cluster == branch.cluster;
            test.outcomes.iter().find(of_cluster).and_then(|entry| entry.right)
        };
        let right = next.outcomes.iter().find(|branch| is_right(branch) == Some(true));
        let all_wrong = || next.outcomes.iter().all(|branch| is_right(branch) == Some(false));
        right
            .map(|branch| Answer::Outcome(branch.cluster))
            .or_else(|| all_wrong().then_some(Answer::NoneOf(None)))
    }

    /// Asks the command of an oracle.
    fn consult(&self, command: &str, question: &str, shown: &Asked) -> anyhow::Result<Reply> {
        let test = shown.test.row.test;
        let answer = answer_of(command, question)?;
        let reply = parse(&answer, &shown.test.outcomes).and_then(|reply| match reply {
            // It would be asked the same again.
            Reply::Undo => Err("an oracle cannot undo".into()),
            reply => Ok(reply),
        });
        let said = |fault| {
            anyhow::anyhow!("--oracle: {command:?} answered {answer:?} to test {test}: {fault}")
        };
        let reply = reply.map_err(said)?;
        self.note(&format!("test {test}: {}", visible(&answer)))?;
        Ok(reply)
    }

    /// Reads an answer from standard input.
    fn listen(&self, shown: &Asked) -> anyhow::Result<Reply> {
        let outcomes = &shown.test.outcomes;
        loop {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_until(b'\n', &mut bytes);
            if read.context("standard input cannot be read")? == 0 {
                return Ok(Reply::Quit);
            }
            let line = String::from_utf8_lossy(&bytes);
            let line = line.trim_end_matches(['\n', '\r']);
            if !io::stdin().is_terminal() {
                // A transcript shows the answers of a script, too.
                self.note(&visible(line))?;
            }
            match parse(line, outcomes) {
                Ok(reply) => return Ok(reply),
                Err(fault) if io::stdin().is_terminal() => {
                    say::line(&format!("{fault}\n{HELP}"))?;
                    prompt(outcomes.len())?;
                }
                Err(fault) => {
                    let test = shown.test.row.test;
                    bail!("test {test}: {fault} (psychic ask --help lists them)");
                }
            }
        }
    }

    /// Shows a question on the terminal.
    fn put(&self, shown: &Asked, outcomes: &[Branch]) -> anyhow::Result<()> {
        let left = say::count(shown.left, "question");
        let possible = say::count(shown.possible.len() as u64, "revision");
        say::line(&format!("\n{possible} possible, at most {left} left\n"))?;
        say::line(question(&shown.test, outcomes, &self.labels, style()).trim_end_matches('\n'))?;
        prompt(shown.test.outcomes.len())
    }

    /// Says something to a person.
    fn note(&self, text: &str) -> anyhow::Result<()> {
        if self.args.json { Ok(()) } else { say::line(text) }
    }

    /// Says which revisions remain, what is known about them, and how they change the program.
    fn conclude(&self, walk: &Walk<'_>) -> anyhow::Result<()> {
        let possible = walk.possible();
        let leaf = self.document.verdicts().leaf(possible);
        if self.args.json {
            let remaining = Remaining {
                remaining: possible.clone(),
                relation: leaf.kind.text(),
                groups: leaf.groups,
                answers: walk.answers().len(),
            };
            return say::line(&serde_json::to_string(&remaining)?);
        }
        if possible.is_empty() {
            return say::line(
                "\nno revision is left: none does what was said to be right; --restart begins anew",
            );
        }
        let tree = Tree::Leaf(possible.clone());
        let verdicts = self.document.verdicts();
        let text = terminal(&tree, &self.labels, &verdicts, style());
        say::line(&format!(
            "\n{} left after {} (--restart begins anew)\n{}",
            say::count(possible.len() as u64, "revision"),
            say::count(walk.answers().len() as u64, "answer"),
            text.trim_end_matches('\n'),
        ))?;
        if possible.len() > 1 && !self.document.bounds.is_empty() {
            say::line(&format!("bounds: {}", self.document.bounds.join("; ")))?;
        }
        let changes = |group: &&RevisionSet| !group.contains(Revision::ORIGINAL);
        for group in leaf.groups.iter().filter(changes) {
            // Of patches that do the same, the smallest is the one to read.
            let diffs = self.document.revisions.iter().filter_map(|entry| {
                let diff = entry.diff.as_ref()?;
                group.contains(entry.row.revision).then_some((entry.row.revision, diff))
            });
            if let Some((revision, diff)) = diffs.min_by_key(|(_, diff)| diff.lines().count()) {
                let lines: Vec<String> = diff.lines().map(visible_line).collect();
                say::line(&format!("\n{}\n{}", self.labels.revision(revision), lines.join("\n")))?;
            }
        }
        Ok(())
    }
}

fn style() -> TextStyle {
    TextStyle { colour: io::stdout().is_terminal(), ..TextStyle::default() }
}

fn prompt(outcomes: usize) -> anyhow::Result<()> {
    let numbers = if outcomes == 1 { "1".into() } else { format!("1-{outcomes}") };
    let mut out = io::stdout().lock();
    write!(out, "\nWhich is right? [{numbers}, = TEXT, n, ?, u, q] ")
        .and_then(|()| out.flush())
        .context("standard output cannot be written")
}

/// The outcomes of the revisions that are still possible, with those revisions only.
fn still_possible(test: &TestEntry, outcomes: &[Branch]) -> Vec<OutcomeEntry> {
    let entry = |branch: &Branch| {
        let all = test.outcomes.iter().find(|entry| entry.cluster == branch.cluster)?;
        Some(OutcomeEntry { revisions: branch.revisions.clone(), ..all.clone() })
    };
    outcomes.iter().filter_map(entry).collect()
}

/// Runs the command of an oracle, which reads a question, and returns the line that it prints.
fn answer_of(command: &str, question: &str) -> anyhow::Result<String> {
    let context = || format!("--oracle: {command:?} cannot be run");
    let mut shell = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(context)?;
    let mut stdin = shell.stdin.take().with_context(context)?;
    // An oracle may answer without reading the question.
    _ = writeln!(stdin, "{question}");
    drop(stdin);
    let output = shell.wait_with_output().with_context(context)?;
    if !output.status.success() {
        bail!("--oracle: {command:?} failed ({})", output.status);
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}

/// Understands a line that somebody typed in answer to a question with these outcomes.
fn parse(line: &str, outcomes: &[OutcomeEntry]) -> Result<Reply, String> {
    let line = line.trim_start();
    if let Some(text) = line.strip_prefix('=') {
        return right_output(text.strip_prefix(' ').unwrap_or(text), outcomes);
    }
    match line.trim_end() {
        "?" => Ok(Reply::Answer(Answer::DoNotKnow)),
        "n" => Ok(Reply::Answer(Answer::NoneOf(None))),
        "u" => Ok(Reply::Undo),
        "q" => Ok(Reply::Quit),
        text => {
            let number = text.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let chosen = number.and_then(|index| outcomes.get(index));
            let chosen = chosen.ok_or_else(|| format!("{text:?} is no answer"))?;
            Ok(Reply::Answer(Answer::Outcome(chosen.cluster)))
        }
    }
}

/// The answer that this standard output is right. Its last newline need not be typed.
fn right_output(typed: &str, outcomes: &[OutcomeEntry]) -> Result<Reply, String> {
    let bytes = unescape(typed).ok_or_else(|| format!("{typed:?} has an unknown escape"))?;
    let text = readable(&bytes);
    if outcomes.iter().all(|entry| entry.outcome.stdout.is_empty()) {
        return Err("no outcome prints anything: choose by number".into());
    }
    let prints = |entry: &&OutcomeEntry| {
        let stdout = &entry.outcome.stdout;
        *stdout == text || stdout.strip_suffix('\n') == Some(&*text)
    };
    let mut right = outcomes.iter().filter(prints);
    match (right.next(), right.next()) {
        (None, _) => Ok(Reply::Answer(Answer::NoneOf(Some(text)))),
        (Some(only), None) if ends_well(only) => Ok(Reply::Answer(Answer::Outcome(only.cluster))),
        (Some(_), None) => Err("what prints that does not end well: choose by number".into()),
        (Some(_), Some(_)) => Err("several outcomes print that: choose by number".into()),
    }
}

/// Whether nothing but what a run printed need be looked at.
fn ends_well(entry: &OutcomeEntry) -> bool {
    entry.outcome.finding.is_empty() && entry.outcome.exit == Some(0)
}

/// The bytes of a text with the escapes of C: `\n`, `\t`, `\r`, `\0`, `\\` and `\xNN`. `None` if there
/// is another escape.
fn unescape(typed: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = typed.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next()? {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'0' => b'\0',
                b'\\' => b'\\',
                b'x' => {
                    let digits = [rest.next()?, rest.next()?];
                    u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
                }
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::OutcomeDescription, subject::Revision};

    fn outcome(cluster: u32, stdout: &str, exit: i32) -> OutcomeEntry {
        let cluster = Revision(cluster);
        OutcomeEntry {
            cluster,
            revisions: [cluster].into_iter().collect(),
            right: None,
            outcome: OutcomeDescription {
                exit: Some(exit),
                stdout: stdout.into(),
                ..OutcomeDescription::default()
            },
        }
    }

    #[test]
    fn answers_are_numbers_texts_and_letters() {
        let outcomes = [outcome(0, "a\n", 0), outcome(3, "b\\\tc", 0), outcome(5, "a\n", 1)];
        let chosen = |cluster| Ok(Reply::Answer(Answer::Outcome(Revision(cluster))));
        assert_eq!(parse("2", &outcomes), chosen(3));
        assert_eq!(parse(" 3 ", &outcomes), chosen(5));
        assert_eq!(parse("= b\\\\\\tc", &outcomes), chosen(3));
        assert_eq!(parse("=b\\\\\\x09c", &outcomes), chosen(3));
        assert_eq!(parse("= a", &outcomes[..2]), chosen(0));
        // Whether a failure is right, too, is not said by a text.
        assert!(parse("= a", &outcomes[1..]).is_err());
        assert!(parse("= a", &[outcome(0, "", 0)]).is_err());
        let byte = [outcome(0, &readable(b"\xff"), 0), outcome(3, &readable(br"\xff"), 0)];
        assert_eq!(parse(r"= \xff", &byte), chosen(0));
        assert_eq!(parse(r"= \\xff", &byte), chosen(3));
        let none = |text: Option<&str>| Ok(Reply::Answer(Answer::NoneOf(text.map(str::to_owned))));
        assert_eq!(parse("= z", &outcomes), none(Some("z")));
        assert_eq!(parse("n", &outcomes), none(None));
        assert_eq!(parse("?", &outcomes), Ok(Reply::Answer(Answer::DoNotKnow)));
        assert_eq!(parse("u", &outcomes), Ok(Reply::Undo));
        for wrong in ["", "0", "4", "-1", "yes", "= a", "= \\q"] {
            assert!(parse(wrong, &outcomes).is_err(), "{wrong}");
        }
    }
}
