//! Runs that were stopped without being proved endless.
//!
//! It is not known how such a run would have gone on. But what it had printed by then stays
//! printed: it differs from a run that ended after other text, whatever it would have done next.
//! Nothing can be said about how it compares with a run whose text begins in the same way.

use crate::{
    replay::{Outcome, Visible},
    subject::Revision,
};

/// Whether a run was stopped: it took too long or printed too much.
pub(super) fn is_stopped(outcome: &Outcome) -> bool {
    outcome.termination.is_endless() && outcome.finding.is_none()
}

/// Whether a stopped run differs from another run, however the stopped one would have gone on.
pub(super) fn departs(stopped: &Visible, other: &Visible) -> bool {
    // An endless run, too, shows only a prefix.
    let is_whole = other.termination.is_some() || other.finding.is_some();
    let texts = [(&stopped.stdout, &other.stdout), (&stopped.stderr, &other.stderr)];
    texts.into_iter().any(|texts| match texts {
        (Some(printed), Some(text)) => {
            !text.starts_with(printed) && (is_whole || !printed.starts_with(text))
        }
        _ => false,
    })
}

/// The stopped revisions that can stand in a clustering beside the `others`. Each departs from all
/// runs that show something else.
pub(super) fn apart<'v>(
    mut stopped: Vec<(Revision, &'v Visible)>,
    others: &[(Revision, &'v Visible)],
) -> Vec<(Revision, &'v Visible)> {
    stopped.retain(|(_, x)| others.iter().all(|(_, y)| x == y || departs(x, y)));
    let all = stopped.clone();
    // If one of two texts continues the other, which was cut off, the shorter one might have become
    // anything.
    stopped
        .retain(|(_, x)| all.iter().all(|(_, y)| x == y || departs(x, y) || length(y) < length(x)));
    stopped
}

fn length(visible: &Visible) -> usize {
    visible.printed().iter().sum()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::{
        errors::{ENDLESS_PREFIX, Error},
        replay::Termination,
    };

    fn shows(termination: Option<Termination>, stdout: &[u8]) -> Visible {
        Visible {
            termination,
            finding: None,
            noted: BTreeSet::new(),
            stdout: Some(stdout.to_vec()),
            stderr: None,
            outputs: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    const ENDED: Option<Termination> = Some(Termination::Exit(0));

    #[test]
    fn a_run_that_was_stopped_departs_from_what_it_cannot_become() {
        let printed = shows(None, b"1\n2\n");
        for (other, differs) in [
            (shows(ENDED, b"1\n2\n"), false),
            (shows(ENDED, b"1\n2\n3\n"), false),
            (shows(ENDED, b"1\n"), true),
            (shows(ENDED, b"1\n3\n3\n"), true),
            (shows(None, b"1\n"), false),
            (shows(None, b"1\n2\n3"), false),
            (shows(None, b"2"), true),
        ] {
            assert_eq!(departs(&printed, &other), differs, "{other:?}");
        }
        let failed = Visible { finding: Some(Error::OutOfBounds.into()), ..shows(None, b"1\n") };
        assert!(departs(&printed, &failed));
        assert!(!departs(&printed, &Visible { stdout: None, ..shows(ENDED, b"") }));
    }

    #[test]
    fn who_may_be_any_of_two_is_left_out() {
        let ended = shows(ENDED, b"done");
        let others = [(Revision(0), &ended)];
        let texts = [&b"1"[..], b"1\n2", b"1\n3", b"do", b"1\n3"].map(|text| shows(None, text));
        let stopped = (1..).map(Revision).zip(&texts).collect();
        let left: Vec<u32> = apart(stopped, &others).into_iter().map(|(r, _)| r.0).collect();
        assert_eq!(left, [2, 3, 5]);
        // Only this many bytes of an endless run are compared.
        let long = shows(None, &[b'x'; ENDLESS_PREFIX]);
        assert_eq!(apart(vec![(Revision(1), &long)], &[(Revision(2), &long)]).len(), 1);
    }
}
