//! `psychic build SUBJECT`.

use super::{SUCCESS, StageArgs, progress::Progress, say, stages};

pub(super) fn run(args: &StageArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new();
    let stage = stages::Stage::open(&args.subject, args.out.as_deref())?;
    let merged = stage.merged(&mut progress)?;
    let (built, _) = stage.build(&merged, &mut progress)?;
    say::line(&format!("{}\n{}", built.bitcode.display(), built.binaries.plain.display()))?;
    Ok(SUCCESS)
}
