//! What is wrong with patches, as SARIF 2.1.0, the form in which code scanning takes results.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    document::{Document, OutcomeEntry, RevisionEntry, TestEntry},
    labels::{Labels, visible},
};
use crate::subject::Revision;

/// The rule that unexpected outcomes break.
const UNEXPECTED: &str = "unexpected-outcome";

/// A line of a file.
pub type Place = (PathBuf, u32);

/// The files that results are about. Relative paths are relative to the root of the repository.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The original.
    pub original: PathBuf,
    /// The directory that patches are relative to.
    pub patches: PathBuf,
    /// The lines of the meta program at which paths of a revision end with an error, by the error.
    pub errors: BTreeMap<(Revision, String), BTreeSet<Place>>,
}

/// A result for each revision and each rule that it breaks: by an error, or by an outcome other
/// than that of the revision `expected`. Patches that were set aside are notifications.
pub fn sarif(document: &Document, expected: Revision, places: &Places) -> String {
    let labels = document.labels();
    let mut results = Vec::new();
    let mut rules = BTreeSet::new();
    for entry in document.revisions.iter().filter(|entry| entry.row.status.takes_part()) {
        let mut broken: BTreeMap<&str, Vec<(&TestEntry, &OutcomeEntry)>> = BTreeMap::new();
        for test in &document.tests {
            let Some(outcome) = test.outcome_of(entry.row.revision) else { continue };
            if test.outcome_of(expected).is_some_and(|it| it.cluster != outcome.cluster) {
                broken.entry(UNEXPECTED).or_default().push((test, outcome));
            }
            if !outcome.outcome.finding.is_empty() {
                broken.entry(&outcome.outcome.finding).or_default().push((test, outcome));
            }
        }
        for (rule, tests) in broken {
            rules.insert(rule.to_owned());
            results.push(result((document, &labels, places), entry, rule, (&tests, expected)));
        }
    }
    let index: BTreeMap<&String, usize> = rules.iter().zip(0..).collect();
    for result in &mut results {
        let rule = result["ruleId"].as_str().map(str::to_owned);
        result["ruleIndex"] = json!(rule.and_then(|rule| index.get(&rule).copied()));
    }
    let rejected = document.revisions.iter().filter(|entry| !entry.row.status.takes_part());
    let notification = |entry: &RevisionEntry| {
        json!({
            "level": "warning",
            "message": { "text": format!("set aside: {}", lines(&entry.row.reason)) },
            "locations": [location(&file(places, entry), None)],
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "psychic",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": true,
                "toolExecutionNotifications": rejected.map(notification).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

/// A rule.
fn described(rule: &str) -> Value {
    let text = match rule {
        UNEXPECTED => "The outcome of a test is not the expected one.".to_owned(),
        error => format!("A run shows this error, or is stopped: {error}."),
    };
    json!({
        "id": rule,
        "shortDescription": { "text": text },
        "defaultConfiguration": { "level": level(rule) },
    })
}

fn level(rule: &str) -> &'static str {
    if rule == UNEXPECTED { "warning" } else { "error" }
}

/// The result of a revision that breaks a rule on `tests`; there is at least one.
fn result(
    (document, labels, places): (&Document, &Labels, &Places),
    entry: &RevisionEntry,
    rule: &str,
    (tests, expected): (&[(&TestEntry, &OutcomeEntry)], Revision),
) -> Value {
    let revision = entry.row.revision;
    let mut text = format!(
        "{}: {rule} on {} of {} tests.",
        labels.revision(revision),
        tests.len(),
        document.tests.len()
    );
    if let Some((test, outcome)) = tests.first() {
        let input = visible(&test.input.input);
        let short = |entry: &OutcomeEntry| {
            entry.outcome.short_among(test.outcomes.iter().map(|entry| &entry.outcome))
        };
        _ = write!(text, " Test {}, {input}: {}", test.row.test, short(outcome));
        if let Some(wanted) = test.outcome_of(expected).filter(|_| rule == UNEXPECTED) {
            _ = write!(text, "; expected: {}", short(wanted));
        }
    }
    let numbers: Vec<u32> = tests.iter().map(|(test, _)| test.row.test.0).collect();
    let file = file(places, entry);
    let ends = places.errors.get(&(revision, rule.to_owned())).into_iter().flatten();
    let related: Vec<Value> = ends.map(|(file, line)| location(file, Some(*line))).collect();
    json!({
        "ruleId": rule,
        "level": level(rule),
        "message": { "text": text },
        "locations": [location(&file, Some(1))],
        "relatedLocations": related,
        "partialFingerprints": {
            "psychic/v1": format!("{}/{}/{rule}", document.summary.subject, entry.row.patch),
        },
        "properties": { "revision": revision.0, "tests": numbers },
    })
}

/// The file of a revision.
fn file(places: &Places, entry: &RevisionEntry) -> PathBuf {
    match entry.row.revision {
        Revision::ORIGINAL => places.original.clone(),
        _ => places.patches.join(&entry.row.patch),
    }
}

fn location(file: &Path, line: Option<u32>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
    }
    json!({ "physicalLocation": place })
}

/// A path as a reference to a resource (RFC 3986): relative, or of the scheme `file`.
fn uri(path: &Path) -> String {
    let mut text = String::from(if path.is_absolute() { "file://" } else { "" });
    let path = path.strip_prefix(".").unwrap_or(path);
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(*byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(*byte)),
            byte => _ = write!(text, "%{byte:02X}"),
        }
    }
    text
}

/// A text of several lines, visibly.
fn lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
