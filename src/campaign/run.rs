//! Runs the comparisons of a campaign.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    digest::digest,
    directory::{CampaignDir, CampaignError},
    list::{Campaign, Member},
    local,
    row::CampaignRow,
    slurm::{self, Slurm},
    task::{Step, Task},
};
use crate::{
    interrupt::Interrupt,
    results::{SummaryRow, Table},
};

/// How a campaign runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The executable of `psychic`.
    pub psychic: PathBuf,
    /// What runs the comparisons.
    pub machine: Machine,
    /// Further options of `psychic diff`.
    pub options: Vec<String>,
    /// Whether subjects run again although neither they nor the options have changed.
    pub again: bool,
    /// Asks the campaign to end. Subjects that are running write what they have found.
    pub interrupt: Interrupt,
}

/// What runs the comparisons of a campaign.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Machine {
    /// This machine.
    Here {
        /// Processors to use: as many subjects run at once, and if there are fewer subjects, each
        /// uses several.
        jobs: usize,
    },
    /// A cluster with Slurm.
    Slurm(Slurm),
}

/// News of a campaign while it runs.
#[derive(Debug)]
pub enum Event<'a> {
    /// A subject was done by an earlier run, and nothing has changed.
    Known(&'a CampaignRow),
    /// A subject begins.
    Begun(&'a Member),
    /// A subject is done.
    Done(&'a CampaignRow),
    /// This number of subjects waits in the queue of Slurm, mostly for this reason.
    Waiting(usize, &'a str),
    /// Something that is worth a line.
    Note(&'a str),
}

/// Compares the revisions of every subject of a campaign, and writes its directory. Returns the
/// rows, in the order of the list. An interrupted campaign returns only those of the subjects that
/// began or were known.
///
/// # Errors
/// A file of the campaign cannot be read or written, or Slurm does not do what it is asked. What
/// goes wrong with a subject is in its row.
pub fn run(
    campaign: &Campaign,
    place: &CampaignDir,
    options: &Options,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Vec<CampaignRow>, CampaignError> {
    let words: Vec<String> = campaign.options.iter().chain(&options.options).cloned().collect();
    let tool = tool(&options.psychic)?;
    // If everything runs again, what earlier runs left need not be readable.
    let mut names = if options.again { place.names(&[]) } else { place.names(&place.rows()?) };
    let campaign = &campaign.with(&mut names);
    place.write_names(&names)?;
    // What is known about a subject stays in the table until more is known.
    let mut table = if options.again { BTreeMap::new() } else { known(campaign, place)? };
    let (mut rows, mut places, mut tasks) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (index, member) in campaign.members.iter().enumerate() {
        let inputs = format!("{tool} {words:?} {}", digest(&member.subject));
        let has_results = place.results(&member.name).join(SummaryRow::FILE).is_file();
        let is_same = |row: &&CampaignRow| row.inputs == inputs && row.ended.is_final();
        if let Some(row) = table.get(&index).filter(is_same).filter(|_| has_results) {
            observe(Event::Known(row));
            rows.insert(index, row.clone());
        } else {
            places.push(index);
            tasks.push(Task::new(place, member, (inputs, &words), options.again));
        }
    }
    let mut tell = |step: Step| {
        match step {
            Step::Begun(task) => observe(Event::Begun(&campaign.members[places[task]])),
            Step::Waiting(count, reason) => observe(Event::Waiting(count, &reason)),
            Step::Note(text) => observe(Event::Note(&text)),
            Step::Done(task, row) => {
                observe(Event::Done(&row));
                table.insert(places[task], (*row).clone());
                rows.insert(places[task], *row);
                place.write(&table.values().cloned().collect::<Vec<_>>())?;
            }
        }
        Ok(())
    };
    let (psychic, interrupt) = (options.psychic.as_path(), &options.interrupt);
    match &options.machine {
        Machine::Here { jobs } => local::run(&tasks, (psychic, *jobs), interrupt, &mut tell)?,
        Machine::Slurm(slurm) => slurm::run(&tasks, (place, psychic), slurm, interrupt, &mut tell)?,
    }
    let table: Vec<CampaignRow> = table.into_values().collect();
    place.write(&table)?;
    place.write_page(&table)?;
    Ok(rows.into_values().collect())
}

/// The rows that earlier runs left of the subjects, by their places in the list.
fn known(
    campaign: &Campaign,
    place: &CampaignDir,
) -> Result<BTreeMap<usize, CampaignRow>, CampaignError> {
    // Earlier versions wrote the table alone.
    let listed: BTreeMap<String, CampaignRow> =
        place.rows()?.into_iter().map(|row| (row.name.clone(), row)).collect();
    let mut known = BTreeMap::new();
    for (index, Member { name, .. }) in campaign.members.iter().enumerate() {
        let row = place.row(name)?.or_else(|| listed.get(name).cloned());
        known.extend(row.map(|row| (index, row)));
    }
    Ok(known)
}

/// The version and digest of the executable, which tell one build from another.
fn tool(psychic: &Path) -> Result<String, CampaignError> {
    let bytes = fs::read(psychic)
        .map_err(|source| CampaignError::Io { path: psychic.to_owned(), source })?;
    let digest = format!("{:x}", Sha256::digest(&bytes));
    Ok(format!("{} {}", env!("CARGO_PKG_VERSION"), &digest[..16]))
}
