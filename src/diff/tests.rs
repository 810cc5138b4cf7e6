//! Verdicts on halt states made by hand: two revisions that exit alike below 5 and from 5 on.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use super::{differ::*, proof::Refutations, *};
use crate::{
    env::{Halt, Incomplete, NamedOutput, libc::stdin::Stdin, models::Models},
    exec::{Arguments, Clock, ForkKind, HaltState, Program, Start, abandon},
    explore::Exhausted,
    expr::ExprId,
    interrupt::Interrupt,
    ir::{FileId, Function, Inst, Module, SourceLine},
    memory::Byte,
    replay::{Outcome, TestInput},
    solver::SolverConfig,
    subject::{OpenClasses, Revision, RevisionSet, Times, config::OutputsConfig},
};

static NEVER: LazyLock<Interrupt> = LazyLock::new(Interrupt::default);

fn one_thread() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread")
}

/// A replay that runs nothing: nobody may ask for a native run.
struct NoRuns;

impl Replay for NoRuns {
    fn outcomes(
        &self,
        _: &TestInput,
        _: &[Revision],
        _: &Expected,
    ) -> Result<Vec<Outcome>, ReplayFailed> {
        Err(ReplayFailed::Impossible("there is nothing to run".into()))
    }

    fn glance(&self, _: &TestInput, _: &[Revision]) -> Result<Vec<Outcome>, ReplayFailed> {
        // There is no hint to give.
        Err(ReplayFailed::OutOfTime)
    }
}

/// Two revisions and their halt states, without native programs.
struct Subject {
    program: Program,
    states: Vec<HaltState>,
    exhausted: Exhausted,
}

impl Subject {
    fn new() -> Self {
        let function = Function {
            name: "main".into(),
            code: vec![Inst::Return { values: [].into() }],
            places: vec![SourceLine { file: FileId(0), line: 0 }],
            counts: vec![0, 1],
            ..Function::default()
        };
        let module = Module { functions: vec![function], ..Module::default() };
        let program = Program::new(module, &Models::default());
        let both: RevisionSet = [0, 1].map(Revision).into_iter().collect();
        let start = Start {
            entry: "main".into(),
            revisions: both.clone(),
            args: vec![Arguments::Text(b"program".to_vec())],
            env: Vec::new(),
            stdin: Stdin::bytes(Vec::new()),
            files: Vec::new(),
            times: Times::default(),
        };
        let first = program.start(start).expect("it has an entry").pop().expect("one state");
        let open = OpenClasses::one(both.clone());
        let exprs = &program.exprs;
        let x = exprs.input("x", 8);
        let low = exprs.ult(x, exprs.constant(8, 5));
        let mut states = Vec::new();
        for (way, revision) in (0..).zip(both.iter()) {
            let lineage = first.lineage.child(ForkKind::Meta, way);
            // One of them has the same exit code in other terms.
            let code = if way == 0 { exprs.add(x, x) } else { exprs.mul(x, exprs.constant(8, 2)) };
            for (side, condition) in (0..).zip([low, exprs.not(low)]) {
                let mut state = abandon(&program, &first, &open, Incomplete::Time).remove(0);
                state.halt = Halt::Exit(code);
                state.revisions = [revision].into_iter().collect();
                state.path_condition = vec![condition];
                state.lineage = lineage.child(ForkKind::Input, side);
                states.push(state);
            }
        }
        let root = first.lineage.share();
        let exhausted = Exhausted::on_purpose(both.iter().map(|revision| (revision, root)));
        Self { program, states, exhausted }
    }

    fn differ(&self) -> Differ<'_> {
        Differ::new(Task {
            start: None,
            program: &self.program,
            replay: &NoRuns,
            solver: SolverConfig::default(),
            outputs: OutputsConfig::default(),
            reals: BTreeSet::new(),
            revisions: vec![Revision(0), Revision(1)],
            without_result: BTreeSet::new(),
            clock: Clock::new(None, &NEVER),
        })
    }

    /// The number of samples and what they say about revision 1: the share that changed, its
    /// bounds, and the share about which nothing is known. `dropped` has the paths of further
    /// states.
    fn share(&self, exhausted: &Exhausted, dropped: &[Vec<ExprId>]) -> (u32, [f64; 4]) {
        let mut differ = self.differ();
        for state in &self.states {
            differ.paths.push(&self.program.exprs, &state.path_condition);
        }
        differ.states.extend(self.states.iter().cloned());
        let pool = one_thread();
        let [row] = &differ.shares(exhausted, dropped, &pool)[..] else { panic!("one row") };
        assert_eq!(row.revision, Revision(1));
        let shares = [row.changed, row.changed_low, row.changed_high, row.unknown];
        (row.samples, shares.map(|share| share.expect("there are samples").0))
    }

    /// The reasons against the pair; empty if it is proved equivalent. `between` runs after the
    /// states are added and before the end.
    fn verdict(&self, between: impl FnOnce(&mut Differ<'_>)) -> Vec<Reason> {
        let mut differ = self.differ();
        let pool = one_thread();
        differ.add(self.states.clone(), &pool).expect("nothing runs");
        between(&mut differ);
        differ.finish(&self.exhausted, &pool).expect("nothing runs");
        match differ.pairs().own_verdict(Revision(0), Revision(1)) {
            PairVerdict::Equivalent | PairVerdict::EquivalentUnlessFailing => Vec::new(),
            PairVerdict::Unknown(reasons) => reasons.into_iter().cloned().collect(),
            PairVerdict::Distinguished(decided) => panic!("nothing ran, and yet {decided:?}"),
        }
    }
}

/// Revision 1 exits in another way for the inputs 1 to 4 of 256.
#[test]
fn the_share_of_changed_inputs_covers_what_is_not_known() {
    let mut subject = Subject::new();
    let exprs = &subject.program.exprs;
    let (x, three) = (exprs.input("x", 8), exprs.constant(8, 3));
    subject.states[2].halt = Halt::Exit(exprs.mul(x, three));
    let low = subject.states[0].path_condition.clone();
    let high = subject.states[1].path_condition.clone();
    assert_eq!(subject.states[2].path_condition, low);
    let all = subject.exhausted.clone();
    let of = |inputs: u32, all: u32| f64::from(inputs) / f64::from(all);
    let share = of(4, 256);
    assert_eq!(subject.share(&all, &[]), (256, [share, share, share, 0.0]));
    // Nothing says what revision 1 does from 5 on.
    let lost = subject.states.pop().expect("a state");
    assert_eq!(subject.share(&all, &[]), (256, [share, share, of(255, 256), of(251, 256)]));
    // Nothing says what the original does there, either.
    let original = subject.states.remove(1);
    let none = Exhausted::on_purpose([]);
    let dropped = [high];
    assert_eq!(subject.share(&none, &dropped), (256, [share, share, of(255, 256), of(251, 256)]));
    // If no state of the original was lost, the original assumes that there are no such inputs.
    assert_eq!(subject.share(&all, &dropped), (5, [of(4, 5), of(4, 5), of(4, 5), 0.0]));
    assert_eq!(subject.share(&all, &[]), (5, [of(4, 5), of(4, 5), of(4, 5), 0.0]));
    // Revision 1 assumes the same if it says so.
    subject.states.push(original);
    subject.states.push(HaltState { halt: Halt::Outside, ..lost });
    assert_eq!(subject.share(&all, &[]), (5, [of(4, 5), of(4, 5), of(4, 5), 0.0]));
}

#[test]
fn what_was_shown_is_equivalent() {
    assert_eq!(Subject::new().verdict(|_| {}), []);
}

#[test]
fn a_state_that_is_not_handed_on_costs_the_proof() {
    for lost in 0..4 {
        let mut subject = Subject::new();
        subject.states.remove(lost);
        assert_eq!(subject.verdict(|_| {}), [Reason::StateLost], "without state {lost}");
    }
}

#[test]
fn a_comparison_that_is_not_made_costs_the_proof() {
    let verdict = Subject::new().verdict(|differ| differ.refutations = Refutations::default());
    assert_eq!(verdict, [Reason::RefutationLost]);
}

#[test]
fn a_doubt_that_comes_late_weighs_more_than_a_proof() {
    let subject = Subject::new();
    let verdict = subject.verdict(|differ| {
        differ.pairs.doubt_pair((Revision(0), Revision(1)), Reason::Contradicted)
    });
    assert_eq!(verdict, [Reason::Contradicted]);
}

#[test]
fn before_the_end_nothing_is_proved() {
    let pairs = Pairs::new(&[Revision(0), Revision(1)]);
    let verdict = pairs.own_verdict(Revision(0), Revision(1));
    assert_eq!(verdict, PairVerdict::Unknown(vec![&Reason::NotExhausted]));
}

#[test]
fn a_panic_in_pairing_costs_the_pair() {
    let mut subject = Subject::new();
    let written = [Byte::Concrete(0), Byte::Concrete(0), Byte::Uninitialised, Byte::Uninitialised];
    // No exact state has such an output: comparing it is a bug, which panics.
    for (state, byte) in subject.states.iter_mut().zip(written) {
        let output = NamedOutput { name: "odd".into(), bytes: vec![byte] };
        state.world.outputs = Arc::new(vec![output]);
    }
    assert_eq!(subject.verdict(|_| {}), [Reason::Incomplete(Incomplete::Panic)]);
}
