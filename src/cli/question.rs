//! What commands share that ask another question of a subject than `psychic diff`.

use std::path::PathBuf;

use clap::Args;

use super::{
    args::{SearchArgs, results_of},
    conclusion::conclusion,
    exit::{INTERRUPTED, SUCCESS, UNDECIDED},
    interrupt,
    progress::{Progress, ProgressArgs},
    say,
};
use crate::{
    report::Report,
    session::{Error, Findings, Options, Session},
    subject::Subject,
};

#[derive(Args, Debug)]
pub(super) struct QuestionArgs {
    /// Directory with a subject.toml
    subject: PathBuf,
    /// Where results go [default: results/NAME beside the subject's patches/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    progress: ProgressArgs,
}

impl QuestionArgs {
    /// Opens the subject, asks, and prints the answer and the conclusion. Returns the exit code.
    pub(super) fn ask(
        &self,
        question: impl FnOnce(Session, &mut Progress) -> Result<Findings, Error>,
        answer: impl FnOnce(&Report) -> String,
    ) -> anyhow::Result<u8> {
        let interrupt = interrupt::listen_while_building();
        self.search.prepare()?;
        let subject = Subject::load_unless(&self.subject, &interrupt)?;
        let out = results_of(&subject, self.out.as_deref());
        let options = Options {
            search: self.search.options(interrupt),
            out: Some(out.clone()),
            ..Options::default()
        };
        let mut progress = Progress::new(self.progress);
        let session = Session::new(subject, options);
        let found = session.and_then(|session| question(session, &mut progress));
        drop(progress);
        let findings = match found {
            Ok(findings) => findings,
            Err(Error::Interrupted) => return Ok(INTERRUPTED),
            Err(Error::Failed(error)) => return Err(error),
        };
        let report = findings.report();
        say::line(answer(report).trim_end_matches('\n'))?;
        say::line(&conclusion(&findings, &out))?;
        Ok(match findings {
            Findings { interrupted: true, .. } => INTERRUPTED,
            _ if report.summary.mismatches > 0 => UNDECIDED,
            _ => SUCCESS,
        })
    }
}
