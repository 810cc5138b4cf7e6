//! `psychic merge SUBJECT`.

use super::{
    args::{StageArgs, open},
    exit::SUCCESS,
    progress::Progress,
    say,
};

pub(super) fn run(args: &StageArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let stage = open(&args.subject, args.out.as_deref(), &mut progress)?;
    let merged = stage.merge(&mut progress)?;
    let patches = say::count(merged.rows.len() as u64 - 1, "patch");
    let merged = merged.revisions.len() - 1;
    say::line(&format!("{merged} of {patches} merged: {}", stage.results.meta().display()))?;
    Ok(SUCCESS)
}
