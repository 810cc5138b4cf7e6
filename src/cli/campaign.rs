//! `psychic campaign`: many subjects, one table.

use std::{env, path::PathBuf};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};

use super::{
    args::MOST_JOBS,
    diff::DiffArgs,
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    campaign::{
        self, Campaign, CampaignDir, CampaignError, CampaignRow, Event, Kind, Machine, Options,
        Side, Slurm, median,
    },
    results::{Ended, SummaryRow, Table},
};

/// The most subjects that progress names.
const SHOWN: usize = 8;

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
#[command(
    override_usage = "psychic campaign [OPTIONS] <SUBJECTS>... [-- <OPTIONS OF DIFF>...]\n       \
                            psychic campaign compare <OLD> <NEW>"
)]
pub(super) struct CampaignArgs {
    #[command(subcommand)]
    command: Option<Command>,
    /// Directories of subjects, directories of such directories, or files that list them: .toml with
    /// `subjects = [GLOBS]` and `options = [WORDS]`, or .csv with a column `subject`
    #[arg(required = true)]
    subjects: Vec<PathBuf>,
    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "campaign")]
    out: PathBuf,
    /// Processors to use: as many subjects run at once [default: all]. With --slurm, the most subjects
    /// to run at once [default: as many as Slurm lets]
    #[arg(long, short = 'j', value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
    /// Submit the subjects as a Slurm job array, a task for each, and wait for them. All machines have
    /// to see this directory, the subjects and this executable. An interrupt cancels the tasks that
    /// wait; those that run write what they have found
    #[arg(long)]
    slurm: bool,
    /// An option for `sbatch`, such as --sbatch-option=--mem=8G; may be repeated. `sbatch` reads its
    /// environment variables, such as SBATCH_PARTITION and SBATCH_TIMELIMIT, too. With
    /// --sbatch-option=--cpus-per-task=N, each subject uses N processors [default: 1]
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    sbatch_option: Vec<String>,
    /// Run all subjects, also those that an earlier run has compared and that have not changed
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    progress: ProgressArgs,
    /// Options of `psychic diff`, for every subject
    #[arg(last = true, value_name = "OPTIONS OF DIFF")]
    options: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what changed from one campaign to another, pair by pair, contradictions first
    Compare {
        /// Directory of a campaign, or its campaign.csv
        old: PathBuf,
        /// Directory of the other one
        new: PathBuf,
    },
    /// Run one subject of a campaign: what the tasks of a job array do
    #[command(hide = true)]
    SlurmTask {
        /// Directory of the campaign
        campaign: PathBuf,
        /// Place of the array's first task among all
        first: usize,
    },
}

pub(super) fn run(args: &CampaignArgs) -> anyhow::Result<u8> {
    let psychic = || env::current_exe().context("finding this executable");
    match &args.command {
        Some(Command::Compare { old, new }) => return compare([old, new]),
        Some(Command::SlurmTask { campaign, first }) => {
            campaign::run_task(campaign, *first, &psychic()?, &interrupt::listen())?;
            return Ok(SUCCESS);
        }
        None => {}
    }
    let mut progress = Progress::new(args.progress);
    let campaign = Campaign::read(&args.subjects)?;
    check(&campaign, &args.options)?;
    match args.jobs {
        _ if args.slurm => campaign::slurm_is_here()?,
        Some(jobs) if jobs.get() > MOST_JOBS => {
            bail!("--jobs {jobs}: without --slurm, at most {MOST_JOBS}")
        }
        _ => {}
    }
    let place = CampaignDir::claim(&args.out)?;
    let interrupt = interrupt::listen();
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        psychic: psychic()?,
        machine: match args.slurm {
            true => Machine::Slurm(Slurm {
                at_once: args.jobs.map(usize::from),
                options: args.sbatch_option.clone(),
            }),
            false => Machine::Here { jobs: args.jobs.map_or_else(processors, usize::from) },
        },
        options: args.options.clone(),
        again: args.again,
        interrupt: interrupt.clone(),
    };
    let all = campaign.members.len();
    let (mut done, mut running, mut waiting) = (0, Vec::new(), String::new());
    let rows = campaign::run(&campaign, &place, &options, &mut |event| {
        match event {
            Event::Begun(member) => running.push(member.name.clone()),
            Event::Known(row) => {
                done += 1;
                progress.stage(&format!("{done} of {all}  {} (known)", line(row)));
            }
            Event::Done(row) => {
                done += 1;
                running.retain(|name| *name != row.name);
                progress.stage(&format!("{done} of {all}  {}", line(row)));
            }
            Event::Waiting(0, _) => waiting.clear(),
            Event::Waiting(count, reason) => waiting = format!(", {count} in the queue ({reason})"),
            Event::Note(text) => progress.stage(text),
        }
        progress
            .update(|| format!("{done} of {all} subjects, running: {}{waiting}", some(&running)));
    });
    drop(progress);
    let rows = rows.map_err(|error| match error {
        CampaignError::Results(error) => anyhow::Error::from(error)
            .context("with --again, the table of an earlier run is not read"),
        other => other.into(),
    })?;
    say::line(&conclusion(&rows, all))?;
    say::line(&format!("files: {}", place.path().display()))?;
    Ok(match rows.iter().all(|row| row.ended == Ended::Decided) {
        _ if interrupt.is_set() => INTERRUPTED,
        true => SUCCESS,
        false => UNDECIDED,
    })
}

/// Checks the options for `psychic diff`, which are the same for all subjects.
fn check(campaign: &Campaign, more: &[String]) -> anyhow::Result<()> {
    let words = ["diff", "SUBJECT", "--out", "DIR", "--jobs", "1", "--resume"];
    let given = campaign.options.iter().chain(more).map(String::as_str);
    let diff = DiffArgs::augment_args(clap::Command::new("diff"));
    match diff.try_get_matches_from(words.into_iter().chain(given)) {
        Ok(matches) if matches.get_many::<PathBuf>("subject").is_some_and(|all| all.len() == 1) => {
            Ok(())
        }
        Ok(_) => bail!("the options of diff name a subject, too: {more:?}"),
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            bail!("the options of diff: {}", first.trim_start_matches("error: "))
        }
    }
}

/// The first of the names.
fn some(names: &[String]) -> String {
    match names.len() {
        0..=SHOWN => names.join(", "),
        all => format!("{} and {} more", names[..SHOWN].join(", "), all - SHOWN),
    }
}

/// A subject that is done, in a line.
fn line(row: &CampaignRow) -> String {
    let name = &row.name;
    let Some(summary) = row.summary.as_ref().filter(|_| row.ended.is_final()) else {
        let reason = row.reason.lines().next().unwrap_or_default();
        let separator = if reason.is_empty() { "" } else { ": " };
        return format!("{name}: {}{separator}{reason}", row.ended);
    };
    let SummaryRow { distinguished, equivalent, equivalent_unless_failing, .. } = summary;
    let mut pairs = format!("{distinguished} told apart, {equivalent} equivalent");
    if *equivalent_unless_failing > 0 {
        pairs.push_str(&format!(", {equivalent_unless_failing} unless failing"));
    }
    format!(
        "{name}: {}, {}, height {}; {pairs}, {} unknown; {:.1} s",
        say::count(summary.revisions, "revision"),
        say::count(summary.classes, "class"),
        summary.height,
        summary.unknown,
        summary.seconds
    )
}

/// The figures over all subjects.
fn conclusion(rows: &[CampaignRow], all: usize) -> String {
    let of = |ended: Ended| rows.iter().filter(|row| row.ended == ended).count();
    let known = || rows.iter().filter_map(|row| row.summary.as_ref());
    let middle = |value: fn(&SummaryRow) -> f64| median(known().map(value));
    let mut text = format!("{}: {} decided", say::count(all as u64, "subject"), of(Ended::Decided));
    for ended in [Ended::Undecided, Ended::Failed, Ended::Interrupted] {
        if of(ended) > 0 {
            text.push_str(&format!(", {} {ended}", of(ended)));
        }
    }
    if rows.len() < all {
        text.push_str(&format!(", {} not begun", all - rows.len()));
    }
    if let (Some(classes), Some(height), Some(seconds)) = (
        middle(|row| row.classes.into()),
        middle(|row| row.height.into()),
        middle(|row| row.seconds),
    ) {
        text.push_str(&format!("; medians: {classes} classes, height {height}, {seconds:.1} s"));
    }
    text
}

fn compare(places: [&PathBuf; 2]) -> anyhow::Result<u8> {
    let is_other = |place: &&&PathBuf| place.is_dir() && !place.join(CampaignRow::FILE).is_file();
    if let Some(other) = places.iter().find(is_other) {
        let table = CampaignRow::FILE;
        bail!("{}: no {table} there; name the directory of a campaign", other.display());
    }
    let [old, new] = [Side::read(places[0])?, Side::read(places[1])?];
    let comparison = campaign::compare(&old, &new);
    let of = |kind: Kind| comparison.pairs.iter().filter(move |change| change.kind() == kind);
    for change in of(Kind::Contradiction) {
        say::line(&format!("contradiction in {change}"))?;
    }
    for change in &comparison.changes {
        say::line(&change.to_string())?;
    }
    for kind in [Kind::Lost, Kind::Progress, Kind::Other] {
        of(kind).try_for_each(|change| say::line(&change.to_string()))?;
    }
    let ratio = comparison.ratio.map(|ratio| format!("; median of new time over old: {ratio:.2}"));
    say::line(&format!(
        "{} in both, {} changed; {} in one{}",
        say::count(comparison.common as u64, "subject"),
        comparison.changes.len() - comparison.single,
        comparison.single,
        ratio.unwrap_or_default()
    ))?;
    let mut text = format!(
        "{} in both: {}, {} decided now, {} not any more, {} changed otherwise",
        say::count(comparison.common_pairs as u64, "pair"),
        say::count(of(Kind::Contradiction).count() as u64, "contradiction"),
        of(Kind::Progress).count(),
        of(Kind::Lost).count(),
        of(Kind::Other).count()
    );
    if !comparison.without_pairs.is_empty() {
        let names = some(&comparison.without_pairs);
        text.push_str(&format!("; no pairs.csv and revisions.csv in both for {names}"));
    }
    say::line(&text)?;
    Ok(if comparison.is_same() { SUCCESS } else { UNDECIDED })
}
