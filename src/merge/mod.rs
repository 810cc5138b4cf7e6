//! Merges candidate patches into one *meta program*, source to source.
//!
//! Every patch is applied to the original, and the two texts are compared along their syntax
//! trees. What differs becomes the arms of meta branches, as small as C's rules allow:
//!
//! * a condition, or an operand of `&&`, `||` and `!` anywhere:
//!   `+(psychic_at_1() == 2 ? !!(patched) : !!(original))`;
//! * a run of statements:
//!   `if (psychic_at_1() == 2) { patched } else { original }`;
//! * the whole body of a function, likewise;
//! * at file scope: an item that is added for all revisions, under a name of its own if necessary.
//!
//! `psychic_at_K()` returns the smallest revision of the arm that the running revision takes at
//! site K, or 0 for the original's arm; equal arms are one arm. If there are many arms, a revision
//! is asked first which half its arm is in (`psychic_at_1() < 9`), so that the way to it is short.
//! Every program that is returned has passed the *projection* check. Taking a revision's arms in
//! the emitted text gives exactly the tokens of its patched sources; for revision 0, those of the
//! original.
//!
//! The idea of higher-order branches on the revision is the Psychic paper's (section "Meta
//! program"), which writes them by hand. Here, arms are found from the syntax trees, may be
//! expressions, and are shared.
//!
//! The meta program serves sharing and readers; what a revision means is defined by its own
//! compilation ([`crate::compile::unite()`]). So a patch that cannot be merged loses nothing but
//! the sharing ([`Status::Own`]). These cannot be merged: new, deleted and renamed files; changes
//! of conditional compilation; a changed macro before an `#include`; a changed declaration that
//! another file uses too; a changed head of the entry function.

mod apply;
mod candidate;
mod change;
mod check;
mod edit;
mod emit;
mod encoding;
mod error;
mod legal;
mod overlay;
mod patch;
mod pieces;
mod program;
mod project;
mod resolve;
mod scope;
mod source;
mod token;
mod wording;

#[cfg(test)]
mod tests;

use rayon::prelude::*;

pub use candidate::{Candidate, Candidates, Changes, candidates, difference, explain};
pub use check::{Role, SyntaxCheck};
pub use encoding::{decode, encode, shown};
pub use error::{MergeError, with_name};
pub use overlay::{Tree, make_way, overlay};
pub use patch::{PatchError, changed_lines, touched};
pub use pieces::{Grain, Piece, part, pieces};
pub use program::{MergedRevision, MetaFile, MetaProgram, Status, is_note};
pub use project::lines;

use crate::subject::Subject;

/// Applies a subject's patches, checks that they compile, and merges them. A patch that cannot be
/// merged is set aside with the reason in its [`MergedRevision`]; the others are merged all the
/// same.
///
/// # Errors
/// The original does not compile or uses a reserved name, no patch applies and compiles, or a file
/// cannot be accessed.
pub fn merge(subject: &Subject, check: &dyn SyntaxCheck) -> Result<MetaProgram, MergeError> {
    for file in &subject.sources {
        check.check(&subject.root, file).map_err(MergeError::Original)?;
    }
    let candidates = candidates(subject).into_par_iter().map(|(revision, candidate)| {
        let checked = candidate.and_then(|candidate| {
            // Only the build itself knows what a changed build file compiles, and how.
            if candidate.files.keys().all(|file| check.role(file) != Role::Build) {
                candidate::validate(subject, check, &candidate)?;
            }
            // A build may use such a file in ways of its own.
            if let Some(file) = candidate.left_out.iter().find(|file| check.needs(file)) {
                return Err(format!(
                    "{} is binary, and the build may use it: a binary file cannot be patched",
                    file.display()
                ));
            }
            Ok(candidate)
        });
        (revision, checked)
    });
    merge_candidates(subject, candidates.collect(), check)
}

/// Merges patches that are known to compile.
///
/// # Errors
/// There is no such patch, the original uses a reserved name, or a file cannot be accessed.
pub fn merge_candidates(
    subject: &Subject,
    candidates: Candidates,
    check: &dyn SyntaxCheck,
) -> Result<MetaProgram, MergeError> {
    program::Merger::new(subject, check, candidates)?.run()
}
