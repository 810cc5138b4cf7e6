//! Shadow symbolic execution: inputs on which new revisions take another way through the code than
//! an old one (Palikareva, Kuchta and Cadar, "Shadow of a doubt: testing for divergences between
//! software versions", ICSE 2016).
//!
//! A *concolic phase* follows the path of each given test that reaches a patch, and finds where
//! other revisions may leave the old one's way there ([`exec::concolic`](crate::exec::concolic())).
//! Without tests, all paths are explored instead. A *bounded phase* explores the new revisions
//! alone behind each divergence, breadth first. Every path that it finds has an input, on which all
//! revisions run natively.
//!
//! Places in the meta program are translated to lines of the old and the new sources.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::bail;

use super::{
    beginning::beginning, merged::Merged, oracle::is_error, rows::takes_part, sources::SourceFiles,
    stage::Stage,
};
use crate::{
    diff::{self, DifferentialTest},
    exec::{
        Clock, Divergence, Divergences, HaltState, Program, Start, State, concolic, follow, touched,
    },
    explore::{ExploreConfig, Explorer, Round, Search},
    expr::Assignment,
    ir::SourceLine,
    merge,
    replay::TestInput,
    results::{DivergenceRow, Phase, Shown},
    solver,
    subject::Revision,
};

/// The greatest number of paths behind one divergence that get an input.
const MOST_PATHS: usize = 256;

/// What divergences are looked for, and how long.
#[derive(Clone, Debug)]
pub struct Shadow {
    /// The old revision.
    pub old: Revision,
    /// The new revision. If there is none, every other revision is new.
    pub new: Option<Revision>,
    /// A later revision. It says which differences were wanted.
    pub later: Option<Revision>,
    /// Whether to begin without the tests of the subject.
    pub without_tests: bool,
    /// How long to look for divergences.
    pub concolic: Duration,
    /// How long to follow paths behind divergences, all together.
    pub bounded: Duration,
}

impl Shadow {
    /// Checks that the revisions take part. If one new revision was asked for, the others are set
    /// aside; the original always takes part.
    ///
    /// # Errors
    /// There is no such revision, it was rejected, or two are the same.
    pub(super) fn choose(&self, merged: &mut Merged) -> anyhow::Result<()> {
        let named: Vec<Revision> =
            [Some(self.old), self.new, self.later].into_iter().flatten().collect();
        for (index, revision) in named.iter().enumerate() {
            takes_part(&merged.rows, *revision)?;
            if named[..index].contains(revision) {
                bail!(
                    "revision {revision} is named twice: --old, --new and --later are different ones"
                );
            }
        }
        if self.new.is_some() {
            merged.keep(&named.into_iter().chain([Revision::ORIGINAL]).collect());
        }
        if !merged.revisions.iter().any(|revision| self.is_new(*revision)) {
            bail!("there is no new revision: no patch takes part but those of --old and --later");
        }
        Ok(())
    }

    /// Whether divergences of this revision are looked for.
    fn is_new(&self, revision: Revision) -> bool {
        match self.new {
            Some(new) => revision == new,
            None => revision != self.old && Some(revision) != self.later,
        }
    }
}

/// The search for divergences of a program.
pub(super) struct Hunt<'a> {
    pub(super) shadow: &'a Shadow,
    pub(super) stage: &'a Stage,
    pub(super) program: &'a Program,
    pub(super) start: &'a Start,
    pub(super) first: &'a [State],
    /// How to explore; divergences are recorded.
    pub(super) config: &'a ExploreConfig,
    pub(super) clock: Clock<'a>,
}

/// What the new revisions do behind divergences.
#[derive(Default)]
pub(super) struct Followed {
    pub(super) paths: Vec<Behind>,
    /// The numbers of the divergences behind which not all paths were followed.
    cut: Vec<u32>,
}

/// A path behind a divergence.
pub(super) struct Behind {
    /// The number of the divergence, from 1.
    number: u32,
    phase: Phase,
    place: Option<SourceLine>,
    to: Option<[SourceLine; 2]>,
    condition: String,
    /// The end of the path.
    pub(super) state: HaltState,
}

impl Hunt<'_> {
    /// The new revisions. Each is compared with the old one alone: the branches of a third revision
    /// would divide the paths of the two.
    fn news(&self) -> Vec<Revision> {
        self.start.revisions.iter().filter(|revision| self.shadow.is_new(*revision)).collect()
    }

    /// How the old revision and a new one start.
    fn both(&self, new: Revision, start: &Start) -> Start {
        Start { revisions: [self.shadow.old, new].into_iter().collect(), ..start.clone() }
    }

    /// Finds divergences on the paths of given tests that reach a patch. Tests that reach the most
    /// places that it changes come first.
    ///
    /// # Errors
    /// No test can be followed, or none reaches a patch.
    pub(super) fn along(&self, tests: &[TestInput]) -> anyhow::Result<Vec<Divergence>> {
        let clock = self.clock.within(self.shadow.concolic);
        let (program, limits, old) = (self.program, self.config.limits, self.shadow.old);
        let mut seeds = Vec::new();
        for test in tests {
            for seed in diff::seeds(&program.exprs, self.first, [test]) {
                seeds.push((seed, beginning(program, &self.stage.subject, test)?));
            }
        }
        if seeds.is_empty() {
            bail!(
                "no test in [tests] is an input that can be followed: its arguments have to be such as \
                 [inputs] describes; --no-tests begins without tests"
            );
        }
        let (mut all, mut is_touched) = (Vec::new(), false);
        for new in self.news() {
            let count = |start: &Start, given: &Assignment| {
                let mut solver = solver::reproducible(&self.config.solver);
                touched(program, self.both(new, start), given, limits, &mut *solver, clock)
            };
            let mut counted: Vec<(usize, &Assignment)> =
                seeds.iter().map(|(seed, (start, given))| (count(start, given), seed)).collect();
            counted.retain(|(count, _)| *count > 0);
            counted.sort_by_key(|(count, _)| Reverse(*count));
            is_touched |= !counted.is_empty();
            let mut found = Divergences::default();
            for (_, seed) in counted {
                let mut solver = solver::chain(&self.config.solver);
                let first = program.start(self.both(new, self.start))?;
                for met in concolic(program, first, seed, old, limits, &mut *solver, clock) {
                    found.add(program, met);
                }
            }
            all.extend(found.iter().cloned());
        }
        if !is_touched {
            bail!(
                "no test in [tests] runs what a patch changes: add one that does, or begin without \
                 tests (--no-tests)"
            );
        }
        Ok(all)
    }

    /// Finds divergences on all paths that can be followed in time.
    pub(super) fn everywhere(&self) -> anyhow::Result<Vec<Divergence>> {
        let clock = self.clock.within(self.shadow.concolic);
        let (news, mut all) = (self.news(), Vec::new());
        for (done, new) in news.iter().enumerate() {
            let clock = share(clock, news.len() - done);
            let first = self.program.start(self.both(*new, self.start))?;
            let mut explorer = Explorer::new(self.program, self.config.clone(), first, clock)?;
            while let Round::Halted(_) = explorer.round() {}
            all.extend(explorer.divergences().iter().cloned());
        }
        Ok(all)
    }

    /// Follows the new revisions behind each divergence. The first path of a divergence belongs to
    /// the `phase` in which the divergence was found.
    pub(super) fn behind(&self, found: Vec<Divergence>, phase: Phase) -> anyhow::Result<Followed> {
        let clock = self.clock.within(self.shadow.bounded);
        let mut sources = Sources::new(self.stage, self.program);
        let is_one = |met: &Divergence| !met.is_end || !self.ends_alike(&mut sources, met);
        let divergences: Vec<Divergence> = found.into_iter().filter(is_one).collect();
        let mut followed = Followed::default();
        for (done, divergence) in divergences.iter().enumerate() {
            let clock = share(clock, divergences.len() - done);
            let condition = self.condition(divergence);
            let number = done as u32 + 1;
            let (paths, is_all) = self.paths(divergence, clock)?;
            followed.cut.extend((!is_all).then_some(number));
            for (index, state) in paths.into_iter().enumerate() {
                followed.paths.push(Behind {
                    number,
                    phase: if index == 0 { phase } else { Phase::Bounded },
                    place: divergence.place,
                    to: divergence.to,
                    condition: condition.clone(),
                    state,
                });
            }
        }
        Ok(followed)
    }

    /// The paths of the new revisions behind a divergence that can be followed in time, breadth
    /// first, and whether these are all.
    fn paths(
        &self,
        divergence: &Divergence,
        clock: Clock<'_>,
    ) -> anyhow::Result<(Vec<HaltState>, bool)> {
        let exprs = &self.program.exprs;
        let start = Start { revisions: divergence.revisions.clone(), ..self.start.clone() };
        let mut first = self.program.start(start)?;
        first.retain(|state| {
            state.path_condition.iter().all(|e| !exprs.evaluate(*e, &divergence.model).is_zero())
        });
        for state in &mut first {
            state.path_condition.clone_from(&divergence.path);
            state.model = divergence.model.clone();
        }
        let config =
            ExploreConfig { search: Search::Bfs, seeds: Vec::new(), ..self.config.clone() };
        let mut explorer = Explorer::new(self.program, config, first, clock)?;
        let mut paths: Vec<HaltState> = Vec::new();
        loop {
            match explorer.round() {
                Round::Halted(halted) => paths.extend(halted),
                Round::Exhausted => return Ok((paths, true)),
                Round::Stopped(left) => {
                    // If no path has come to its end, an input of an unfinished one has to do.
                    let needed = usize::from(paths.is_empty());
                    paths.extend(left.into_iter().take(needed));
                    return Ok((paths, false));
                }
            }
            if paths.len() > MOST_PATHS {
                paths.truncate(MOST_PATHS);
                return Ok((paths, false));
            }
        }
    }

    /// Whether the old revision ends at the same place and in the same way as the others on the
    /// input of a divergence.
    fn ends_alike(&self, sources: &mut Sources<'_>, divergence: &Divergence) -> bool {
        let others = &divergence.revisions;
        let mut revisions = others.clone();
        revisions.insert(self.shadow.old);
        let start = Start { revisions, ..self.start.clone() };
        let mut solver = solver::reproducible(&self.config.solver);
        let (limits, clock) = (self.config.limits, self.clock);
        let ends = follow(self.program, start, &divergence.model, limits, &mut *solver, clock);
        let old = self.shadow.old;
        let mut end = |revision: Revision| {
            let state = ends.iter().find(|state| state.revisions.contains(revision))?;
            let line = |place| sources.lines(place, [old, old]);
            Some((state.halt.to_string(), state.place.and_then(line)))
        };
        let of_old = end(old);
        of_old.is_some() && others.iter().all(|revision| end(revision) == of_old)
    }

    fn condition(&self, divergence: &Divergence) -> String {
        let parts = divergence.path.iter().map(|e| self.program.exprs.display(*e));
        let text = parts.collect::<Vec<_>>().join(" and ");
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", &text[..end]),
            None => text,
        }
    }
}

impl Followed {
    /// What was not looked at, in words.
    pub(super) fn bound(&self) -> Option<String> {
        let divergences = match self.cut[..] {
            [] => return None,
            [one] => format!("divergence {one}"),
            ref cut => format!("{} divergences", cut.len()),
        };
        Some(format!(
            "not every path behind {divergences} was followed: at most {MOST_PATHS} are, and in the \
             time of --bounded-budget"
        ))
    }
}

/// An equal share of the time that is left, for one of `count` steps that still follow.
fn share(clock: Clock<'_>, count: usize) -> Clock<'_> {
    clock.left().map_or(clock, |left| clock.within(left / count.max(1) as u32))
}

/// The length in characters past which a condition is cut.
const LONGEST: usize = 1000;

/// Makes the rows of `divergences.csv`, after the tests were judged, and says which lines are not
/// those of the sources.
pub(super) fn rows(
    shadow: &Shadow,
    stage: &Stage,
    program: &Program,
    behind: &[(Behind, TestInput)],
    (tests, revisions): (&[DifferentialTest], &[Revision]),
) -> (Vec<DivergenceRow>, Vec<String>) {
    let mut sources = Sources::new(stage, program);
    let by_input: BTreeMap<&TestInput, &DifferentialTest> =
        tests.iter().map(|test| (&test.input, test)).collect();
    let mut rows = Vec::new();
    for (found, input) in behind {
        let test = by_input.get(input).copied();
        for new in found.state.revisions.iter() {
            let mut lines = |place: Option<SourceLine>| {
                place.and_then(|place| sources.lines(place, [shadow.old, new]))
            };
            let (file, [old_line, new_line]) = lines(found.place).unwrap_or_default();
            let to = found.to.map(|[old, new]| [lines(Some(old)), lines(Some(new))]);
            let [old_to, new_to] = to.unwrap_or_default();
            rows.push(DivergenceRow {
                divergence: found.number,
                old: shadow.old,
                new,
                phase: found.phase,
                file,
                old_line,
                new_line,
                old_to: old_to.map(|(_, [line, _])| line),
                new_to: new_to.map(|(_, [_, line])| line),
                test: test.map(|test| test.test),
                shown: test.map_or(Shown::Unknown, |test| shown(shadow, test, revisions, new)),
                condition: found.condition.clone(),
            });
        }
    }
    let of_name = |name: &Path| {
        format!(
            "lines of {} are those of the meta program, as there are several files of that name",
            name.display()
        )
    };
    (rows, sources.files.ambiguous().into_iter().map(of_name).collect())
}

/// What a test shows about a new revision.
fn shown(shadow: &Shadow, test: &DifferentialTest, revisions: &[Revision], new: Revision) -> Shown {
    let fails = |revision: Revision| {
        let index = revisions.iter().position(|known| *known == revision);
        index.is_some_and(|index| is_error(&test.outcomes[index]))
    };
    let cluster = |revision| test.clustering.cluster(revision);
    match (cluster(shadow.old), cluster(new)) {
        (None, _) | (_, None) => Shown::Unknown,
        _ if fails(new) && !fails(shadow.old) => Shown::Regression,
        _ if fails(shadow.old) && !fails(new) => Shown::Fix,
        (old, new) if old == new => Shown::Inside,
        (_, new) => match shadow.later.map(cluster) {
            None => Shown::Output,
            Some(None) => Shown::Unknown,
            Some(later) if later == new => Shown::Expected,
            Some(_) => Shown::Unwanted,
        },
    }
}

/// The sources of revisions, for the lines of places in the meta program.
struct Sources<'a> {
    stage: &'a Stage,
    meta: PathBuf,
    candidates: merge::Candidates,
    /// The files of the meta program. Unchanged files are where the original's are.
    files: SourceFiles,
    /// For each line of a file in the meta program, the line in a revision's file.
    known: BTreeMap<(PathBuf, Revision), Option<Vec<u32>>>,
}

impl<'a> Sources<'a> {
    fn new(stage: &'a Stage, program: &Program) -> Self {
        let (meta, candidates) = (stage.results.meta(), merge::candidates(&stage.subject));
        let files = SourceFiles::new(&program.module, [meta.clone(), stage.subject.root.clone()]);
        Self { stage, meta, candidates, files, known: BTreeMap::new() }
    }

    /// The file of a place, and its line in two revisions.
    fn lines(&mut self, place: SourceLine, revisions: [Revision; 2]) -> Option<(String, [u32; 2])> {
        let file = self.files.path(place.file)?.to_owned();
        let lines = revisions.map(|revision| {
            let key = (file.clone(), revision);
            if !self.known.contains_key(&key) {
                let lines = self.lines_of(&file, revision);
                self.known.insert(key.clone(), lines);
            }
            let lines = self.known[&key].as_deref().unwrap_or_default();
            lines.get(place.line as usize - 1).copied().unwrap_or(place.line)
        });
        Some((file.display().to_string(), lines))
    }

    /// For each line of a file in the meta program, the line in the file of a revision.
    fn lines_of(&self, file: &Path, revision: Revision) -> Option<Vec<u32>> {
        let read = |path: PathBuf| Some(merge::decode(fs::read(path).ok()?));
        let original = read(self.stage.subject.root.join(file))?;
        let meta = read(self.meta.join(file)).unwrap_or_else(|| original.clone());
        let candidate = self.candidates.get(&revision).and_then(|known| known.as_ref().ok());
        let text = match candidate.and_then(|candidate| candidate.files.get(file)) {
            Some(text) => text.as_ref()?.to_string(),
            None => original,
        };
        merge::lines(&meta, revision, &text)
    }
}
