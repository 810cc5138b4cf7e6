//! `psychic export SUBJECT|RESULTS --as FORM`: results in the forms that other tools read.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use walkdir::WalkDir;

use super::{
    args::{compared, results_of_file, subject_or_results},
    exit::SUCCESS,
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    replay,
    report::{Document, Place, Places, junit, sarif},
    results::{ResultsDir, StateRow},
    session::{compared::unchanged, rows::takes_part, stage::Stage, suite},
    subject::{CONFIG_FILE, Revision, Subject},
};

const AFTER_HELP: &str = "\
What is expected on a test is what one revision does on it. C and pytest files need nothing of
Psychic. They skip a test on which that revision has an error that only a sanitizer shows.

Examples:
  psychic export patches/foo --as c --expected 0 > foo_tests.c
  psychic export patches/smallest --as pytest --expected 0 > test_smallest.py
  psychic export results/smallest --as junit > junit.xml
  psychic export patches/smallest --as sarif > smallest.sarif";

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct ExportArgs {
    /// A directory with a subject.toml, or the original of files that were compared without one; for
    /// junit and sarif also a results directory of `psychic diff`
    #[arg(value_name = "SUBJECT|RESULTS")]
    place: PathBuf,
    /// What to write to standard output
    #[arg(long = "as", value_name = "FORM")]
    form: Form,
    /// The revision whose outcomes are expected [default: the reference that [oracle] of subject.toml
    /// names]
    #[arg(long, value_name = "N")]
    expected: Option<Revision>,
    /// Function that was compared, for files [default: main]
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Where the results of the subject are [default: results/NAME beside the subject's patches/; for
    /// files, below the current directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    progress: ProgressArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// The tests of an entry function as a C program
    C,
    /// The tests as a Python file for pytest
    Pytest,
    /// Which revisions do what is expected on which tests, as JUnit XML
    Junit,
    /// Errors and unexpected outcomes of the patches, as SARIF 2.1.0
    Sarif,
}

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let text = match args.form {
        Form::C | Form::Pytest => tests(args, &mut progress)?,
        Form::Junit | Form::Sarif => results(args)?,
    };
    drop(progress);
    say::line(text.trim_end_matches('\n'))?;
    Ok(SUCCESS)
}

/// The tests as a file that can be run.
fn tests(args: &ExportArgs, progress: &mut Progress) -> anyhow::Result<String> {
    if !args.place.is_file() && !args.place.join(CONFIG_FILE).is_file() {
        bail!("{}: no subject, whose sources the tests compile", args.place.display());
    }
    let (subject, results) = compared(&args.place, args.entry.as_deref(), args.out.as_deref())?;
    if matches!(args.form, Form::C) && subject.config.entry == "main" {
        bail!("{} is a program: --as c is for other functions", subject.config.name);
    }
    let (document, expected) = document(args, &results)?;
    unchanged(&subject, &document, |_| true)?;
    let place = ResultsDir::claim(results.path())?;
    let mut stage = Stage::new(subject, place, &interrupt::token())?;
    stage.prepare(progress)?;
    let suite = suite(&stage, &document, expected, progress)?;
    match args.form {
        Form::C => replay::c_suite(&suite).context("no source has the function"),
        _ => Ok(replay::pytest(&suite)),
    }
}

/// The results in a form that is not run.
fn results(args: &ExportArgs) -> anyhow::Result<String> {
    let (subject, results) = match args.place.is_file() {
        true => (None, ResultsDir::open(results_of_file(&args.place, args.out.as_deref()))?),
        false => subject_or_results(&args.place, args.out.as_deref())?,
    };
    let (document, expected) = document(args, &results)?;
    if let Some(subject) = &subject {
        unchanged(subject, &document, |_| true)?;
    }
    match args.form {
        Form::Junit => Ok(junit(&document, expected)?),
        _ => Ok(sarif(&document, expected, &places(args, subject.as_ref(), &results)?)),
    }
}

/// What was found, and the revision whose outcomes are expected.
fn document(args: &ExportArgs, results: &ResultsDir) -> anyhow::Result<(Document, Revision)> {
    let document = Document::read(results.path())?;
    let expected = args.expected.or(document.reference).context(
        "it is not known whose outcomes to expect: --expected N says it (0 is the original), or \
         `reference` in [oracle] of subject.toml",
    )?;
    takes_part(document.revisions.iter().map(|entry| &entry.row), expected)?;
    Ok((document, expected))
}

/// Where the files of the results are.
fn places(
    args: &ExportArgs,
    subject: Option<&Subject>,
    results: &ResultsDir,
) -> anyhow::Result<Places> {
    let here = env::current_dir().context("the current directory")?;
    let relative = |path: PathBuf| match path.strip_prefix(&here) {
        Ok(inside) => inside.to_owned(),
        Err(_) => path,
    };
    let meta = results.meta();
    let original = match subject {
        _ if args.place.is_file() => args.place.clone(),
        Some(subject) => match subject.sources.first() {
            Some(source) => subject.root.join(source),
            None => subject.dir.join(CONFIG_FILE),
        },
        // The meta program is made of the original's files.
        None => {
            let files = WalkDir::new(&meta).sort_by_file_name().into_iter().flatten();
            let first = files.map(|entry| entry.into_path()).find(|path| path.is_file());
            first.unwrap_or_else(|| meta.clone())
        }
    };
    let mut errors: BTreeMap<_, BTreeSet<Place>> = BTreeMap::new();
    let states = results.table::<StateRow>();
    let states: Vec<StateRow> = if states.is_file() { results.read()? } else { Vec::new() };
    for state in states {
        let Some((file, line)) = state.location.rsplit_once(':') else { continue };
        let file = meta.join(Path::new(file).strip_prefix(".").unwrap_or(file.as_ref()));
        // What psychic itself has added to the program is elsewhere.
        let (true, Ok(line)) = (file.is_file(), line.parse()) else { continue };
        for revision in state.revisions.iter() {
            for error in state.findings.iter().chain([&state.halt]) {
                let place = (relative(file.clone()), line);
                errors.entry((revision, error.clone())).or_default().insert(place);
            }
        }
    }
    Ok(Places {
        original: relative(original),
        patches: match subject {
            Some(subject) => relative(subject.dir.clone()),
            None => PathBuf::new(),
        },
        errors,
    })
}
