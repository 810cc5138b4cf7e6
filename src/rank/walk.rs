//! The walk through a decision tree with a person's answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
    tree::{Branch, Options, Tree, minimal},
};

/// The longest time to search for the smallest tree of the questions that are left.
const TREE_TIME: Duration = Duration::from_secs(2);

/// What a person says about the outcomes of a test.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The outcome of this cluster is right.
    Outcome(Revision),
    /// None of the outcomes is right. The person may say what would be.
    NoneOf(Option<String>),
    /// The person does not know.
    DoNotKnow,
}

/// A test and the answer about it.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Answered {
    /// The test.
    pub test: TestId,
    /// The answer.
    pub answer: Answer,
}

/// A question of the walk.
#[derive(Clone, Copy, Debug)]
pub struct Question<'w> {
    /// The test.
    pub test: TestId,
    /// Its outcomes for the revisions that are still possible.
    pub outcomes: &'w [Branch],
    /// The largest number of questions that are left, this one included.
    pub left: u32,
}

/// Why an answer cannot be taken.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum AnswerError {
    /// No question is left.
    #[error("every question has been answered")]
    NoQuestion,
    /// The test is not the one in question.
    #[error("test {given} is answered where test {asked} is asked")]
    OtherTest {
        /// The test of the answer.
        given: TestId,
        /// The test of the question.
        asked: TestId,
    },
    /// No revision that is still possible has the outcome.
    #[error("test {test} has no outcome {cluster} here")]
    NoOutcome {
        /// The test.
        test: TestId,
        /// The cluster of the answer.
        cluster: Revision,
    },
}

/// A walk from the root of a tree towards a leaf.
///
/// If the person does not know the answer, or none of the outcomes is right, the tree does not say
/// how to go on, and neither does a tree where it was cut off. The walk then goes on in the smallest
/// tree of the other questions for the revisions that are still possible.
#[derive(Clone, Debug)]
pub struct Walk<'c> {
    clusterings: &'c [Clustering],
    answers: Vec<Answered>,
    /// The tree that is left after each number of answers.
    trees: Vec<Tree>,
    /// The revisions that are possible after each number of answers.
    possible: Vec<RevisionSet>,
}

impl<'c> Walk<'c> {
    /// A walk that begins at the root of `tree`, which asks tests of `clusterings`.
    pub fn new(tree: &Tree, clusterings: &'c [Clustering]) -> Self {
        Self {
            clusterings,
            answers: Vec::new(),
            trees: vec![tree.clone()],
            possible: vec![tree.revisions()],
        }
    }

    /// The next question; none at a leaf, where no test tells the possible revisions apart.
    pub fn question(&self) -> Option<Question<'_>> {
        match self.tree() {
            Tree::Leaf(_) => None,
            tree @ Tree::Node { test, outcomes } => {
                Some(Question { test: *test, outcomes, left: tree.height() })
            }
        }
    }

    /// The revisions that no answer has ruled out.
    pub fn possible(&self) -> &RevisionSet {
        self.possible.last().expect("there is one set more than answers")
    }

    /// The answers so far.
    pub fn answers(&self) -> &[Answered] {
        &self.answers
    }

    /// Answers the question.
    ///
    /// # Errors
    /// There is no question, or it has no such outcome.
    pub fn answer(&mut self, answer: Answer) -> Result<(), AnswerError> {
        let Tree::Node { test, outcomes } = self.tree() else {
            return Err(AnswerError::NoQuestion);
        };
        let test = *test;
        let (possible, tree) = match &answer {
            Answer::Outcome(cluster) => {
                let cluster = *cluster;
                let branch = outcomes.iter().find(|branch| branch.cluster == cluster);
                let branch = branch.ok_or(AnswerError::NoOutcome { test, cluster })?;
                let child = match &branch.child {
                    // The tree may have been cut off here.
                    Tree::Leaf(possible) => self.tree_without(test, possible),
                    child => child.clone(),
                };
                (branch.revisions.clone(), child)
            }
            Answer::DoNotKnow => {
                let possible = self.possible().clone();
                let tree = self.tree_without(test, &possible);
                (possible, tree)
            }
            Answer::NoneOf(_) => {
                let ran = |revision| self.clustering(test)?.cluster(revision);
                let silent = self.possible().iter().filter(|revision| ran(*revision).is_none());
                let possible: RevisionSet = silent.collect();
                let tree = self.tree_without(test, &possible);
                (possible, tree)
            }
        };
        self.answers.push(Answered { test, answer });
        self.possible.push(possible);
        self.trees.push(tree);
        Ok(())
    }

    /// Repeats the answers of an earlier walk.
    ///
    /// # Errors
    /// The walk comes to another question than the earlier one, or an answer cannot be taken. The
    /// answers before that are kept.
    pub fn repeat(&mut self, answers: &[Answered]) -> Result<(), AnswerError> {
        for Answered { test, answer } in answers {
            let asked = self.question().ok_or(AnswerError::NoQuestion)?.test;
            if asked != *test {
                return Err(AnswerError::OtherTest { given: *test, asked });
            }
            self.answer(answer.clone())?;
        }
        Ok(())
    }

    /// Takes the last answer back. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        if self.answers.pop().is_none() {
            return false;
        }
        self.trees.pop();
        self.possible.pop();
        true
    }

    fn tree(&self) -> &Tree {
        self.trees.last().expect("there is one tree more than answers")
    }

    fn clustering(&self, test: TestId) -> Option<&Clustering> {
        self.clusterings.iter().find(|clustering| clustering.test == test)
    }

    /// The smallest tree for `possible` that asks neither `test` nor what was answered before.
    fn tree_without(&self, test: TestId, possible: &RevisionSet) -> Tree {
        let is_open = |clustering: &&Clustering| {
            clustering.test != test
                && self.answers.iter().all(|answered| answered.test != clustering.test)
        };
        let open: Vec<Clustering> = self.clusterings.iter().filter(is_open).cloned().collect();
        let options = Options { time: Some(TREE_TIME), ..Options::default() };
        // No two clusterings are of one test, and there were few enough revisions for the first
        // tree.
        minimal(possible, &open, &options)
            .map_or_else(|_| Tree::Leaf(possible.clone()), |solution| solution.tree)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(revisions: &[u32]) -> RevisionSet {
        revisions.iter().copied().map(Revision).collect()
    }

    fn clustering(test: u32, outcomes: &[(u32, u32)]) -> Clustering {
        Clustering::new(TestId(test), outcomes.iter().map(|(r, outcome)| (Revision(*r), outcome)))
    }

    /// Two bits, asked by tests 1 and 2, and the first of them again by test 3.
    fn bits() -> Vec<Clustering> {
        vec![
            clustering(1, &[(0, 0), (1, 0), (2, 1), (3, 1)]),
            clustering(2, &[(0, 0), (1, 1), (2, 0), (3, 1)]),
            clustering(3, &[(0, 0), (1, 0), (2, 1), (3, 1)]),
        ]
    }

    fn tree(revisions: &RevisionSet, clusterings: &[Clustering]) -> Tree {
        minimal(revisions, clusterings, &Options::default()).unwrap().tree
    }

    #[test]
    fn answers_lead_to_a_leaf_and_can_be_taken_back() {
        let tests = bits();
        let tree = tree(&set(&[0, 1, 2, 3]), &tests);
        for wanted in 0..4 {
            let mut walk = Walk::new(&tree, &tests);
            while let Some(question) = walk.question() {
                let test = question.test;
                assert_eq!(question.left as usize + walk.answers().len(), 2);
                let asked = tests.iter().find(|clustering| clustering.test == test).unwrap();
                let cluster = asked.cluster(Revision(wanted)).unwrap();
                walk.answer(Answer::Outcome(cluster)).unwrap();
            }
            assert_eq!(walk.possible(), &set(&[wanted]));
            let mut again = Walk::new(&tree, &tests);
            again.repeat(walk.answers()).unwrap();
            assert_eq!(again.possible(), walk.possible());
            assert!(walk.undo() && walk.undo() && !walk.undo());
            assert_eq!(walk.possible().len(), 4);
        }
    }

    #[test]
    fn a_walk_goes_on_where_the_tree_was_cut_off() {
        let tests = bits();
        let branch = |cluster: u32, revisions: &[u32]| Branch {
            cluster: Revision(cluster),
            revisions: set(revisions),
            child: Tree::Leaf(set(revisions)),
        };
        let outcomes = vec![branch(0, &[0, 1]), branch(2, &[2, 3])];
        let tree = Tree::Node { test: TestId(1), outcomes };
        let mut walk = Walk::new(&tree, &tests);
        walk.answer(Answer::Outcome(Revision(2))).unwrap();
        assert_eq!(walk.question().map(|question| question.test), Some(TestId(2)));
        let cluster = tests[1].cluster(Revision(3)).unwrap();
        walk.answer(Answer::Outcome(cluster)).unwrap();
        assert!(walk.question().is_none());
        assert_eq!(walk.possible(), &set(&[3]));
    }

    #[test]
    fn another_test_is_asked_where_nothing_is_known_of_one() {
        let tests = bits();
        let tree = tree(&set(&[0, 1, 2, 3]), &tests);
        let mut walk = Walk::new(&tree, &tests);
        let mut asked = Vec::new();
        while let Some(question) = walk.question() {
            asked.push(question.test);
            walk.answer(Answer::DoNotKnow).unwrap();
        }
        asked.sort_unstable();
        assert_eq!(asked, [TestId(1), TestId(2), TestId(3)]);
        assert_eq!(walk.possible().len(), 4);
        assert_eq!(walk.answer(Answer::DoNotKnow), Err(AnswerError::NoQuestion));
    }

    #[test]
    fn all_that_ran_a_test_fall_if_none_of_them_is_right() {
        let tests = [clustering(1, &[(0, 0), (1, 1)]), clustering(2, &[(1, 0), (2, 1), (3, 2)])];
        let tree = tree(&set(&[0, 1, 2, 3]), &tests);
        let mut walk = Walk::new(&tree, &tests);
        let test = walk.question().unwrap().test;
        walk.answer(Answer::NoneOf(Some("7".into()))).unwrap();
        let left = if test == TestId(1) { set(&[2, 3]) } else { set(&[0]) };
        assert_eq!(walk.possible(), &left);
    }

    #[test]
    fn answers_of_other_results_are_refused() {
        let tests = bits();
        let tree = tree(&set(&[0, 1, 2, 3]), &tests);
        let mut walk = Walk::new(&tree, &tests);
        let asked = walk.question().unwrap().test;
        let cluster = Revision(9);
        let error = walk.answer(Answer::Outcome(cluster)).unwrap_err();
        assert_eq!(error, AnswerError::NoOutcome { test: asked, cluster });
        let given = TestId(9);
        let answers = [Answered { test: given, answer: Answer::DoNotKnow }];
        assert_eq!(walk.repeat(&answers), Err(AnswerError::OtherTest { given, asked }));
        assert!(walk.answers().is_empty());
    }
}
