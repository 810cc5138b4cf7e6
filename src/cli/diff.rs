//! `psychic diff SUBJECT` and `psychic diff ORIGINAL CANDIDATE...`: explore, pair and replay
//! interleaved, then cluster, tree, report.

use std::{io::IsTerminal, path::PathBuf};

use anyhow::ensure;
use clap::{Args, ValueEnum};

use super::{
    args::{SearchArgs, results_of, results_of_file},
    conclusion::conclusion,
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    interrupt,
    progress::{Progress, ProgressArgs},
    ranges, say,
};
use crate::{
    interrupt::Interrupt,
    report::TextStyle,
    results::{Code, StatsRow},
    session::{Error, Findings, Options, Session, Sharing, Until},
    subject::{Subject, SubjectError},
};

#[derive(Args, Debug)]
#[command(override_usage = "psychic diff [OPTIONS] <SUBJECT>\n       \
                            psychic diff [OPTIONS] <ORIGINAL> <CANDIDATE>...")]
pub(super) struct DiffArgs {
    /// Directory with a subject.toml; or an original C file and its candidates: C files, or diffs
    #[arg(required = true, value_name = "SUBJECT")]
    subject: Vec<PathBuf>,
    /// Function to compare, for files [default: main]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where results go [default: results/NAME beside the subject's patches/; for files, below the
    /// current directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Begin with the tests that an earlier, interrupted run left in the results
    #[arg(long)]
    resume: bool,
    /// Write every query that a verdict rests on here, as SMT-LIB 2 files with their answers
    #[arg(long, value_name = "DIR")]
    emit_smt2: Option<PathBuf>,
    /// Show where time and paths went, and when pairs were told apart: what is in stats.csv
    #[arg(long)]
    stats: bool,
    /// Print results.json in place of the tree
    #[arg(long, conflicts_with = "stats")]
    json: bool,
    /// Follow paths also where no patch can make a difference any more, as is done anyway where
    /// the program has no build of its own
    #[arg(long)]
    all_paths: bool,
    /// Let revisions and inputs that parted stay apart, also where their ways meet again
    #[arg(long)]
    no_join: bool,
    /// Whether what revisions have in common is run once for all of them
    #[arg(long, value_enum, default_value_t = SharingArg::Full, value_name = "WHICH")]
    sharing: SharingArg,
    /// What to follow paths for [default: pairs for two revisions or a program with a build of its
    /// own; else trees, and pairs once that has taken long]
    #[arg(long, value_enum, value_name = "WHAT")]
    until: Option<UntilArg>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// [`Until`].
#[derive(Clone, Copy, Debug, ValueEnum)]
enum UntilArg {
    /// Pairs that no test has told apart yet.
    Pairs,
    /// Every way in which inputs cluster the revisions, for the lowest tree.
    Trees,
}

/// [`Sharing`].
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SharingArg {
    /// Whatever they have in common.
    Full,
    /// Nothing: each revision is explored on its own, and only paired with the others.
    None,
}

pub(super) fn run(args: &DiffArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let interrupt = interrupt::listen_while_building();
    args.search.prepare()?;
    let (subject, out) = match open(args, &interrupt) {
        Err(error) if interrupt.is_set() && is_obtaining(&error) => return Ok(INTERRUPTED),
        opened => opened?,
    };
    let could_be_whole = subject.could_be_whole();
    let options = Options {
        search: args.search.options(interrupt),
        out: Some(out.clone()),
        resume: args.resume,
        queries: args.emit_smt2.clone(),
        all_paths: args.all_paths,
        apart: args.no_join,
        sharing: match args.sharing {
            SharingArg::Full => Sharing::Full,
            SharingArg::None => Sharing::None,
        },
        until: args.until.map(|until| match until {
            UntilArg::Pairs => Until::Pairs,
            UntilArg::Trees => Until::Trees,
        }),
    };
    let found = Session::new(subject, options).and_then(|session| session.diff(&mut progress));
    drop(progress);
    let findings = match found {
        Ok(findings) => findings,
        Err(Error::Interrupted) => return Ok(INTERRUPTED),
        Err(Error::Failed(error)) => return Err(error),
    };
    if args.json {
        say::line(findings.report().document().to_json().trim_end())?;
        return Ok(code(&findings));
    }
    let style = TextStyle { colour: std::io::stdout().is_terminal(), ..TextStyle::default() };
    say::line(findings.report().terminal(style).trim_end_matches('\n'))?;
    // Where regions are missing, those that are known may not be the ranges that they seem.
    if findings.complete {
        for line in ranges::table(findings.report()) {
            say::line(&line)?;
        }
    }
    say::line(&conclusion(&findings, &out))?;
    if args.stats {
        for StatsRow { phase, count, seconds, .. } in &findings.report().stats {
            say::line(&format!("{phase:<32} {count:>12} {seconds:>10.3} s"))?;
        }
    }
    if !findings.recorded
        && let Some(directory) = &args.emit_smt2
    {
        say::line(&format!("not every query could be written to {}", directory.display()))?;
    }
    if could_be_whole && lacks_function(&findings) {
        say::line(RUN_WHOLE)?;
    }
    if !findings.interrupted && lacks_time(&findings) {
        say::line(SMALLER)?;
    }
    if let Some(hint) = hint(&findings) {
        say::line(hint)?;
    }
    Ok(code(&findings))
}

/// The exit code of a run with these findings.
fn code(findings: &Findings) -> u8 {
    match findings {
        Findings { interrupted: true, .. } => INTERRUPTED,
        Findings { recorded: true, .. } if findings.is_decided() => SUCCESS,
        _ => UNDECIDED,
    }
}

/// Opens the subject, a directory or files. Returns where its results go, too.
fn open(args: &DiffArgs, interrupt: &Interrupt) -> anyhow::Result<(Subject, PathBuf)> {
    let (first, candidates) = args.subject.split_first().expect("clap wants one");
    let out = args.out.as_deref();
    if !candidates.is_empty() || first.is_file() {
        let subject = Subject::of_files(first, candidates, args.entry.as_deref())?;
        return Ok((subject, results_of_file(first, out)));
    }
    ensure!(
        args.entry.is_none() || !first.is_dir(),
        "{}: --entry is only for files; set `entry` in the subject.toml",
        first.display()
    );
    let subject = Subject::load_unless(first, interrupt)?;
    let out = results_of(&subject, out);
    Ok((subject, out))
}

/// Whether it was a command for obtaining the sources that did not come to its end.
fn is_obtaining(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(SubjectError::Obtaining(_)))
}

/// Advice for programs that call functions of the libc that are known only where it is a part of
/// the program.
const RUN_WHOLE: &str = "run whole, a program has all of its libc: see build.whole in \
                         docs/subject.md; psychic init writes a subject.toml";

/// Whether nothing is known of a pair because of a function that the engine does not know.
fn lacks_function(findings: &Findings) -> bool {
    findings.pairs().iter().any(|row| row.code.contains(&Code::UnknownFunction))
}

/// Advice for runs that are too short for their inputs.
const SMALLER: &str = "smaller inputs below [inputs] of subject.toml (such as stdin.tokens = 6 with \
                       stdin.eof = true, or shorter strings) or a longer --time-budget may decide more";

/// Whether nothing is known of a pair because the time was over.
fn lacks_time(findings: &Findings) -> bool {
    findings.pairs().iter().any(|row| row.code.contains(&Code::Time))
}

/// Advice on how to find a lower tree, if there might be one.
fn hint(findings: &Findings) -> Option<&'static str> {
    if !findings.exhausted || findings.complete {
        return None;
    }
    match findings.until {
        // No tree is lower than one question.
        Until::Pairs if findings.report().summary.height <= 1 => None,
        Until::Pairs => {
            Some("paths were followed for open pairs only: --until trees may find a lower tree")
        }
        Until::Trees | Until::Either => {
            Some("not every region of the input was visited: other tests may make a lower tree")
        }
    }
}
