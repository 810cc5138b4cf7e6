//! What is asked: which patch, what counts as one change of it, and what is right.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::{Context, bail};

use super::exact::Subset;
use crate::{
    merge::{Grain, Piece},
    subject::{Patch, Revision, Subject},
};

/// The greatest number of changes that a subset can name.
const MOST_OF_PATCH: usize = Subset::BITS as usize;

/// The changes whose interaction is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Interact {
    /// The patch whose changes these are.
    pub patch: Revision,
    /// What counts as one change.
    pub grain: Grain,
    /// A later revision, whose outcomes are right.
    pub later: Option<Revision>,
}

/// The patch with the number `patch`.
pub(super) fn patch_of(subject: &Subject, patch: Revision) -> anyhow::Result<&Patch> {
    let found = subject.patches.iter().find(|known| known.revision == patch);
    found.with_context(|| {
        format!(
            "there is no patch {patch}: {} has patches 1 to {}",
            subject.config.name,
            subject.patches.len()
        )
    })
}

/// Checks that a patch has several changes, and no more than a subset can name.
pub(super) fn few_enough(patch: &Patch, pieces: &[Piece], grain: Grain) -> anyhow::Result<()> {
    let Patch { revision, name, .. } = patch;
    match (pieces.len(), grain) {
        (0, _) => bail!("patch {revision} ({name}) changes nothing"),
        (1, Grain::Hunk) => bail!(
            "patch {revision} ({name}) has one change only, so that none can interact; --by statement \
             splits it further"
        ),
        (1, Grain::Statement) => {
            bail!("patch {revision} ({name}) has one change only, so that none can interact")
        }
        (many, Grain::Statement) if many > MOST_OF_PATCH => bail!(
            "patch {revision} ({name}) has {many} changes, more than {MOST_OF_PATCH}; --by hunk makes \
             fewer"
        ),
        (many, Grain::Hunk) if many > MOST_OF_PATCH => {
            bail!("patch {revision} ({name}) has {many} changes, more than {MOST_OF_PATCH}")
        }
        _ => Ok(()),
    }
}

/// The names of changes, as `changes.csv` has them.
pub(super) fn names(pieces: &[Piece]) -> Vec<String> {
    let files: BTreeSet<&PathBuf> = pieces.iter().map(|piece| &piece.file).collect();
    let mut names: Vec<String> = Vec::new();
    for piece in pieces {
        let line = match piece.new.is_empty() {
            true => format!("-{}", piece.old.start + 1),
            false => (piece.new.start + 1).to_string(),
        };
        names.push(match files.len() {
            1 => line,
            _ => format!("{}:{line}", piece.file.display()),
        });
    }
    names
}

/// Adds the revision whose outcomes are right to the subsets of a patch.
pub(super) fn right(
    made: &mut Subject,
    subject: &Subject,
    interact: &Interact,
    patched: Revision,
) -> anyhow::Result<Option<Revision>> {
    if let Some(later) = interact.later {
        if later == interact.patch || later == Revision::ORIGINAL {
            bail!("--later {later} has to be another patch than --patch, and not the original");
        }
        patch_of(subject, later)?;
    }
    let Some(right) = interact.later.or(subject.reference) else { return Ok(None) };
    if right == Revision::ORIGINAL {
        return Ok(Some(right));
    }
    if right == interact.patch {
        return Ok(Some(patched));
    }
    let revision = Revision(made.patches.len() as u32 + 1);
    made.patches.push(Patch { revision, ..patch_of(subject, right)?.clone() });
    Ok(Some(revision))
}
