//! C programs of which the engine predicts what they do natively, by directory:
//!
//! * `concrete`: without symbolic input; compared are standard output, standard error and the exit
//!   code;
//! * `symbolic`: an input of every path behaves natively as the path predicts, and where the solver
//!   gives up, the paths that are found are right;
//! * `errors`: paths end as the comments say, and the sanitizers confirm it;
//! * `addresses`: a path is marked where it decides by an address, and nowhere else.

use std::{collections::BTreeSet, fs, path::Path};

use libtest_mimic::Trial;
use psychic::{
    env::Halt,
    solver::{self, SolverConfig, Unknown},
};

use crate::{
    entries,
    header::Header,
    machine::{Input, Subject},
    silent::Silent,
    stem, trial,
};

/// The levels of optimisation. At the last one, code is vectorised, and its place is not known.
const LEVELS: [(&str, &[&str]); 3] =
    [("O0", &[]), ("O1", &["-O1"]), ("O2", &["-O2", "-fPIE", "-fvectorize", "-fslp-vectorize"])];

/// A program of the engine's, and what it says about its test.
struct Program {
    text: String,
    header: Header,
    flags: Vec<String>,
}

impl Program {
    fn new(source: &Path, level: &[&str]) -> Self {
        let text = fs::read_to_string(source).expect("readable");
        let header = Header::of(&text);
        let directory = source.parent().expect("it is in a directory").display();
        let level = level.iter().map(|flag| (*flag).to_owned());
        let own = header.flags.iter().cloned();
        let flags = level.chain(own).chain([format!("-I{directory}")]).collect();
        Self { text, header, flags }
    }

    fn subject(&self) -> Subject {
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        Subject::with_flags(&self.text, &flags)
    }

    fn input(&self) -> Input {
        self.header.stdin.clone().unwrap_or(Input::Tokens(8, false))
    }
}

/// What is checked of the programs of a directory.
struct Check {
    directory: &'static str,
    /// What is added to the names of tests.
    name: &'static str,
    /// Whether programs are run at each level, or only without optimisation.
    levels: bool,
    /// Whether the marks and ends in the programs are compared.
    marks: bool,
    run: fn(&Program),
}

const CHECKS: [Check; 5] = [
    Check { directory: "concrete", name: "", levels: true, marks: false, run: runs_as_natively },
    Check { directory: "symbolic", name: "", levels: true, marks: false, run: replays_every_path },
    Check {
        directory: "symbolic",
        name: "::silent_solver",
        levels: false,
        marks: false,
        run: replays_what_a_silent_solver_leaves,
    },
    Check { directory: "errors", name: "", levels: false, marks: true, run: ends_as_it_says },
    Check {
        directory: "addresses",
        name: "",
        levels: true,
        marks: true,
        run: is_marked_where_it_says,
    },
];

/// One test for each program, check and level.
pub fn trials() -> impl Iterator<Item = Trial> {
    CHECKS.iter().flat_map(|check| {
        let sources = entries(&format!("cases/{}", check.directory)).into_iter();
        let sources = sources.filter(|file| file.extension().is_some_and(|e| e == "c"));
        sources.flat_map(move |source| {
            let Check { directory, name, levels, marks, run } = check;
            let all = if *levels { &LEVELS[..] } else { &LEVELS[..1] };
            let header = Program::new(&source, &[]).header;
            let wanted = |level: &str| header.levels.iter().any(|wanted| wanted == level);
            let known = header.levels.iter().all(|wanted| all.iter().any(|(l, _)| wanted == l));
            assert!(known, "{}: no such levels: {:?}", source.display(), header.levels);
            let is_marked = !header.marks.is_empty() || !header.ends.is_empty();
            assert!(*marks || !is_marked, "{}: nothing is compared", source.display());
            let levels = all.iter().filter(|(l, _)| header.levels.is_empty() || wanted(l));
            let trials = levels.map(|(level, flags)| {
                let program = Program::new(&source, flags);
                let name = format!("{directory}::{}{name}::{level}", stem(&source));
                trial(name, move || run(&program))
            });
            trials.collect::<Vec<_>>()
        })
    })
}

fn runs_as_natively(program: &Program) {
    let input = program.header.stdin.clone().unwrap_or_else(|| Input::Text(Vec::new()));
    let subject = program.subject();
    let paths = subject.explore(&input);
    assert_eq!(paths.states.len(), 1, "a concrete program has one path: {:?}", paths.ends());
    assert_eq!(paths.replay(false), 1);
}

fn replays_every_path(program: &Program) {
    program.subject().explore(&program.input()).replay(false);
}

/// The paths that are found are right, and the others are reported as incomplete.
fn replays_what_a_silent_solver_leaves(program: &Program) {
    let subject = program.subject();
    for rate in [2, 4, 16] {
        let solver = solver::chain(&SolverConfig::default());
        let mut solver = Silent::new(solver, rate, Unknown::GaveUp);
        let mut paths = subject.explore_with(&program.input(), &mut solver);
        // It is not known whether an incomplete path is feasible at all.
        paths.states.retain(|state| !matches!(state.halt, Halt::Incomplete(_)));
        paths.replay(true);
    }
}

fn ends_as_it_says(program: &Program) {
    let subject = program.subject();
    let paths = subject.explore(&program.input());
    assert_eq!(paths.ends(), program.header.all_ends());
    paths.replay(false);
}

fn is_marked_where_it_says(program: &Program) {
    const WHAT: &str = "an address used as a number at ";
    let subject = program.subject();
    let paths = subject.explore(&program.input());
    let found = paths.states.iter().flat_map(|state| &state.world.approximations);
    let found: BTreeSet<String> = found
        .map(|approximation| {
            let text = approximation.to_string();
            let (_, place) = text.split_once(WHAT).unwrap_or_else(|| panic!("{text}"));
            // The file is in a temporary directory.
            place.rsplit('/').next().expect("there is one part").to_owned()
        })
        .collect();
    let marked = program.header.marks.iter().map(|(line, mark)| {
        assert_eq!(mark, "address");
        format!("subject.c:{line}")
    });
    assert_eq!(found, marked.collect());
}
