//! Which revisions do what is right on which tests, as JUnit XML, the form that continuous integration
//! servers read.

use std::io;

use quick_xml::{
    Writer,
    events::{BytesDecl, BytesText, Event},
};

use super::{
    document::{Document, OutcomeEntry, RevisionEntry, TestEntry},
    labels::visible,
};
use crate::subject::Revision;

/// A test suite for each revision, with a test case for each test. A case fails if the outcome is known
/// to be wrong ([`Document::take_for_right`]), and is skipped if nothing is known about it. The suite of
/// a patch that was set aside has one case, which says why.
///
/// # Errors
/// None but those of memory: it is written to a text.
pub fn junit(document: &Document) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .with_attribute(("name", &*allowed(&document.summary.subject)))
        .write_inner_content(|writer| {
            document.revisions.iter().try_for_each(|entry| suite(writer, document, entry))
        })?;
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}

type Xml = Writer<Vec<u8>>;

/// What came out of a test case.
enum Came<'d> {
    Right,
    /// Another outcome than the right one.
    Wrong(&'d OutcomeEntry, Option<&'d OutcomeEntry>),
    Skipped(&'static str),
}

/// What a revision did on a test.
fn came(test: &TestEntry, revision: Revision) -> Came<'_> {
    let its = test.outcomes.iter().find(|entry| entry.revisions.contains(revision));
    let right = test.outcomes.iter().find(|entry| entry.right == Some(true));
    match its.map(|entry| (entry, entry.right)) {
        None => Came::Skipped("it is not known what the revision does"),
        Some((_, None)) => Came::Skipped("it is not known what is right"),
        Some((_, Some(true))) => Came::Right,
        Some((entry, Some(false))) => Came::Wrong(entry, right),
    }
}

/// The test suite of one revision.
fn suite(writer: &mut Xml, document: &Document, entry: &RevisionEntry) -> io::Result<()> {
    let revision = entry.row.revision;
    let name = document.labels().revision(revision);
    let class = format!("{}.{name}", document.summary.subject);
    let takes_part = entry.row.status.takes_part();
    let cases: Vec<(&TestEntry, Came<'_>)> = match takes_part {
        true => document.tests.iter().map(|test| (test, came(test, revision))).collect(),
        false => Vec::new(),
    };
    let count = |is: fn(&Came<'_>) -> bool| cases.iter().filter(|(_, came)| is(came)).count();
    let failures = count(|came| matches!(came, Came::Wrong(..)));
    let skipped = count(|came| matches!(came, Came::Skipped(_)));
    let aside = usize::from(!takes_part);
    writer
        .create_element("testsuite")
        .with_attribute(("name", &*allowed(&name)))
        .with_attribute(("tests", &*(cases.len() + aside).to_string()))
        .with_attribute(("failures", &*failures.to_string()))
        .with_attribute(("errors", &*aside.to_string()))
        .with_attribute(("skipped", &*skipped.to_string()))
        .write_inner_content(|writer| {
            if !takes_part {
                case(writer, &class, "set aside", |writer| {
                    problem(writer, "error", "set-aside", &entry.row.patch, &entry.row.reason)
                })?;
            }
            for (test, came) in &cases {
                let name = format!("test {}: {}", test.row.test, test.input.input);
                case(writer, &class, &name, |writer| result(writer, test, came))?;
            }
            Ok(())
        })?;
    Ok(())
}

/// A test case with what came out of it.
fn case(
    writer: &mut Xml,
    class: &str,
    name: &str,
    result: impl FnOnce(&mut Xml) -> io::Result<()>,
) -> io::Result<()> {
    writer
        .create_element("testcase")
        .with_attribute(("classname", &*allowed(class)))
        .with_attribute(("name", &*allowed(name)))
        .write_inner_content(result)?;
    Ok(())
}

fn result(writer: &mut Xml, test: &TestEntry, came: &Came<'_>) -> io::Result<()> {
    match came {
        Came::Right => Ok(()),
        Came::Skipped(why) => {
            writer.create_element("skipped").with_attribute(("message", *why)).write_empty()?;
            Ok(())
        }
        Came::Wrong(entry, right) => {
            let actual = entry.outcome.short();
            let expected = right.map_or_else(|| "another outcome".into(), |it| it.outcome.short());
            let kind = if entry.is_error() { "error" } else { "outcome" };
            let text =
                format!("input:    {}\nexpected: {expected}\nactual:   {actual}", test.input.input);
            let message = format!("expected {expected}, got {actual}");
            problem(writer, "failure", kind, &message, &text)
        }
    }
}

fn problem(
    writer: &mut Xml,
    element: &str,
    kind: &str,
    message: &str,
    text: &str,
) -> io::Result<()> {
    let lines: Vec<String> = text.lines().map(allowed).collect();
    writer
        .create_element(element)
        .with_attribute(("message", &*allowed(message)))
        .with_attribute(("type", kind))
        .write_text_content(BytesText::new(&lines.join("\n")))?;
    Ok(())
}

/// A text in which characters that XML cannot hold, and those that nobody sees, are escaped as C does it.
fn allowed(text: &str) -> String {
    visible(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}
