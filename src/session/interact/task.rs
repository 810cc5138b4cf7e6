//! The search for interactions of the changes of a patch: what is prepared before the revisions are
//! compared, and what follows from the tests.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, bail};
use tempfile::TempDir;

use super::{
    errors::{Shown, critical, isolated, order},
    exact::{Subset, interacting},
    flow::Flow,
    graph::{Graph, Node},
    lines::Lines,
    question::{Interact, few_enough, names, patch_of, right},
    subsets::{self, MOST_CHANGES, MOST_SUBSETS, members},
};
use crate::{
    diff::{Differ, DifferentialTest},
    exec::{Clock, Program, trace},
    explore::Search,
    interrupt::Interrupt,
    merge::{self, Piece},
    replay::{TestInput, Visible},
    report::Interaction,
    results::{
        ChangeRow, CriticalRow, CsgRow, FoundBy, InteractionRow, Introduced, SequenceRow,
        SubsetRow, TestId,
    },
    session::{
        beginning::beginning, observer::Observer, options::SearchOptions, oracle::is_error,
        sources::SourceFiles, stage::Stage,
    },
    solver,
    subject::{Form, Patch, Revision, Subject},
};

/// The greatest number of tests that are made for paths of one sequence of changes.
const MOST_OF_SEQUENCE: usize = 32;
/// The greatest number of tests that are made for paths.
const MOST_OF_PATHS: usize = 512;
/// The greatest number of lines of a run that are followed.
const LINES: usize = 100_000;

/// The changes of a patch and its patched program, on its own.
pub(crate) struct Task {
    /// The subject whose patches are the subsets of the changes.
    subject: Subject,
    pieces: Vec<Piece>,
    names: Vec<String>,
    subsets: BTreeMap<Revision, Subset>,
    patched: Revision,
    program: Program,
    files: SourceFiles,
    graph: Graph,
    texts: BTreeMap<String, String>,
    csg: Vec<CsgRow>,
    /// Where the subsets are, as diffs.
    _scratch: TempDir,
}

impl Task {
    /// Splits a patch of a stage's subject into its changes, compiles it, and makes its change
    /// sequence graph and the subsets.
    ///
    /// # Errors
    /// There is no such patch, it was set aside, or it has one change only or too many.
    pub(crate) fn new(
        stage: &Stage,
        interact: &Interact,
        observer: &mut dyn Observer,
    ) -> anyhow::Result<Self> {
        let subject = &stage.subject;
        let patch = patch_of(subject, interact.patch)?;
        if subject.is_meta() || subject.is_bitcode() {
            bail!("{}: only patches of C files are split into changes", subject.dir.display());
        }
        let set_aside = || format!("patch {} ({}) is set aside", patch.revision, patch.name);
        let candidate = match merge::candidates(subject).remove(&patch.revision) {
            Some(candidate) => candidate.map_err(anyhow::Error::msg).with_context(set_aside)?,
            None => bail!("there is no patch {}", patch.revision),
        };
        let pieces =
            merge::pieces(subject, &candidate, interact.grain).map_err(anyhow::Error::msg)?;
        few_enough(patch, &pieces, interact.grain)?;
        let scratch = tempfile::tempdir().context("a temporary directory")?;
        let directory = fs::canonicalize(scratch.path())?;
        let build = directory.join("build");
        fs::create_dir(&build)?;
        let [_, alone] = stage
            .alone([Revision::ORIGINAL, patch.revision], &build, observer)
            .with_context(set_aside)?;
        let names = names(&pieces);
        let options = SearchOptions::default();
        let mut program = Program::new(alone.module, &options.models()?.with_terms());
        program.uninitialised = subject.config.uninitialised;
        let name = &subject.config.entry;
        let entry = program.module.function(name).with_context(|| format!("there is no {name}"))?;
        let files = SourceFiles::new(&program.module, [alone.sources]);
        let lines = Lines { files: &files, pieces: &pieces };
        let flow = Flow::new(&program.module, entry);
        let graph = Graph::new(&flow, entry, pieces.len(), &|line| lines.change(line));
        let node = |node: Node| lines.node(node, &names);
        let csg: Vec<CsgRow> = graph
            .edges
            .iter()
            .map(|(from, to)| CsgRow {
                from: node(*from),
                from_kind: from.kind(),
                to: node(*to),
                to_kind: to.kind(),
                depends: list(graph.depends.get(to).into_iter().flatten().copied(), &names),
            })
            .collect();
        let texts =
            graph.depends.keys().filter_map(|of| Some((node(*of), lines.text(*of)?))).collect();
        let is_placed = |index| graph.depends.contains_key(&Node::Change(index));
        let after = graph.after(pieces.len());
        let chosen = subsets::chosen(pieces.len(), &after, is_placed);
        let mut patches = Vec::new();
        for (number, subset) in (1..).zip(&chosen) {
            let name = format!("subsets/{}.diff", subsets::name(*subset, &names));
            let text = subsets::diff(subject, &candidate, &pieces, *subset);
            let path = directory.join(format!("{number}.diff"));
            fs::write(&path, merge::encode(&text.map_err(anyhow::Error::msg)?))?;
            patches.push(Patch { revision: Revision(number), form: Form::Diff, name, path });
        }
        let of_subsets = (1..).map(Revision).zip(chosen.iter().copied());
        let subsets: BTreeMap<Revision, Subset> =
            of_subsets.chain([(Revision::ORIGINAL, 0)]).collect();
        let patched = Revision(chosen.len() as u32);
        let mut made = Subject { patches, labels: BTreeMap::new(), ..stage.unprepared() };
        made.reference = right(&mut made, subject, interact, patched)?;
        Ok(Self {
            subject: made,
            pieces,
            names,
            subsets,
            patched,
            program,
            files,
            graph,
            texts,
            csg,
            _scratch: scratch,
        })
    }

    /// The subject whose patches are the subsets.
    pub(crate) fn subject(&self) -> Subject {
        self.subject.clone()
    }

    /// The revision that has all changes.
    pub(crate) fn patched(&self) -> Revision {
        self.patched
    }

    /// Runs an input of every path of the patched program that was explored, up to a number for
    /// each sequence of changes.
    pub(crate) fn cover(&self, differ: &mut Differ<'_>, clock: Clock<'_>) -> anyhow::Result<()> {
        let mut inputs: BTreeMap<TestInput, Vec<usize>> = BTreeMap::new();
        let mut of_sequence: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for state in differ.states() {
            if clock.is_over() || inputs.len() >= MOST_OF_PATHS {
                break;
            }
            if !state.revisions.contains(self.patched) {
                continue;
            }
            let Some(input) = differ.input_of(state) else { continue };
            if inputs.contains_key(&input) {
                continue;
            }
            let sequence = order(&self.trace(&input, clock)?);
            let count = of_sequence.entry(sequence.clone()).or_default();
            if *count < MOST_OF_SEQUENCE {
                *count += 1;
                inputs.insert(input, sequence);
            }
        }
        for input in inputs.into_keys() {
            if clock.is_over() {
                break;
            }
            differ.seed(input, FoundBy::Sequence)?;
        }
        Ok(())
    }

    /// The changes that the patched program runs on an input, one after the other.
    fn trace(&self, input: &TestInput, clock: Clock<'_>) -> anyhow::Result<Vec<usize>> {
        let config = SearchOptions::default().config(Search::Dfs, &self.subject.config.budget);
        let (start, given) = beginning(&self.program, &self.subject, input)?;
        let mut solver = solver::reproducible(&config.solver);
        let ran = trace(&self.program, start, &given, config.limits, &mut *solver, clock, LINES);
        let lines = self.lines();
        let mut changes: Vec<usize> =
            ran.into_iter().filter_map(|line| lines.change(line)).collect();
        changes.dedup();
        Ok(changes)
    }

    fn lines(&self) -> Lines<'_> {
        Lines { files: &self.files, pieces: &self.pieces }
    }

    /// What the tests show. `right` says whether outcomes are right, where that is known, by test
    /// and cluster.
    pub(crate) fn found(
        &self,
        tests: &[DifferentialTest],
        revisions: &[Revision],
        right: &BTreeMap<(TestId, Revision), bool>,
    ) -> anyhow::Result<Interaction> {
        let interrupt = Interrupt::default();
        let clock = Clock::new(None, &interrupt);
        let (mut interactions, mut all) = (Vec::new(), Vec::new());
        for test in tests {
            let trace = self.trace(&test.input, clock)?;
            let sequence = order(&trace);
            for (subset, outputs) in self.interacting(test, revisions) {
                interactions.push(InteractionRow {
                    test: test.test,
                    changes: self.list(members(subset)),
                    outputs: outputs.into_iter().collect(),
                    potential: self.graph.may_interact(&members(subset).collect()),
                    sequence: self.list(sequence.iter().copied()),
                });
            }
            all.push(self.shown(test, trace, revisions, right));
        }
        let (critical, isolated) = (critical(&all), isolated(&all));
        let sequences = all.iter().map(|shown| SequenceRow {
            test: shown.test,
            sequence: self.list(order(&shown.trace).into_iter()),
            differs: shown.differs,
            error: shown.error,
            critical: critical.iter().any(|critical| shown.runs(&critical.sequence)),
            isolated: isolated.contains(&shown.test),
        });
        let row = |(revision, subset): (&Revision, &Subset)| SubsetRow {
            revision: *revision,
            changes: self.list(members(*subset)),
        };
        Ok(Interaction {
            changes: self.changes(revisions),
            subsets: self.subsets.iter().map(row).collect(),
            graph: self.csg.clone(),
            texts: self.texts.clone(),
            interactions,
            sequences: sequences.collect(),
            critical: critical
                .iter()
                .map(|critical| CriticalRow {
                    sequence: self.list(critical.sequence.iter().copied()),
                    error: critical.error,
                    test: critical.test,
                    tests: critical.tests,
                    errors: critical.errors,
                })
                .collect(),
            bounds: self.bounds(),
            reference: self.subject.reference,
        })
    }

    /// Which changes interact on a test.
    fn interacting(
        &self,
        test: &DifferentialTest,
        revisions: &[Revision],
    ) -> Vec<(Subset, BTreeSet<String>)> {
        let visible: BTreeMap<Revision, Visible> = revisions
            .iter()
            .zip(&test.outcomes)
            .filter(|(revision, _)| test.clustering.cluster(**revision) == Some(**revision))
            .map(|(revision, outcome)| (*revision, outcome.visible(&self.subject.config.outputs)))
            .collect();
        // All revisions in a cluster do the same.
        let outcome = |(revision, subset): (&Revision, &Subset)| {
            let cluster = test.clustering.cluster(*revision)?;
            Some((*subset, visible.get(&cluster)?))
        };
        interacting(&self.subsets.iter().filter_map(outcome).collect())
    }

    fn shown(
        &self,
        test: &DifferentialTest,
        trace: Vec<usize>,
        revisions: &[Revision],
        right: &BTreeMap<(TestId, Revision), bool>,
    ) -> Shown {
        let cluster = |revision| test.clustering.cluster(revision);
        let is_right = |of: Revision| {
            let known = right.get(&(test.test, of)).copied();
            let as_reference = |reference| Some(cluster(reference)? == of);
            let fails = || {
                let index = revisions.iter().position(|revision| *revision == of);
                index.is_some_and(|index| is_error(&test.outcomes[index]))
            };
            // If nothing else says what is right, an error is wrong. If the reference has no
            // outcome, nothing is known.
            known.or_else(|| match self.subject.reference {
                Some(reference) => as_reference(reference),
                None => Some(!fails()),
            })
        };
        let [old, new] = [Revision::ORIGINAL, self.patched].map(cluster);
        let (differs, error) = match (old, new) {
            (Some(old), Some(new)) if old != new => {
                let error = match (is_right(old), is_right(new)) {
                    (Some(true), Some(false)) => Some(Introduced::Regression),
                    (Some(false), Some(false)) => Some(Introduced::Differential),
                    _ => None,
                };
                (true, error)
            }
            _ => (false, None),
        };
        Shown { test: test.test, trace, differs, error }
    }

    fn changes(&self, revisions: &[Revision]) -> Vec<ChangeRow> {
        let parts: Vec<Subset> = self
            .subsets
            .iter()
            .filter(|(revision, _)| revisions.contains(revision))
            .map(|(_, subset)| *subset)
            .collect();
        let row = |(index, piece): (usize, &Piece)| {
            let own: Subset = 1 << index;
            let with = parts.iter().copied().filter(|subset| subset & own != 0);
            let needed = with.reduce(|a, b| a & b).unwrap_or(0) & !own;
            let line = |range: &std::ops::Range<usize>| {
                (range.start + usize::from(!range.is_empty())) as u32
            };
            ChangeRow {
                change: self.names[index].clone(),
                file: piece.file.display().to_string(),
                old_line: line(&piece.old),
                old_lines: piece.old.len() as u32,
                new_line: line(&piece.new),
                new_lines: piece.new.len() as u32,
                needs: self.list(members(needed)),
            }
        };
        self.pieces.iter().enumerate().map(row).collect()
    }

    fn list(&self, changes: impl Iterator<Item = usize>) -> Vec<String> {
        list(changes, &self.names)
    }

    /// What is left out: subsets that are no revisions, and files that cannot be told apart.
    fn bounds(&self) -> Vec<String> {
        let subsets = (self.names.len() > MOST_CHANGES).then(|| {
            format!(
                "of {} changes, the {} subsets that are revisions have changes that lie on one way of \
                 the change sequence graph, the smallest first, up to {MOST_SUBSETS}; with all changes, \
                 and all but one",
                self.names.len(),
                self.subsets.len()
            )
        });
        let of_name = |name: &Path| {
            format!(
                "changes of {} are not seen to run, as there are several files of that name",
                name.display()
            )
        };
        subsets.into_iter().chain(self.files.ambiguous().into_iter().map(of_name)).collect()
    }
}

fn list(changes: impl Iterator<Item = usize>, names: &[String]) -> Vec<String> {
    changes.map(|index| names[index].clone()).collect()
}
