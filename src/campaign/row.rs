//! The row of a subject.

use std::path::Path;

use crate::results::{Cell, Ended, SummaryRow, Table};

/// A row of `campaign.csv`: a subject of a campaign, and the summary of its results.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignRow {
    /// Name of the subject in the campaign, and of the directory of its results.
    pub name: String,
    /// Directory with the subject's `subject.toml`.
    pub path: String,
    /// How the comparison ended.
    pub ended: Ended,
    /// Why nothing could be done; empty if something could.
    pub reason: String,
    /// What the comparison rests on: version, options, and a digest of the subject.
    pub inputs: String,
    /// The row of the subject's `summary.csv`, if there is one; its cells are empty otherwise.
    pub summary: Option<SummaryRow>,
}

/// The columns before those of the summary.
const OWN: [&str; 5] = ["name", "path", "ended", "reason", "inputs"];
const COUNT: usize = OWN.len() + SummaryRow::COLUMNS.len();

const COLUMNS: [&str; COUNT] = {
    let mut columns = [""; COUNT];
    let mut at = 0;
    while at < COUNT {
        columns[at] = if at < OWN.len() { OWN[at] } else { SummaryRow::COLUMNS[at - OWN.len()] };
        at += 1;
    }
    columns
};

impl CampaignRow {
    /// The row of a subject that has ended.
    pub fn new(
        name: &str,
        subject: &Path,
        (ended, reason): (Ended, String),
        summary: Option<SummaryRow>,
        inputs: &str,
    ) -> Self {
        let (name, path) = (name.to_owned(), subject.display().to_string());
        Self { name, path, ended, reason, inputs: inputs.to_owned(), summary }
    }
}

impl Table for CampaignRow {
    const FILE: &'static str = "campaign.csv";
    const COLUMNS: &'static [&'static str] = &COLUMNS;
    const LATER: usize = 0;

    fn cells(&self) -> Vec<String> {
        let own = [&self.name, &self.path, &self.ended.to_string(), &self.reason, &self.inputs];
        let mut cells: Vec<String> = own.into_iter().cloned().collect();
        match &self.summary {
            Some(summary) => cells.extend(summary.cells()),
            None => cells.resize(COUNT, String::new()),
        }
        cells
    }

    fn from_cells(cells: &[&str]) -> Result<Self, (usize, String)> {
        let (own, summary) = cells.split_at(OWN.len().min(cells.len()));
        let cell = |index: usize| own.get(index).copied().unwrap_or_default();
        let summary = match summary.iter().all(|cell| cell.is_empty()) {
            true => None,
            false => {
                let shift = |(index, expected)| (OWN.len() + index, expected);
                Some(SummaryRow::from_cells(summary).map_err(shift)?)
            }
        };
        Ok(Self {
            name: cell(0).to_owned(),
            path: cell(1).to_owned(),
            ended: Ended::read(cell(2)).map_err(|expected| (2, expected))?,
            reason: cell(3).to_owned(),
            inputs: cell(4).to_owned(),
            summary,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{read_table, write_table};

    #[test]
    fn rows_read_back() {
        let scratch = tempfile::tempdir().unwrap();
        let file = scratch.path().join(CampaignRow::FILE);
        let row = |ended, reason: &str, summary| {
            CampaignRow::new("a", "b/a".as_ref(), (ended, reason.to_owned()), summary, "0.2.0 x")
        };
        let summary = SummaryRow { subject: "s".into(), revisions: 3, ..SummaryRow::default() };
        let rows =
            [row(Ended::Decided, "", Some(summary)), row(Ended::Failed, "a.c:1, \"b\"", None)];
        write_table(&file, &rows).unwrap();
        assert_eq!(read_table::<CampaignRow>(&file).unwrap(), rows);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("name,path,ended,reason,inputs,subject,revisions,"), "{text}");
        std::fs::write(&file, text.replace("failed", "fallen")).unwrap();
        let message = read_table::<CampaignRow>(&file).unwrap_err().to_string();
        assert!(message.contains("ended") && message.contains("decided, undecided"), "{message}");
    }
}
