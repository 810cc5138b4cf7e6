//! The decision tree on the page, question by question: the answer to one opens the next. It is
//! made of what HTML can fold, and needs no script.

use maud::{Markup, html as markup};

use super::{
    data::Report,
    labels::{Labels, ranges, visible},
    verdicts::{Leaf, Verdicts},
};
use crate::{
    subject::{Revision, RevisionSet},
    tree::{Branch, Tree},
};

/// The walk through the tree of a report.
pub(super) fn walk(report: &Report, labels: &Labels, verdicts: &Verdicts) -> Markup {
    Page { report, labels, verdicts }.step(&report.solution.tree, "walk")
}

/// The link to the part of the page about a patch.
pub(super) fn anchor(revision: Revision) -> String {
    format!("patch-{revision}")
}

/// Says whether an outcome is right, if that is known.
pub(super) fn judged(right: Option<bool>) -> Markup {
    markup! {
        @match right {
            Some(true) => { strong { "✓ right" } " " }
            Some(false) => { span.faint { "✗ wrong" } " " }
            None => {}
        }
    }
}

struct Page<'a> {
    report: &'a Report,
    labels: &'a Labels,
    verdicts: &'a Verdicts,
}

impl Page<'_> {
    /// A question with its answers, or what remains. `place` is the name of the place in the tree.
    fn step(&self, tree: &Tree, place: &str) -> Markup {
        let (test, outcomes) = match tree {
            Tree::Leaf(revisions) => return self.leaf(revisions),
            Tree::Node { test, outcomes } => (*test, outcomes),
        };
        let clusters: Vec<Revision> = outcomes.iter().map(|branch| branch.cluster).collect();
        let texts = self.labels.outcomes(test, &clusters, 120);
        let input = self.report.inputs.get(&test);
        let lines = input.map(super::question::input).unwrap_or_default();
        markup! {
            div.question {
                p { "Test " (test) ": what is right on this input?" }
                pre { @for line in lines { (line) "\n" } }
                ul.answers {
                    @for ((branch, text), number) in outcomes.iter().zip(&texts).zip(1..) {
                        @let right = self.report.right.get(&(test, branch.cluster)).copied();
                        li { (self.answer(branch, (text, right), place, number)) }
                    }
                }
            }
        }
    }

    /// An answer, and whether it is known to be right or not. What is known to be right is open.
    fn answer(
        &self,
        branch: &Branch,
        (text, right): (&str, Option<bool>),
        place: &str,
        number: u32,
    ) -> Markup {
        let below = format!("{place}-{number}");
        markup! {
            // Among details of the same name, only one is open at a time.
            details name=(place) open[right == Some(true)] {
                summary {
                    code { (text) } " " (judged(right)) span.faint { (ranges(&branch.revisions)) }
                }
                (self.step(&branch.child, &below))
            }
        }
    }

    /// The revisions that remain, and how they are related.
    fn leaf(&self, revisions: &RevisionSet) -> Markup {
        let Leaf { groups, kind } = self.verdicts.leaf(revisions);
        markup! {
            div.remaining {
                @for group in &groups {
                    p {
                        @for (index, revision) in group.iter().enumerate() {
                            @if index > 0 { " ≡ " }
                            (self.revision(revision))
                        }
                    }
                }
                @if let Some(text) = kind.text() { p.faint { (text) } }
            }
        }
    }

    fn revision(&self, revision: Revision) -> Markup {
        let name = visible(&self.labels.revision(revision));
        markup! {
            @if revision == Revision::ORIGINAL { strong { (name) } }
            @else { a href=(format!("#{}", anchor(revision))) { (name) } }
        }
    }
}
