//! `psychic build SUBJECT`.

use super::{
    args::{StageArgs, open_stage},
    exit::SUCCESS,
    progress::Progress,
    say,
};

pub(super) fn run(args: &StageArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let stage = open_stage(&args.subject, args.out.as_deref(), &mut progress)?;
    let mut merged = stage.merged(&mut progress)?;
    let (built, _) = stage.build(&mut merged, &mut progress)?;
    let programs = built.binaries.plain.programs().into_iter().map(|p| p.display().to_string());
    let bitcode = built.bitcode.display().to_string();
    say::line(&std::iter::once(bitcode).chain(programs).collect::<Vec<_>>().join("\n"))?;
    Ok(SUCCESS)
}
