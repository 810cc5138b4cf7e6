//! Which revisions do what is expected on which tests, as JUnit XML, the form that continuous
//! integration servers read.

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

/// A test suite for each revision, with a test case for each test. A case fails if the outcome
/// differs from that of the revision `expected`, and is skipped if one of the two is not known. The
/// suite of a patch that was set aside has one case, which says why.
///
/// # Errors
/// None but those of writing to memory.
pub fn junit(document: &Document, expected: Revision) -> io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    writer
        .create_element("testsuites")
        .with_attribute(("name", &*allowed(&document.summary.subject)))
        .write_inner_content(|writer| {
            document.revisions.iter().try_for_each(|entry| suite(writer, document, entry, expected))
        })?;
    let mut text = writer.into_inner();
    text.push(b'\n');
    Ok(String::from_utf8_lossy(&text).into_owned())
}

type Xml = Writer<Vec<u8>>;

/// The result of a test case.
enum Came<'d> {
    AsExpected,
    /// An outcome, and the expected one.
    Otherwise(&'d OutcomeEntry, &'d OutcomeEntry),
    Unknown,
}

/// The result of a test for a revision.
fn came(test: &TestEntry, revision: Revision, expected: Revision) -> Came<'_> {
    match (test.outcome_of(revision), test.outcome_of(expected)) {
        (Some(its), Some(wanted)) if its.cluster == wanted.cluster => Came::AsExpected,
        (Some(its), Some(wanted)) => Came::Otherwise(its, wanted),
        _ => Came::Unknown,
    }
}

/// The test suite of one revision.
fn suite(
    writer: &mut Xml,
    document: &Document,
    entry: &RevisionEntry,
    expected: Revision,
) -> io::Result<()> {
    let revision = entry.row.revision;
    let name = document.labels().revision(revision);
    let class = format!("{}.{name}", document.summary.subject);
    let takes_part = entry.row.status.takes_part();
    let cases: Vec<(&TestEntry, Came<'_>)> = match takes_part {
        true => document.tests.iter().map(|test| (test, came(test, revision, expected))).collect(),
        false => Vec::new(),
    };
    let count = |is: fn(&Came<'_>) -> bool| cases.iter().filter(|(_, came)| is(came)).count();
    let failures = count(|came| matches!(came, Came::Otherwise(..)));
    let skipped = count(|came| matches!(came, Came::Unknown));
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
                let reason = Some(("error", "set-aside", &*entry.row.patch, &*entry.row.reason));
                case(writer, &class, "set aside", reason)?;
            }
            for (test, came) in &cases {
                let name = format!("test {}: {}", test.row.test, test.input.input);
                let Came::Otherwise(its, wanted) = came else {
                    let unknown = matches!(came, Came::Unknown);
                    let unknown =
                        unknown.then_some(("skipped", "", "the outcome is not known", ""));
                    case(writer, &class, &name, unknown)?;
                    continue;
                };
                let kind = if its.is_error() { "error" } else { "outcome" };
                let both = [&its.outcome, &wanted.outcome];
                let [its, wanted] = both.map(|outcome| outcome.short_among(both));
                let message = format!("expected {wanted}, got {its}");
                let input = &test.input.input;
                let text = format!("input:    {input}\nexpected: {wanted}\nactual:   {its}");
                case(writer, &class, &name, Some(("failure", kind, &message, &text)))?;
            }
            Ok(())
        })?;
    Ok(())
}

/// A test case and an element about it, with its type, message and text. An empty type or text is
/// left out.
fn case(
    writer: &mut Xml,
    class: &str,
    name: &str,
    about: Option<(&str, &str, &str, &str)>,
) -> io::Result<()> {
    let case = writer
        .create_element("testcase")
        .with_attribute(("classname", &*allowed(class)))
        .with_attribute(("name", &*allowed(name)));
    let Some((element, kind, message, text)) = about else {
        case.write_empty()?;
        return Ok(());
    };
    case.write_inner_content(|writer| {
        let mut element =
            writer.create_element(element).with_attribute(("message", &*allowed(message)));
        if !kind.is_empty() {
            element = element.with_attribute(("type", kind));
        }
        let lines: Vec<String> = text.lines().map(allowed).collect();
        match lines.is_empty() {
            true => element.write_empty()?,
            false => element.write_text_content(BytesText::new(&lines.join("\n")))?,
        };
        Ok(())
    })?;
    Ok(())
}

/// A text in which invisible characters and those that XML cannot hold are escaped as in C.
fn allowed(text: &str) -> String {
    visible(text).replace('\u{fffe}', "\\u{fffe}").replace('\u{ffff}', "\\u{ffff}")
}
