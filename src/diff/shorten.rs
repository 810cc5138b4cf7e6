//! Tests without what no revision reads.
//!
//! A test has spare tokens if some revision could not be predicted when the test was made, as
//! nobody knew how much that revision would read. Once this is known, the rest only hides what
//! matters.

use super::{
    differ::Differ, input, native::ReplayFailed, prediction::Source, test::DifferentialTest,
};
use crate::{
    env::libc::stdin::Stdin,
    exec::HaltState,
    expr::Assignment,
    replay::{Outcome, TestInput, Visible},
};

impl Differ<'_> {
    /// Removes from each test the end of typed standard input that no path reads, if all revisions
    /// do the same without it. To be called when no more tests will come. Stops early if time is
    /// over.
    ///
    /// # Errors
    /// If a native run is impossible.
    pub fn shorten_tests(&mut self) -> Result<(), ReplayFailed> {
        for index in 0..self.tests.len() {
            let test = &self.tests[index];
            let is_open = !test.found_by.is_asked_for() && test.mismatches.is_empty();
            let Some(input) = self.without_unread(test).filter(|_| is_open) else { continue };
            if self.inputs.contains(&input) {
                continue;
            }
            let expected = test.expected.clone();
            let revisions = self.task.revisions.clone();
            let outcomes = match self.run(&input, &revisions, &expected) {
                Err(ReplayFailed::OutOfTime) => return Ok(()),
                other => other?,
            };
            let visible = |outcomes: &[Outcome]| -> Vec<Visible> {
                outcomes.iter().map(|outcome| outcome.visible(&self.task.outputs)).collect()
            };
            if visible(&outcomes) == visible(&self.tests[index].outcomes) {
                self.inputs.insert(input.clone());
                let test = &mut self.tests[index];
                (test.input, test.outcomes) = (input, outcomes);
            }
        }
        Ok(())
    }

    /// The input of a test, shortened to where the last read of any known path ends; `None` if that
    /// is not shorter.
    fn without_unread(&self, test: &DifferentialTest) -> Option<TestInput> {
        let (start, _) = self.task.start.as_ref()?;
        if !matches!(start.stdin, Stdin::Typed(_)) {
            return None;
        }
        let nothing = Assignment::default();
        let model = test.model.as_ref();
        let explored = model.map(|model| self.taken(model)).unwrap_or_default();
        let sources = explored.into_iter().map(Source::Explored);
        let sources = sources.chain(test.followed.iter().copied().map(Source::Followed));
        let text = test.input.stdin.as_ref()?;
        let read = |state: &HaltState| {
            let known = || input::stdin(&self.task.program.exprs, state, model.unwrap_or(&nothing));
            let of_typed = || Some(known()).filter(|known| text.starts_with(known));
            state.world.stdin.bytes_read().or_else(|| of_typed().map(|known| known.len()))
        };
        let read = sources.filter_map(|source| read(self.state(source))).max()?;
        // Well-formed input has a newline behind a number or word, read or not.
        let read = read + usize::from(text.get(read..)?.starts_with(b"\n"));
        let is_shorter = 0 < read && read < text.len();
        let shorter = || TestInput { stdin: Some(text[..read].to_vec()), ..test.input.clone() };
        is_shorter.then(shorter)
    }
}
