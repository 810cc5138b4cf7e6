//! Concludes an exploration: walks the regions of the input, and makes the findings.

use std::time::{Duration, Instant};

use super::{
    bounds::unreached,
    exploration::{Exploration, Explored},
    findings::{Findings, Run, write_inputs},
    observer::{Event, Observer},
    options::Until,
    shadow,
};
use crate::diff::{RegionWalk, Regions};

/// The least time limit for walking the regions of the input if that was not asked for. The limit
/// is otherwise an eighth of the time since exploring began.
const LEAST_WALK: Duration = Duration::from_secs(1);

/// What is said about the interaction of changes if some clusterings may not have been seen.
const UNVISITED: &str = "not every way in which inputs tell the subsets apart was visited: other inputs may \
                         show further interactions";

/// What a conclusion leaves to be written.
pub(super) struct Concluded {
    pub(super) findings: Findings,
    /// Whether every test of an earlier run was run again.
    pub(super) all_judged: bool,
}

/// Walks the regions and searches for the tree. The run began at `begin`, and `building` is the time
/// that merge and build took.
pub(super) fn conclude(
    exploration: &Exploration<'_>,
    explored: Explored<'_, '_>,
    (begin, building): (Instant, Duration),
    observer: &mut dyn Observer,
) -> anyhow::Result<Concluded> {
    let Exploration { stage, merged, changes, .. } = *exploration;
    let Explored { program, shadow, mut bounds, explorer, mut differ, native, .. } = explored;
    let Explored { exhausted, until, began, clock, judging, record, .. } = explored;
    // The tests were judged again and have new numbers.
    stage.results.put_tests_aside()?;
    let walk = if exhausted && until != Until::Pairs && !clock.is_over() {
        observer.observe(Event::Walking);
        let regions = match until {
            // Every clustering was asked for.
            Until::Trees => {
                Regions { every: changes.is_some(), ..Regions::asked_for(clock.deadline()) }
            }
            Until::Pairs | Until::Either => {
                let time = (began.elapsed() / 8).max(LEAST_WALK);
                Regions::by_default(clock.within(time).deadline())
            }
        };
        differ.walk(regions)?
    } else {
        RegionWalk::default()
    };
    if !clock.is_interrupted() {
        differ.shorten_tests()?;
    }
    let shares = match clock.is_interrupted() {
        true => Vec::new(),
        false => differ.shares(&explorer.exhausted(), explorer.dropped(), explorer.pool()),
    };
    let divergences = shadow.map(|(shadow, behind)| {
        let judged = (differ.tests(), differ.revisions());
        let (rows, of_lines) = shadow::rows(shadow, stage, program, &behind, judged);
        bounds.extend(of_lines);
        rows
    });
    bounds.extend(native.without_sanitizer());
    let followed = explorer.exhausted();
    bounds.extend(unreached(program.asks(), differ.states(), &merged.revisions, &followed));
    // If time was over, some tests of an earlier run may not have been run again.
    let all_judged = native.is_in_time();
    // The search for the tree may take long; what was found must be on disk before it.
    write_inputs(&stage.results, differ.tests())?;
    let run = Run {
        stage,
        merged,
        program,
        differ: &differ,
        walk,
        shares,
        divergences,
        bounds,
        statistics: explorer.statistics(),
        exhausted,
        until,
        building,
        elapsed: begin.elapsed(),
        deadline: judging.deadline(),
    };
    let mut findings = run.findings()?;
    if let Some(task) = changes {
        let mut found =
            task.found(findings.tests(), findings.revisions(), &findings.report().right)?;
        if !findings.complete {
            found.bounds.push(UNVISITED.to_owned());
        }
        findings.report.summary.interactions = found.sets();
        findings.report.summary.critical = found.critical.len() as u32;
        findings.report.interaction = Some(found);
    }
    findings.recorded = record.is_none_or(|record| record.is_complete());
    Ok(Concluded { findings, all_judged })
}
