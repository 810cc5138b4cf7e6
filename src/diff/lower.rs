//! Inputs that make the tree lower. Many samples are predicted to cluster the revisions in new
//! ways; those that a lowest tree asks are replayed.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use super::{differ::Differ, native::ReplayFailed, variants::Choice};
use crate::{
    explore::unless_it_panics,
    expr::Assignment,
    results::{Clustering, FoundBy, TestId},
    subject::{Revision, RevisionSet},
    tree::{self, Options, Solution},
};

/// The greatest number of samples, and of samples in a row that show nothing new.
const SAMPLES: usize = 4096;
const FRUITLESS: usize = 96;
/// The greatest number of clusterings to collect. More would make the search for a tree long.
const CLUSTERINGS: usize = 256;
/// Time to search for each of the two trees.
const SEARCH: Duration = Duration::from_millis(100);

impl Differ<'_> {
    /// Replays inputs that make the tree lower than the tests so far do, if any are found before
    /// `deadline`.
    pub(super) fn lower_tree(&mut self, deadline: Option<Instant>) -> Result<(), ReplayFailed> {
        let tests: Vec<Clustering> =
            self.tests().iter().map(|test| test.clustering.clone()).collect();
        let Some(before) = self.lowest(&tests) else { return Ok(()) };
        if before.height <= 1 {
            return Ok(());
        }
        let known = tests.iter().map(Clustering::shape).collect();
        let found = self.sampled(known, deadline);
        let number = |index: usize| TestId((self.tests().len() + 1 + index) as u32);
        let new = found.iter().enumerate().map(|(index, (shape, _))| {
            Clustering::new(number(index), self.revisions().iter().copied().zip(shape))
        });
        let all: Vec<Clustering> = tests.iter().cloned().chain(new).collect();
        let Some(lower) = self.lowest(&all).filter(|lower| lower.height < before.height) else {
            return Ok(());
        };
        let asked = lower.tree.tests();
        let asked =
            found.into_iter().enumerate().filter(|(index, _)| asked.contains(&number(*index)));
        let models: Vec<Assignment> = asked.map(|(_, (_, model))| model).collect();
        for model in models {
            self.replay(model, FoundBy::Trial)?;
        }
        Ok(())
    }

    fn lowest(&self, clusterings: &[Clustering]) -> Option<Solution> {
        let all: RevisionSet = self.revisions().iter().copied().collect();
        let options = Options { time: Some(SEARCH), ..Options::default() };
        tree::minimal(&all, clusterings, &options).ok()
    }

    /// Inputs that are predicted to cluster the revisions in ways that are not among `known`, each
    /// with its clustering.
    fn sampled(
        &self,
        mut known: BTreeSet<Vec<Revision>>,
        deadline: Option<Instant>,
    ) -> Vec<(Vec<Revision>, Assignment)> {
        let bases = self.bases();
        let mut choice = Choice(1);
        let (mut found, mut fruitless) = (Vec::new(), 0);
        for (base, variables) in
            bases.iter().cycle().take(if bases.is_empty() { 0 } else { SAMPLES })
        {
            let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if is_late || fruitless >= FRUITLESS || found.len() >= CLUSTERINGS {
                break;
            }
            fruitless += 1;
            // With few values to choose from, some variables get equal values.
            let (most, kept) = (*choice.of(&[2, 3, 5, usize::MAX]), *choice.of(&[0, 0, 1]));
            let model = self.sample(base, variables, (most, kept), &mut choice);
            let Some(prediction) = unless_it_panics(|| self.predict(&model)) else { continue };
            let clustering = Clustering::new(TestId(0), self.known(&prediction));
            let shape = clustering.shape();
            if shape.len() == self.revisions().len() && known.insert(shape.clone()) {
                fruitless = 0;
                found.push((shape, model));
            }
        }
        found
    }
}
