//! `psychic merge SUBJECT`.

use super::{SUCCESS, StageArgs, progress::Progress, stages};

pub(super) fn run(args: &StageArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let stage = stages::Stage::open(&args.subject, args.out.as_deref())?;
    let merged = stage.merge(&mut progress)?;
    println!(
        "{} of {} patches merged: {}",
        merged.revisions.len() - 1,
        merged.rows.len() - 1,
        stage.results.meta().display()
    );
    Ok(SUCCESS)
}
