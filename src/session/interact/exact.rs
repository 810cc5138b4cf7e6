//! Exact interaction of changes on one input, from what every subset of them does on it.
//!
//! Santelices, Harrold and Orso, "Precisely detecting runtime change interactions for evolving
//! software" (ICST 2010): two changes interact in an execution if removing one alters the effect of
//! the other. Here the effect of a change is what it does to the outcome, output by output. Changes
//! *c* interact if, with all others of *c* in place, leaving one of them out alters what another
//! one does. This compares four subsets, which have the rest of *c* and none, either or both of the
//! two. The two do not interact on an output if one of them does nothing to it, with the other and
//! without it. Nor do they interact on a text if their changes to it just add up.

use std::collections::{BTreeMap, BTreeSet};

use crate::replay::Visible;

/// A set of changes, a bit each.
pub(super) type Subset = u128;

/// The minimal sets of changes that interact on an input, each with the outputs on which that
/// shows. `outcomes` has what the subsets do, where that is known.
pub(super) fn interacting(
    outcomes: &BTreeMap<Subset, &Visible>,
) -> Vec<(Subset, BTreeSet<String>)> {
    let mut subsets: Vec<Subset> = outcomes.keys().copied().collect();
    subsets.sort_by_key(|subset| (subset.count_ones(), *subset));
    let mut found: Vec<(Subset, BTreeSet<String>)> = Vec::new();
    for subset in subsets {
        if found.iter().any(|(smaller, _)| smaller & !subset == 0) {
            continue;
        }
        let mut outputs = BTreeSet::new();
        let members: Vec<Subset> =
            (0..Subset::BITS).map(|bit| 1 << bit).filter(|bit| subset & bit != 0).collect();
        for (index, a) in members.iter().enumerate() {
            for b in &members[..index] {
                let known = |without: Subset| outcomes.get(&(subset & !without)).copied();
                let four = (known(a | b), known(*b), known(*a), known(0));
                if let (Some(none), Some(with_a), Some(with_b), Some(both)) = four {
                    outputs.extend(altered([none, with_a, with_b, both]));
                }
            }
        }
        if !outputs.is_empty() {
            found.push((subset, outputs));
        }
    }
    found
}

/// The outputs to which two changes together do something that they do not do each on its own. The
/// outcomes are those with none, with either and with both of them.
fn altered(outcomes: [&Visible; 4]) -> Vec<String> {
    let [none, a, b, both] = outcomes;
    if none == a && b == both || none == b && a == both {
        return Vec::new();
    }
    let parts = outcomes.map(|outcome| parts(outcome, outcomes));
    let names: BTreeSet<&(String, usize)> = parts.iter().flat_map(BTreeMap::keys).collect();
    let is_altered = |name: &&(String, usize)| {
        let [none, a, b, both] = [0, 1, 2, 3].map(|at: usize| parts[at].get(*name));
        let is_idle = none == a && b == both || none == b && a == both;
        let is_text = TEXTS.contains(&name.0.as_str());
        let is_separate = is_idle || is_text && add_up([none, a, b, both]);
        !is_separate
    };
    names.into_iter().filter(is_altered).map(|name| name.0.clone()).collect()
}

/// Whether two changes do different things to a text, each the same with the other and without.
/// They do if a three-way merge of the texts with either gives the text with both.
fn add_up(texts: [Option<&Vec<u8>>; 4]) -> bool {
    let [Some(none), Some(a), Some(b), Some(both)] = texts else { return false };
    let differ = none != a && none != b && a != both && b != both;
    differ && diffy::merge_bytes(none, a, b).as_ref() == Ok(both)
}

/// The outputs that are texts.
const TEXTS: [&str; 2] = ["stdout", "stderr"];

/// A text that an outcome has, if it counts.
type Text = fn(&Visible) -> &Option<Vec<u8>>;

/// The outputs of an outcome, by name: how it ends, what it prints, and so on. A text is compared
/// line by line if it has the same number of lines in all of `others`.
fn parts(outcome: &Visible, others: [&Visible; 4]) -> BTreeMap<(String, usize), Vec<u8>> {
    let mut parts = BTreeMap::new();
    let mut add = |name: &str, bytes: Vec<u8>| _ = parts.insert((name.to_owned(), 0), bytes);
    let Visible { termination, finding, noted, outputs, files, stdout: _, stderr: _ } = outcome;
    let is_found = |of: &Visible| of.finding.is_some() || !of.noted.is_empty();
    let end = if others.into_iter().any(is_found) { "finding" } else { "exit" };
    add(end, format!("{termination:?} {finding:?} {noted:?}").into_bytes());
    for (name, bytes) in outputs {
        add(name, bytes.clone());
    }
    for (path, state) in files {
        add(path, format!("{state:?}").into_bytes());
    }
    let texts: [Text; 2] = [|of| &of.stdout, |of| &of.stderr];
    for (name, of) in TEXTS.into_iter().zip(texts) {
        let Some(text) = of(outcome) else { continue };
        let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
        let is_alike = |other: &Visible| of(other).as_deref().map(lines) == Some(lines(text));
        if others.into_iter().all(is_alike) {
            for (number, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
                parts.insert((name.to_owned(), number + 1), line.to_vec());
            }
        } else {
            parts.insert((name.to_owned(), 0), text.clone());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Termination;

    fn prints(text: &str) -> Visible {
        Visible {
            termination: Some(Termination::Exit(0)),
            finding: None,
            noted: BTreeSet::new(),
            stdout: Some(text.as_bytes().to_vec()),
            stderr: None,
            outputs: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    fn of(known: &[(Subset, &str)]) -> Vec<Subset> {
        let all: Vec<(Subset, Visible)> =
            known.iter().map(|(s, text)| (*s, prints(text))).collect();
        let outcomes = all.iter().map(|(subset, visible)| (*subset, visible)).collect();
        interacting(&outcomes).into_iter().map(|(subset, _)| subset).collect()
    }

    #[test]
    fn two_that_have_an_effect_only_together_interact() {
        assert_eq!(of(&[(0, "a"), (1, "a"), (2, "a"), (3, "b")]), [3]);
        assert_eq!(of(&[(0, "a"), (1, "b"), (2, "b"), (3, "b")]), [3]);
        assert_eq!(of(&[(0, "a"), (1, "b"), (2, "a"), (3, "b")]), [0; 0]);
        assert_eq!(of(&[(0, "a"), (1, "b"), (2, "c"), (3, "d")]), [3]);
    }

    #[test]
    fn lines_of_their_own_are_no_interaction() {
        assert_eq!(of(&[(0, "a\nb\n"), (1, "x\nb\n"), (2, "a\ny\n"), (3, "x\ny\n")]), [0; 0]);
        assert_eq!(of(&[(0, "a\nb\n"), (1, "x\nb\n"), (2, "a\ny\n"), (3, "x\nb\n")]), [3]);
        assert_eq!(of(&[(0, "a\nb\n"), (1, "x\nb\n"), (2, "a\ny\n"), (3, "x\n")]), [3]);
        let first = [(0, "a\nb\n"), (1, "x\na\nb\n"), (2, "a\nb\ny\n")];
        assert_eq!(of(&[&first[..], &[(3, "x\na\nb\ny\n")]].concat()), [0; 0]);
        assert_eq!(of(&[&first[..], &[(3, "x\na\nb\n")]].concat()), [3]);
        assert_eq!(of(&[(0, "a\n"), (1, "a\nx\n"), (2, "a\nx\n"), (3, "a\nx\n")]), [3]);
    }

    #[test]
    fn three_may_interact_where_no_two_do() {
        let all: Vec<(Subset, &str)> =
            (0..8).map(|subset| (subset, if subset == 7 { "b" } else { "a" })).collect();
        assert_eq!(of(&all), [7]);
        // If some subsets are no programs, the others still show it.
        assert_eq!(of(&[(0, "a"), (1, "a"), (3, "a"), (5, "a"), (7, "b")]), [7]);
        assert_eq!(of(&[(0, "a"), (1, "a"), (3, "a"), (7, "b")]), [0; 0]);
    }
}
