//! Coverage of the source by an exploration: lines and branches, by the debug information.

use std::{collections::BTreeMap, iter::Sum};

use crate::{
    exec::{Coverage, Program},
    ir::{FunctionId, Pc, SourceLine},
};

/// Which parts of one source file some path has run, whether or not the path came to its end. The C
/// library is left out, and so is code without a line number.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CoveredFile {
    /// The functions by the lines on which they begin, and whether they were entered.
    pub functions: BTreeMap<(u32, String), bool>,
    /// The lines with instructions, and whether any of their instructions has run.
    pub lines: BTreeMap<u32, bool>,
    /// The branches of each line that has any.
    pub branches: BTreeMap<u32, Vec<CoveredBranch>>,
}

/// A conditional branch or a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveredBranch {
    /// Whether the branch has run at all.
    pub run: bool,
    /// For each place to which the branch can lead, whether a path has gone there from it.
    pub ways: Vec<bool>,
}

/// A number of items, and how many of them were covered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// Number of covered items.
    pub covered: u64,
    /// Number of all items.
    pub all: u64,
}

impl Share {
    fn of<'a>(covered: impl Iterator<Item = &'a bool>) -> Self {
        covered.map(|covered| Self { covered: (*covered).into(), all: 1 }).sum()
    }
}

impl Sum for Share {
    fn sum<I: Iterator<Item = Self>>(shares: I) -> Self {
        shares.fold(Self::default(), |sum, share| Self {
            covered: sum.covered + share.covered,
            all: sum.all + share.all,
        })
    }
}

impl CoveredFile {
    /// The files of a program, by name.
    pub fn all(program: &Program, coverage: &Coverage) -> BTreeMap<String, Self> {
        let mut files: BTreeMap<String, Self> = BTreeMap::new();
        let module = &program.module;
        for (id, function) in (0..).map(FunctionId).zip(&module.functions) {
            if function.library || function.code.is_empty() {
                continue;
            }
            let run = coverage.instructions(id);
            let has_run = |pc: usize| run.get(pc).copied().unwrap_or(false);
            let name = |place: SourceLine| module.files[place.file.0 as usize].clone();
            if let Some(place) = function.place {
                let file = files.entry(name(place)).or_default();
                file.functions.insert((place.line, function.name.clone()), has_run(0));
            }
            for (pc, place) in function.places.iter().enumerate().filter(|(_, at)| at.line != 0) {
                let ways = coverage.ways(id, function, Pc(pc as u32));
                let file = files.entry(name(*place)).or_default();
                file.instruction(place.line, has_run(pc), ways);
            }
        }
        files
    }

    fn instruction(&mut self, line: u32, run: bool, ways: Vec<bool>) {
        *self.lines.entry(line).or_default() |= run;
        if !ways.is_empty() {
            self.branches.entry(line).or_default().push(CoveredBranch { run, ways });
        }
    }

    /// The share of covered functions.
    pub fn function_share(&self) -> Share {
        Share::of(self.functions.values())
    }

    /// The share of covered lines.
    pub fn line_share(&self) -> Share {
        Share::of(self.lines.values())
    }

    /// The share of covered ways out of branches.
    pub fn branch_share(&self) -> Share {
        Share::of(self.branches.values().flatten().flat_map(|branch| &branch.ways))
    }
}
