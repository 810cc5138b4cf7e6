//! Scores of patches that the user gives, such as those of the tool that made them.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::subject::Revision;

/// What a score is of, as a file has it.
enum Key {
    Patch(String),
    Revision(String),
}

/// A score, and where in which file it is.
struct Score {
    place: String,
    key: Key,
    value: f64,
}

/// Reads scores of these patches: a CSV file with the columns `patch` (or `revision`) and `score`, or
/// a JSON file (`.json`) with an object of scores by patch, or with a list of such rows as objects.
///
/// # Errors
/// The file is not as it should be, names another patch, or gives a patch two scores.
pub(super) fn scores(
    file: &Path,
    patches: &BTreeMap<Revision, String>,
) -> anyhow::Result<BTreeMap<Revision, f64>> {
    let is_json = file.extension().is_some_and(|extension| extension == "json");
    let mut scores = BTreeMap::new();
    for Score { place, key, value } in if is_json { json(file)? } else { csv(file)? } {
        let revision = key.revision(patches).with_context(|| place.clone())?;
        if scores.insert(revision, value).is_some() {
            bail!("{place}: revision {revision} has a score already");
        }
    }
    Ok(scores)
}

impl Key {
    fn revision(&self, patches: &BTreeMap<Revision, String>) -> anyhow::Result<Revision> {
        let name = match self {
            Self::Patch(name) => name,
            Self::Revision(number) => {
                let found = patches.keys().find(|revision| Ok(**revision) == number.parse());
                return found.copied().with_context(|| format!("no revision {number:?}"));
            }
        };
        // Every path ends with nothing.
        if name.is_empty() {
            bail!("no patch {name:?}");
        }
        let given = Path::new(name);
        let is_whole = |patch: &Path| patch == given;
        let is_end = |patch: &Path| patch.ends_with(given) || given.ends_with(patch);
        let is_stem = |patch: &Path| patch.with_extension("").ends_with(given);
        let ways: [&dyn Fn(&Path) -> bool; 3] = [&is_whole, &is_end, &is_stem];
        for is_meant in ways {
            let meant = patches
                .iter()
                .filter(|(_, patch)| !patch.is_empty() && is_meant(Path::new(patch.as_str())));
            let meant: Vec<(&Revision, &String)> = meant.collect();
            match meant[..] {
                [] => {}
                [(revision, _)] => return Ok(*revision),
                [(_, one), (_, other), ..] => {
                    bail!("{name:?} may be {one} or {other}: name more of the path")
                }
            }
        }
        bail!("no patch {name:?}")
    }
}

fn csv(file: &Path) -> anyhow::Result<Vec<Score>> {
    let name = file.display();
    let mut reader = csv::Reader::from_path(file).with_context(|| format!("{name}"))?;
    let header = reader.headers().with_context(|| format!("{name}"))?.clone();
    let column = |wanted: &str| header.iter().position(|column| column.trim() == wanted);
    let score = column("score").with_context(|| format!("{name}: no column `score`"))?;
    let (key, is_patch) = match (column("patch"), column("revision")) {
        (Some(key), _) => (key, true),
        (None, Some(key)) => (key, false),
        (None, None) => bail!("{name}: no column `patch` or `revision`"),
    };
    let row = |record: csv::Result<csv::StringRecord>| {
        let record = record.with_context(|| format!("{name}"))?;
        let place = format!("{name}:{}", record.position().map_or(0, csv::Position::line));
        let cell = |column: usize| record.get(column).unwrap_or_default().trim();
        let value = cell(score).parse::<f64>().ok().filter(|value| value.is_finite());
        let value = value.with_context(|| format!("{place}: no number: {:?}", cell(score)))?;
        let key = cell(key).to_owned();
        Ok(Score { place, key: if is_patch { Key::Patch(key) } else { Key::Revision(key) }, value })
    };
    reader.records().map(row).collect()
}

fn json(file: &Path) -> anyhow::Result<Vec<Score>> {
    let name = file.display();
    let bytes = fs::read(file).with_context(|| format!("{name}"))?;
    let value = serde_json::from_slice(&bytes).with_context(|| format!("{name}"))?;
    let number = |place: &str, value: Option<&Value>| {
        let value = value.with_context(|| format!("{place}: no `score`"))?;
        value.as_f64().with_context(|| format!("{place}: no number: {value}"))
    };
    match value {
        Value::Object(scores) => {
            let entry = |(patch, score): (String, Value)| {
                let place = name.to_string();
                let value = number(&format!("{name}: {patch:?}"), Some(&score))?;
                Ok(Score { place, key: Key::Patch(patch), value })
            };
            scores.into_iter().map(entry).collect()
        }
        Value::Array(rows) => {
            let entry = |(number_of_row, row): (usize, Value)| {
                let place = format!("{name}: entry {number_of_row}");
                // Tools give patches names or numbers.
                let text = |key: &str| match row.get(key)? {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                };
                let key = text("patch").map(Key::Patch);
                let key = key.or_else(|| text("revision").map(Key::Revision));
                let key = key.with_context(|| format!("{place}: no `patch` or `revision`"))?;
                let value = number(&place, row.get("score"))?;
                Ok(Score { place, key, value })
            };
            (1..).zip(rows).map(entry).collect()
        }
        _ => bail!(
            "{name}: neither an object of scores by patch nor a list of objects with `patch` and \
             `score`"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_is_named_by_as_much_as_tells_it_from_the_others() {
        let names = ["", "a/1.diff", "b/1.diff", "b/1.diff.patch", "v1.2.diff"];
        let patches = (0..).map(Revision).zip(names.map(str::to_owned)).collect();
        let revision = |name: &str| Key::Patch(name.to_owned()).revision(&patches);
        for (name, found) in [
            ("a/1.diff", 1),
            ("/x/b/1.diff", 2),
            ("1.diff.patch", 3),
            ("a/1", 1),
            ("v1.2", 4),
            ("./v1.2.diff", 4),
        ] {
            assert_eq!(revision(name).unwrap(), Revision(found), "{name}");
        }
        let several = revision("1.diff").unwrap_err().to_string();
        assert_eq!(several, "\"1.diff\" may be a/1.diff or b/1.diff: name more of the path");
        for name in ["", "2.diff", "1.2", "iff", "v1"] {
            let none = revision(name).unwrap_err().to_string();
            assert_eq!(none, format!("no patch {name:?}"));
        }
    }
}
