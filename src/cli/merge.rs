//! `psychic merge SUBJECT`.

use super::{
    args::{StageArgs, open_stage},
    exit::SUCCESS,
    progress::Progress,
    say,
};
use crate::results::Status;

pub(super) fn run(args: &StageArgs) -> anyhow::Result<u8> {
    let mut progress = Progress::new(args.progress);
    let stage = open_stage(&args.subject, args.out.as_deref(), &mut progress)?;
    let merged = stage.merge(&mut progress)?;
    let patches = say::count(merged.rows.len() as u64 - 1, "patch");
    let of = |status| merged.rows.iter().skip(1).filter(|row| row.status == status).count();
    let own = match of(Status::Own) {
        0 => String::new(),
        own => format!(
            ", {own} compared by {} own compilation",
            if own == 1 { "its" } else { "their" }
        ),
    };
    let (merged, meta) = (of(Status::Merged), stage.results.meta());
    say::line(&format!("{merged} of {patches} merged{own}: {}", meta.display()))?;
    Ok(SUCCESS)
}
