//! Readable conditions over inputs: when do revisions differ? They are learned from samples by
//! CART, so they are hints for the reader, never proofs.

use std::{collections::BTreeMap, fmt};

use ndarray::{Array1, Array2};

use super::greedy::{Impurity, first_split};

/// The values of the inputs in one run, with the result of the run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Sample<L> {
    /// One value per input, in the order of the names.
    pub inputs: Vec<i64>,
    /// The result of the run, such as the cluster of its outcome.
    pub label: L,
}

/// A range of one input.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Interval {
    /// Name of the input.
    pub input: String,
    /// Smallest value, if there is a smallest.
    pub low: Option<i64>,
    /// Largest value, if there is a largest.
    pub high: Option<i64>,
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = &self.input;
        match (self.low, self.high) {
            (Some(low), Some(high)) if low == high => write!(f, "{input} = {low}"),
            (Some(low), Some(high)) => write!(f, "{low} <= {input} <= {high}"),
            (Some(low), None) => write!(f, "{input} >= {low}"),
            (None, Some(high)) => write!(f, "{input} <= {high}"),
            (None, None) => write!(f, "any {input}"),
        }
    }
}

/// A rule: all samples that satisfy all conditions have the label.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Rule<L> {
    /// The label.
    pub label: L,
    /// The conditions, in the order of the inputs; empty if all samples have the label.
    pub conditions: Vec<Interval>,
    /// Number of samples that satisfy the conditions.
    pub samples: usize,
}

impl<L> fmt::Display for Rule<L> {
    /// Writes the conditions alone: `x <= -2 and y = 3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.conditions.is_empty() {
            return f.write_str("always");
        }
        for (index, condition) in self.conditions.iter().enumerate() {
            write!(f, "{}{condition}", if index == 0 { "" } else { " and " })?;
        }
        Ok(())
    }
}

/// Rules for each label, in the order of the labels. The rules of one label come in descending
/// order of the number of samples they cover. Every sample satisfies a rule of its label and no
/// rule of another. The exception are samples with the same inputs but different labels: no
/// condition over the inputs can tell which label it will be, and they get no rule.
///
/// The ends of ranges are values of samples: a rule claims nothing that was not seen, except that
/// it reaches to infinity where no sample contradicts it.
///
/// ```
/// use psychic::tree::{Sample, conditions};
///
/// let samples: Vec<Sample<bool>> = (-20..20)
///     .map(|x| Sample { inputs: vec![x], label: (6..=10).contains(&x) })
///     .collect();
/// let rules = conditions(&["x".into()], &samples);
/// let differ: Vec<String> = rules.iter().filter(|r| r.label).map(|r| r.to_string()).collect();
/// assert_eq!(differ, ["6 <= x <= 10"]);
/// ```
pub fn conditions<L: Clone + Ord>(names: &[String], samples: &[Sample<L>]) -> Vec<Rule<L>> {
    let width = names.len();
    let usable: Vec<&Sample<L>> = samples.iter().filter(|s| s.inputs.len() == width).collect();
    let mut by_label: BTreeMap<&L, ()> = BTreeMap::new();
    for sample in &usable {
        by_label.insert(&sample.label, ());
    }
    let mut rules = Vec::new();
    for label in by_label.into_keys() {
        let mut ranges = Vec::new();
        let everywhere = vec![(None, None); width];
        grow(label, &usable, everywhere, &mut ranges);
        ranges.sort_by_key(|(_, samples)| std::cmp::Reverse(*samples));
        rules.extend(ranges.into_iter().map(|(ranges, samples)| {
            Rule {
                label: label.clone(),
                conditions: names
                    .iter()
                    .zip(ranges)
                    .filter(|(_, range)| *range != (None, None))
                    .map(|(name, (low, high))| Interval { input: name.clone(), low, high })
                    .collect(),
                samples,
            }
        }));
    }
    rules
}

type Ranges = Vec<(Option<i64>, Option<i64>)>;

/// Adds to `found` the ranges within `ranges` in which all `samples` have `label`, each with its
/// number of samples.
fn grow<L: Ord>(
    label: &L,
    samples: &[&Sample<L>],
    ranges: Ranges,
    found: &mut Vec<(Ranges, usize)>,
) {
    let positive = samples.iter().filter(|sample| sample.label == *label).count();
    if positive == 0 {
        return;
    }
    if positive == samples.len() {
        found.push((ranges, positive));
        return;
    }
    let Some((input, last)) = boundary(label, samples) else { return };
    let (below, above): (Vec<&Sample<L>>, Vec<&Sample<L>>) =
        samples.iter().partition(|sample| sample.inputs[input] <= last);
    let next = above.iter().map(|sample| sample.inputs[input]).min();
    let mut low_side = ranges.clone();
    low_side[input].1 = Some(last);
    let mut high_side = ranges;
    high_side[input].0 = next;
    grow(label, &below, low_side, found);
    grow(label, &above, high_side, found);
}

/// The input that CART splits on first, and the largest value on the lower side.
///
/// One label is compared with all others together: with two labels, the sums within linfa do not
/// depend on the order of its hash maps.
fn boundary<L: Ord>(label: &L, samples: &[&Sample<L>]) -> Option<(usize, i64)> {
    let width = samples.first()?.inputs.len();
    let features = Array2::from_shape_fn((samples.len(), width), |(row, column)| {
        samples[row].inputs[column] as f64
    });
    let labels = Array1::from_iter(samples.iter().map(|s| usize::from(s.label == *label)));
    let (input, threshold) =
        first_split(features, labels, Impurity::Gini).or_else(|| first_difference(samples))?;
    let values = samples.iter().map(|sample| sample.inputs[input]);
    let last = values.clone().filter(|value| *value as f64 <= threshold).max()?;
    values.clone().any(|value| value > last).then_some((input, last))
}

/// Any split at all, for samples that no split makes purer at once (as in exclusive or).
fn first_difference<L>(samples: &[&Sample<L>]) -> Option<(usize, f64)> {
    let width = samples.first()?.inputs.len();
    (0..width).find_map(|input| {
        let mut values: Vec<i64> = samples.iter().map(|sample| sample.inputs[input]).collect();
        values.sort_unstable();
        values.dedup_by_key(|value| *value as f64);
        (values.len() > 1).then(|| (input, values[values.len() / 2 - 1] as f64))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(x: i64, y: i64, label: bool) -> Sample<bool> {
        Sample { inputs: vec![x, y], label }
    }

    fn holds(rule: &Rule<bool>, inputs: &[i64]) -> bool {
        rule.conditions.iter().all(|Interval { input, low, high }| {
            let value = inputs[usize::from(input == "y")];
            low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high)
        })
    }

    #[test]
    fn exclusive_or_is_learned_too() {
        let samples: Vec<_> = [(0, 0), (0, 1), (1, 0), (1, 1)]
            .map(|(x, y)| sample(x, y, (x == 1) != (y == 1)))
            .into();
        let rules = conditions(&["x".into(), "y".into()], &samples);
        assert_eq!(rules.len(), 4);
    }

    #[test]
    fn there_is_no_rule_where_inputs_do_not_decide() {
        let samples = [sample(1, 1, true), sample(1, 1, false)];
        assert!(conditions(&["x".into(), "y".into()], &samples).is_empty());
        let same = [sample(1, 1, true), sample(2, 1, true)];
        assert_eq!(conditions(&["x".into(), "y".into()], &same)[0].to_string(), "always");
    }

    proptest! {
        #[test]
        fn rules_say_what_the_samples_say(points in prop::collection::btree_map(
                (-9i64..9, prop_oneof![-3i64..3, Just(i64::MIN), Just(i64::MAX)]),
                any::<bool>(), 1..40)) {
            let samples: Vec<_> = points.iter().map(|((x, y), l)| sample(*x, *y, *l)).collect();
            let rules = conditions(&["x".into(), "y".into()], &samples);
            for sample in &samples {
                let labels: Vec<bool> = rules
                    .iter()
                    .filter(|rule| holds(rule, &sample.inputs))
                    .map(|rule| rule.label)
                    .collect();
                prop_assert_eq!(labels, [sample.label]);
            }
            let spoken_of: usize = rules.iter().map(|rule| rule.samples).sum();
            prop_assert_eq!(spoken_of, samples.len());
        }
    }
}
