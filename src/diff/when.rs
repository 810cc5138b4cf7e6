//! When do two revisions differ? A short condition over the numbers of the input, with a proof.
//!
//! Any two halt states of the two revisions are a *case*: inputs that take both paths, and the
//! condition under which the outcomes differ. Inputs are drawn from the cases, and a condition is
//! learned from them. Then the solver is asked for inputs of each case on which the condition is
//! wrong. These join the others until there are none (counterexample-guided synthesis, as in Garg
//! et al., "Learning invariants using decision trees and implication counterexamples", POPL 2016).
//!
//! A condition is exact if no case has a counterexample and the audit of `equivalent` passes: every
//! path of both revisions was followed to an end that says exactly what is seen, and the cases are
//! complete. Whatever stands in the way of that verdict also stands in the way here.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use super::{
    cases::{Case, Cases, is_over},
    differ::Differ,
    native::ReplayFailed,
    numbers::{self, Number, Signs},
    proof::{Audit, End, Refutations},
    reason::Reason,
};
use crate::{
    env::Incomplete,
    explore::Exhausted,
    expr::{Assignment, ExprId, Exprs},
    replay::TestInput,
    results::FoundBy,
    solver::{self, Query, Solver, SolverConfig, Verdict},
    subject::Revision,
    tree::{Condition, Sample, Term, learn},
};

/// The greatest number of input numbers that a condition may be over.
const NUMBERS: usize = 6;
/// The greatest number of comparisons in a condition that is worth reading.
const COMPARISONS: usize = 6;
/// The greatest number of comparisons in a condition while counterexamples still come.
const COMPARISONS_ON_THE_WAY: usize = 48;
/// The search ends after this many conditions in a row that are not worth reading.
const PATIENCE: u32 = 10;
/// The greatest number of constants by which numbers are divided to look at the remainders.
const MODULI: usize = 8;
/// The greatest number of usual values of a number, and of inputs made of such values.
const VALUES: usize = 96;
const INPUTS: usize = 600;
/// The greatest number of counterexamples in a round.
const COUNTEREXAMPLES: usize = 12;
/// The greatest number of cases whose inputs are drawn by the solver at the beginning.
const DRAWN: usize = 64;
/// The greatest number of inputs that also run natively.
const REPLAYED: usize = 16;

/// What is asked about two revisions.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// The two revisions.
    pub pair: [Revision; 2],
    /// The names of parameters that are integers, if the input consists of parameters.
    pub signs: Option<&'q Signs>,
    /// Inputs, and whether the two differed on them when they ran natively.
    pub known: &'q [(TestInput, bool)],
    /// When to stop.
    pub deadline: Option<Instant>,
}

/// When two revisions differ.
#[derive(Clone, Debug)]
pub struct When {
    /// The condition under which they differ; `None` if no short one was found.
    pub condition: Option<Condition>,
    /// The names of the numbers that the condition is over.
    pub names: Vec<String>,
    /// Whether some of the numbers are read from standard input.
    pub is_read: bool,
    /// Why it is not proved that they differ under exactly this condition; empty if it is proved.
    pub doubts: BTreeSet<String>,
    /// Whether, on some input, the two may do the same only because both fail.
    pub fails_alike: bool,
}

impl Differ<'_> {
    /// When the two revisions differ; `None` if no number of the input decides that. To be called
    /// after [`Differ::finish`]. Every path must have been followed for the pair, even after a test
    /// told the two apart.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn when(
        &mut self,
        question: Question<'_>,
        exhausted: &Exhausted,
    ) -> Result<Option<When>, ReplayFailed> {
        let mut search = Search::new(self, question);
        search.choose_numbers();
        if search.numbers.is_empty() {
            return Ok(None);
        }
        search.draw();
        let condition = search.condition();
        let [a, b] = question.pair;
        let Search { cases, settled, numbers, models, .. } = search;
        let Cases { mut doubts, fails_alike, .. } = cases;
        let bounds: Vec<_> = numbers.iter().map(Number::bounds).collect();
        let condition = condition.map(|condition| condition.within(&bounds));
        if doubts.is_empty() && condition.is_some() {
            let audit = Audit {
                ends: self.states.iter().map(End::from).collect(),
                paths: &self.paths,
                refutations: &settled,
                exhausted,
            };
            for (_, judgement) in audit.judge(&[(a.min(b), a.max(b))]) {
                doubts.extend(judgement.err().map(|reason| reason.to_string()));
            }
        }
        // A prediction about an input counts only if native runs show it, too.
        let samples = models.into_iter().rev().take(REPLAYED);
        for model in samples.filter(|_| condition.is_some()) {
            self.replay(model, FoundBy::Path)?;
        }
        doubts.extend(self.pairs.doubts(a, b).map(ToString::to_string));
        let names = numbers.iter().map(|number| number.name(&numbers)).collect();
        let is_read = numbers.iter().any(Number::is_read);
        Ok(Some(When { condition, names, is_read, doubts, fails_alike }))
    }
}

/// A search for the condition.
struct Search<'s, 'd> {
    differ: &'s Differ<'d>,
    question: Question<'s>,
    exprs: &'s Exprs,
    solver: Box<dyn Solver>,
    cases: Cases,
    /// The pairs of states for which the last condition was shown to be right.
    settled: Refutations,
    numbers: Vec<Number>,
    terms: Vec<Term>,
    landmarks: Vec<i128>,
    samples: BTreeMap<Vec<i128>, BTreeSet<bool>>,
    /// The inputs from which samples were made.
    models: Vec<Assignment>,
}

impl<'s, 'd> Search<'s, 'd> {
    fn new(differ: &'s Differ<'d>, question: Question<'s>) -> Self {
        let task = &differ.task;
        let config = SolverConfig { deadline: question.deadline, ..task.solver.clone() };
        let mut solver = solver::reproducible(&config);
        let cases = Cases::new(differ, question.pair, (&mut *solver, question.deadline));
        Self {
            differ,
            question,
            exprs: &task.program.exprs,
            solver,
            cases,
            settled: Refutations::default(),
            numbers: Vec::new(),
            terms: Vec::new(),
            landmarks: Vec::new(),
            samples: BTreeMap::new(),
            models: Vec::new(),
        }
    }

    fn is_late(&self) -> bool {
        is_over(self.question.deadline)
    }

    fn check(&mut self, path: &[ExprId], goals: &[ExprId]) -> Verdict {
        self.solver.check(self.exprs, Query { path_condition: path, goals, model: None })
    }

    /// Chooses the numbers that decide whether outcomes differ, the terms over them, and the values
    /// at which something may change.
    fn choose_numbers(&mut self) {
        let differing = self.cases.all.iter().filter(|case| !self.exprs.is_false(case.maybe));
        let roots: BTreeSet<ExprId> =
            differing.flat_map(|case| case.path.iter().copied().chain([case.maybe])).collect();
        let roots: Vec<ExprId> = roots.into_iter().collect();
        let variables: BTreeSet<_> =
            roots.iter().flat_map(|root| self.exprs.variables(*root)).copied().collect();
        let [a, b] = self.question.pair;
        let states = self.differ.states.iter();
        let states = states.filter(|s| s.revisions.contains(a) || s.revisions.contains(b));
        self.numbers = numbers::numbers(self.exprs, states, self.question.signs);
        self.numbers.retain(|number| variables.contains(&number.variable));
        if self.numbers.len() > NUMBERS {
            self.numbers.clear();
        }
        let places = 0..self.numbers.len();
        let pairs = || places.clone().flat_map(|y| (0..y).map(move |x| (x, y)));
        let moduli = numbers::moduli(self.exprs, &roots, &self.numbers);
        self.terms.extend(places.clone().map(Term::Input));
        self.terms.extend(pairs().map(|(x, y)| Term::Difference(x, y)));
        let moduli: Vec<(usize, u32)> = moduli.into_iter().take(MODULI).collect();
        self.terms.extend(moduli.iter().map(|(x, by)| Term::Divides(*x, *by)));
        self.terms.extend(moduli.iter().map(|(x, by)| Term::Remainder(*x, *by)));
        self.terms.extend(pairs().map(|(x, y)| Term::Sum(x, y)));
        let mut landmarks = numbers::constants(self.exprs, &roots);
        landmarks.insert(0);
        self.landmarks = landmarks.into_iter().collect();
        self.landmarks.sort_by_key(|mark| mark.unsigned_abs());
    }

    /// Draws inputs: usual values, and for each case some inputs on which the outcomes differ and
    /// some on which they do not.
    fn draw(&mut self) {
        for (test, differs) in self.question.known {
            let inputs: Option<Vec<i128>> = self.numbers.iter().map(|n| n.given(test)).collect();
            if let Some(inputs) = inputs {
                self.samples.entry(inputs).or_default().insert(*differs);
            }
        }
        let values: Vec<Vec<i128>> = (0..self.numbers.len()).map(|x| self.usual(x)).collect();
        for round in 0..INPUTS {
            let mut model = Assignment::default();
            for (place, (number, values)) in self.numbers.iter().zip(&values).enumerate() {
                // Each number walks through its values in steps of its own.
                let step = round * (2 * place + 1) + round / values.len() * (place + 1);
                number.give(values[step % values.len()], &mut model);
            }
            self.add(model, false);
        }
        for case in 0..self.cases.all.len().min(DRAWN) {
            let Case { path, surely, maybe, .. } = &self.cases.all[case];
            let sides = [vec![*surely], vec![self.exprs.not(*maybe)]];
            let path = path.clone();
            for side in sides {
                if !self.is_late()
                    && let Verdict::Sat(model) = self.check(&path, &side)
                {
                    self.add(model, true);
                }
            }
        }
    }

    /// Values of a number at which something may change.
    fn usual(&self, place: usize) -> Vec<i128> {
        let number = &self.numbers[place];
        let bounds = number.bounds();
        let near = |value: &i128| [value - 1, *value, value + 1];
        let of = |term: &Term| match term {
            Term::Remainder(x, by) if *x == place => Some(i128::from(*by)),
            _ => None,
        };
        let moduli: Vec<i128> = self.terms.iter().filter_map(of).collect();
        let products = moduli.iter().flat_map(|x| moduli.iter().map(move |y| x * y));
        let multiples = moduli.iter().flat_map(|by| [*by, 2 * by, 3 * by, -by, 7 * by]);
        let small = (-3..=12).chain([-100, -10, 20, 50, 100, 1000]);
        let all = self.landmarks.iter().flat_map(near).chain(multiples).chain(products);
        let all = [*bounds.start(), *bounds.end()].into_iter().chain(small).chain(all);
        let mut known = BTreeSet::new();
        let new = |value: &i128| bounds.contains(value) && known.insert(*value);
        all.filter(new).take(VALUES).collect()
    }

    /// Adds an input if a case says what happens on it. `keep` says whether it is to run natively.
    fn add(&mut self, model: Assignment, keep: bool) {
        let Some(case) = self.cases.at(&self.differ.taken(&model)) else { return };
        let Case { surely, maybe, .. } = case;
        let holds = |e: ExprId| !self.exprs.evaluate(e, &model).is_zero();
        let differs = holds(*surely);
        if !differs && holds(*maybe) {
            return;
        }
        let inputs = self.numbers.iter().map(|number| number.value(&model)).collect();
        self.samples.entry(inputs).or_default().insert(differs);
        if keep {
            self.models.push(model);
        }
    }

    /// Learns conditions until one has no counterexample.
    fn condition(&mut self) -> Option<Condition> {
        let (mut found, mut too_long) = (None, 0);
        while let Some(condition) = self.learned() {
            too_long = if condition.comparisons() > COMPARISONS { too_long + 1 } else { 0 };
            if too_long > PATIENCE {
                return None;
            }
            let counterexamples = match self.is_late() {
                true => {
                    self.cases.doubt(&Reason::Incomplete(Incomplete::Time));
                    Vec::new()
                }
                false => self.counterexamples(&condition),
            };
            found = Some(condition);
            let before = self.samples.len();
            for model in &counterexamples {
                self.add(model.clone(), true);
            }
            if self.samples.len() == before {
                if !counterexamples.is_empty() {
                    // The numbers alone do not decide: the same numbers lead to both outcomes.
                    found = None;
                }
                break;
            }
            found = None;
        }
        found.filter(|condition| condition.comparisons() <= COMPARISONS)
    }

    /// A condition that agrees with the samples; `None` if there is no short one.
    fn learned(&self) -> Option<Condition> {
        let sample = |(inputs, labels): (&Vec<i128>, &BTreeSet<bool>)| match labels.len() {
            1 => Some(Sample { inputs: inputs.clone(), label: labels.contains(&true) }),
            _ => None,
        };
        let samples: Option<Vec<Sample>> = self.samples.iter().map(sample).collect();
        let found = learn(&self.terms, &self.landmarks, &samples?)?;
        (found.comparisons() <= COMPARISONS_ON_THE_WAY).then_some(found)
    }

    /// Inputs of different cases on which a condition is wrong. If there are none, every case is
    /// settled or there is a doubt.
    fn counterexamples(&mut self, condition: &Condition) -> Vec<Assignment> {
        let holds = numbers::holds(self.exprs, &self.numbers, condition);
        let fails = self.exprs.not(holds);
        self.settled = self.cases.refutations.clone();
        let mut found = Vec::new();
        for case in 0..self.cases.all.len() {
            if found.len() >= COUNTEREXAMPLES {
                return found;
            }
            let Case { states, path, surely, maybe } = &self.cases.all[case];
            let (states, path) = (*states, path.clone());
            let sides = [vec![*surely, fails], vec![self.exprs.not(*maybe), holds]];
            let mut is_refuted = true;
            for side in sides {
                match self.check(&path, &side) {
                    Verdict::Unsat => continue,
                    Verdict::Sat(model) => {
                        let wrong = [path.clone(), side].concat();
                        found.extend(self.extremes(&wrong, &model));
                        found.push(model);
                    }
                    Verdict::Unknown(why) => self.cases.doubt(&Reason::Solver(why)),
                }
                is_refuted = false;
            }
            if is_refuted {
                self.settled.record(states.0, states.1);
            }
        }
        found
    }

    /// Inputs at the ends of ranges: they satisfy the conditions, as `model` does, and some term is
    /// as small or as large as possible.
    fn extremes(&mut self, conditions: &[ExprId], model: &Assignment) -> Vec<Assignment> {
        let mut found = Vec::new();
        let terms = self.terms.iter().copied();
        let simple = terms.filter(|term| matches!(term, Term::Input(_) | Term::Difference(..)));
        for term in simple.take(NUMBERS).collect::<Vec<_>>() {
            for is_least in [true, false] {
                found.extend(self.extreme(conditions, model, term, is_least));
            }
        }
        found
    }

    /// The input with the least or the largest value of a term, by bisection; `None` if that is
    /// `model`, or the solver does not answer.
    fn extreme(
        &mut self,
        conditions: &[ExprId],
        model: &Assignment,
        term: Term,
        is_least: bool,
    ) -> Option<Assignment> {
        let value = |model: &Assignment| {
            let inputs: Vec<i128> = self.numbers.iter().map(|n| n.value(model)).collect();
            term.value(&inputs)
        };
        let ends = |end: fn(&Number) -> i128| self.numbers.iter().map(end).collect::<Vec<_>>();
        let (low, high) = (ends(|n| *n.bounds().start()), ends(|n| *n.bounds().end()));
        let (low, high) = match term {
            Term::Difference(x, y) => (low[x] - high[y], high[x] - low[y]),
            _ => (term.value(&low), term.value(&high)),
        };
        let mut best = (value(model), None);
        let mut bound = if is_least { low } else { high };
        while best.0 != bound && !self.is_late() {
            // The extreme lies somewhere from here to `bound`.
            let middle = (best.0 + bound).div_euclid(2);
            let range = match is_least {
                true => low..=middle,
                false => middle + 1..=high,
            };
            let goal = numbers::within(self.exprs, &self.numbers, term, &range);
            let query = Query { path_condition: conditions, goals: &[goal], model: None };
            match self.solver.check(self.exprs, query) {
                Verdict::Sat(model) => {
                    let inputs: Vec<i128> = self.numbers.iter().map(|n| n.value(&model)).collect();
                    best = (term.value(&inputs), Some(model));
                }
                Verdict::Unsat => bound = if is_least { middle + 1 } else { middle },
                Verdict::Unknown(_) => return None,
            }
        }
        best.1
    }
}
