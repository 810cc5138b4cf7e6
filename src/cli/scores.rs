//! Scores of patches that the user gives, such as those of the tool that made them.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, bail};

use crate::subject::Revision;

/// Reads a CSV file with the columns `patch` (or `revision`) and `score`, for these patches.
///
/// # Errors
/// The file is not as it should be, or names another patch.
pub(super) fn scores(
    file: &Path,
    patches: &BTreeMap<Revision, String>,
) -> anyhow::Result<BTreeMap<Revision, f64>> {
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
    let mut scores = BTreeMap::new();
    for record in reader.records() {
        let record = record.with_context(|| format!("{name}"))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |column: usize| record.get(column).unwrap_or_default().trim();
        let is_named = |(revision, patch): &(&Revision, &String)| match is_patch {
            true => *patch == cell(key),
            false => Ok(**revision) == cell(key).parse(),
        };
        let found = patches.iter().find(is_named);
        let (revision, _) =
            found.with_context(|| format!("{name}:{line}: no patch {:?}", cell(key)))?;
        let value = cell(score).parse::<f64>().ok().filter(|value| value.is_finite());
        let value =
            value.with_context(|| format!("{name}:{line}: no number: {:?}", cell(score)))?;
        scores.insert(*revision, value);
    }
    Ok(scores)
}
