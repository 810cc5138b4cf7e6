//! Rounds of exploring, pairing and replaying.

use std::time::{Duration, Instant};

use super::{
    Until,
    findings::{write_inputs, write_tests},
    observer::{Event, Observer},
    stages::Stage,
};
use crate::{
    diff::Differ,
    exec::Clock,
    explore::{Explorer, Round, Spent},
};

/// Halt states are paired when there are as many new ones as there are already, within these bounds,
/// or after so many rounds.
const FIRST_BATCH: usize = 32;
const BATCH_STATES: usize = 2048;
const BATCH_ROUNDS: u32 = 4;
/// Rounds may take long, where the solver or a loop keeps some states busy: after this, a batch is full.
const BATCH_TIME: Duration = Duration::from_secs(1);
/// What paths are followed for beside open pairs, the clusterings of all inputs, is worth so much.
const TREE: Spent =
    Spent { paths: 4096, instructions: 2_000_000, queries: 4096, solving: Duration::from_secs(2) };
/// Of that, exploring takes this part before another way is tried to prove what is still open.
const EASY: u32 = 16;
/// But so much more of time.
const TIME: u32 = 4;
/// Before it, variants of the inputs of what was explored so far are tried, but no longer than this part of
/// the time that is left for it.
const FIRST_TRYING_PART: u32 = 6;
/// They are tried until so many in a row show nothing new: few at first, where queries take less than
/// `SLOW` on average and so soon find others.
const FEW_IN_VAIN: usize = 24;
pub(super) const MANY_IN_VAIN: usize = 160;
const SLOW: Duration = Duration::from_millis(3);
/// Results are written anew after this long.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// Runs rounds until nothing is left to explore or time is over, and hands on what halted;
/// whether every path was followed to its end, and for what in the end.
///
/// Halt states are handed on in batches: of a revision of which no state has halted yet nothing can be
/// predicted. When a batch is full depends on the exploration alone, not on time, so that the results do
/// not either, as long as rounds are short.
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
    // What a whole program does with the kernel is not summed up.
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
        // Where nothing is waiting, all is explored: the next round says so.
        let goes_on = last.is_none() && explorer.waiting() > 0;
        let turns_hard = !in_lockstep && goes_on && is_open && is_hard(explorer.spent());
        if last.is_some() || turns_hard || batch.len() >= full || is_late {
            differ.add(std::mem::take(&mut batch), explorer.pool())?;
            write_inputs(&stage.results, differ.tests())?;
            follow_open(explorer, differ, until)?;
            (rounds, paired) = (0, Instant::now());
        }
        // That there is nothing left to explore proves nothing where a path came to no good end.
        let is_vague = || differ.states().iter().any(|state| !state.is_exact());
        if last == Some(true) && !in_lockstep && differ.pairs().open() > 0 && is_vague() {
            differ.run_in_lockstep();
        }
        observer.observe(Event::Explored {
            paths: differ.states().len() + batch.len(),
            waiting: explorer.waiting(),
            tests: differ.tests().len(),
            open: differ.pairs().open(),
        });
        if turns_hard && differ.pairs().open() > 0 {
            in_lockstep = true;
            // Most patches that differ do so on usual inputs, which the next path may be far from.
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

/// Leaves out what does not matter to a pair that is open.
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

/// Whether exploring has taken long enough for a tree. Where no pair is open, nothing else is left to
/// be done.
fn is_long(spent: Spent, open: usize) -> bool {
    is_part_spent(spent, if open == 0 { 8 } else { 1 })
}

/// Whether exploring has taken long enough to try another way. Time counts for less: it is not the same on
/// any machine.
fn is_hard(spent: Spent) -> bool {
    is_part_spent(Spent { solving: spent.solving / TIME, ..spent }, EASY)
}

/// Whether exploring has taken this part of what it may for a tree.
fn is_part_spent(spent: Spent, part: u32) -> bool {
    spent.paths >= TREE.paths / u64::from(part)
        || spent.instructions >= TREE.instructions / u64::from(part)
        || spent.queries >= TREE.queries / u64::from(part)
        || spent.solving >= TREE.solving / part
}
