//! The main loop of a run: rounds of exploring, pairing and replaying.

use std::time::{Duration, Instant};

use super::{
    Until,
    findings::{write_inputs, write_tests},
    observer::{Event, Observer},
    stage::Stage,
};
use crate::{
    diff::Differ,
    exec::Clock,
    explore::{Explorer, Round, Spent},
};

/// A batch of halt states is full when it has as many states as were paired before, but at least
/// this many.
const FIRST_BATCH: usize = 32;
/// The number of halt states at which a batch is always full.
const BATCH_STATES: usize = 2048;
/// The number of rounds after which a batch is paired even if it is not full.
const BATCH_ROUNDS: u32 = 4;
/// The time after which a batch is paired even if it is not full. Rounds may take long if the
/// solver or a loop keeps some states busy.
const BATCH_TIME: Duration = Duration::from_secs(1);
/// What exploring may take while it follows paths for more than open pairs: for the clusterings of
/// all inputs.
const TREE: Spent =
    Spent { paths: 4096, instructions: 2_000_000, queries: 4096, solving: Duration::from_secs(2) };
/// [`TREE`] divided by this is what exploring may take before another way is tried to prove what is
/// still open.
const EASY: u32 = 16;
/// Before it is compared with [`TREE`] divided by [`EASY`], solver time is divided by this.
const TIME: u32 = 4;
/// The time left for trying variants of known inputs, divided by this, is the time for the first
/// trial, before lockstep.
const FIRST_TRYING_PART: u32 = 6;
/// The first trial ends after this many variants in a row that show nothing new, if queries are
/// quick and so will soon find other inputs.
const FEW_IN_VAIN: usize = 24;
/// Later trials end after this many variants in a row that show nothing new. So does the first
/// trial if queries are slow.
pub(super) const MANY_IN_VAIN: usize = 160;
/// Queries are slow if they take at least this long on average.
const SLOW: Duration = Duration::from_millis(3);
/// The interval at which the tables about tests are written anew.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs rounds until nothing is left to explore or time is over, and passes halt states to
/// `differ`. Returns whether every path was followed to its end, and what paths were followed for
/// at the end.
///
/// Halt states are passed on in batches, because nothing can be predicted for a revision that has
/// no halt state yet. As long as rounds are short, the exploration alone, and not time, decides
/// when a batch is full. So the results do not depend on time either.
pub(super) fn explore_and_pair(
    explorer: &mut Explorer<'_>,
    differ: &mut Differ<'_>,
    (mut until, trying): (Until, Clock<'_>),
    stage: &Stage,
    observer: &mut dyn Observer,
) -> anyhow::Result<(bool, Until)> {
    let mut written = Instant::now();
    let mut batch = Vec::new();
    let (mut rounds, mut paired) = (0, Instant::now());
    // Lockstep does not summarise what a whole program does with the kernel, so it is not tried
    // there.
    let mut in_lockstep = stage.is_whole();
    follow_open(explorer, differ, until)?;
    loop {
        let last = match explorer.round() {
            Round::Halted(halted) => {
                batch.extend(halted);
                None
            }
            Round::Exhausted => Some(true),
            Round::Stopped(left) => {
                batch.extend(left);
                differ.try_variants(&batch, MANY_IN_VAIN, trying)?;
                if !std::mem::replace(&mut in_lockstep, true) {
                    differ.run_in_lockstep();
                }
                Some(false)
            }
        };
        rounds += 1;
        let full = differ.states().len().clamp(FIRST_BATCH, BATCH_STATES);
        let is_late = rounds >= BATCH_ROUNDS || paired.elapsed() >= BATCH_TIME;
        let is_open = differ.pairs().open() > 0;
        // If no state waits, everything is explored, and the next round reports that.
        let goes_on = last.is_none() && explorer.waiting() > 0;
        let turns_hard = !in_lockstep && goes_on && is_open && is_hard(explorer.spent());
        if last.is_some() || turns_hard || batch.len() >= full || is_late {
            differ.add(std::mem::take(&mut batch), explorer.pool())?;
            if last.is_none() {
                differ.ask_again(false, explorer.pool())?;
            }
            write_inputs(&stage.results, differ.tests())?;
            follow_open(explorer, differ, until)?;
            (rounds, paired) = (0, Instant::now());
        }
        // An exhausted exploration proves nothing about paths that were not followed exactly.
        let is_vague = || differ.states().iter().any(|state| !state.is_exact());
        let is_hard_to_pair = differ.has_put_off();
        if last == Some(true)
            && !in_lockstep
            && differ.pairs().open() > 0
            && (is_hard_to_pair || is_vague())
        {
            if is_hard_to_pair {
                differ.try_variants(&[], MANY_IN_VAIN, trying)?;
            }
            differ.run_in_lockstep();
        }
        if last.is_some() {
            differ.ask_again(true, explorer.pool())?;
        }
        observer.observe(Event::Explored {
            paths: differ.states().len() + batch.len(),
            waiting: explorer.waiting(),
            tests: differ.tests().len(),
            open: differ.pairs().open(),
        });
        if turns_hard && differ.pairs().open() > 0 {
            in_lockstep = true;
            // Most patches that differ do so on usual inputs, and the next path may be far from
            // those.
            let known = differ.states().is_empty().then(|| explorer.glimpse());
            let time = trying.left().map(|left| left / FIRST_TRYING_PART);
            let trying = time.map_or(trying, |time| trying.within(time));
            let Spent { queries, solving, .. } = explorer.spent();
            let is_slow = solving >= SLOW * queries.max(1) as u32;
            let in_vain = if is_slow { MANY_IN_VAIN } else { FEW_IN_VAIN };
            differ.try_variants(&known.unwrap_or_default(), in_vain, trying)?;
            differ.confirm(explorer.pool())?;
            differ.run_in_lockstep();
            follow_open(explorer, differ, until)?;
        }
        if let Some(exhausted) = last {
            return Ok((exhausted, until));
        }
        if until == Until::Either && is_long(explorer.spent(), differ.pairs().open()) {
            until = Until::Pairs;
            follow_open(explorer, differ, until)?;
        }
        if written.elapsed() >= WRITE_INTERVAL {
            write_tests(&stage.results, differ.tests(), differ.revisions())?;
            written = Instant::now();
        }
    }
}

/// Makes the exploration drop whatever no open pair needs, if it explores for open pairs alone.
fn follow_open(
    explorer: &mut Explorer<'_>,
    differ: &mut Differ<'_>,
    until: Until,
) -> anyhow::Result<()> {
    if until == Until::Pairs {
        differ.confirm(explorer.pool())?;
        explorer.keep(differ.leave_decided());
    }
    Ok(())
}

/// Whether exploring has taken as long as a tree is worth: all of [`TREE`], or an eighth of it if
/// no pair is open, so that nothing else is left to do.
fn is_long(spent: Spent, open: usize) -> bool {
    is_part_spent(spent, if open == 0 { 8 } else { 1 })
}

/// Whether exploring has taken long enough to try lockstep. Solver time counts for less, as it
/// differs from machine to machine.
fn is_hard(spent: Spent) -> bool {
    is_part_spent(Spent { solving: spent.solving / TIME, ..spent }, EASY)
}

/// Whether exploring has taken, by any measure, [`TREE`] divided by `part`.
fn is_part_spent(spent: Spent, part: u32) -> bool {
    spent.paths >= TREE.paths / u64::from(part)
        || spent.instructions >= TREE.instructions / u64::from(part)
        || spent.queries >= TREE.queries / u64::from(part)
        || spent.solving >= TREE.solving / part
}
