//! Learns short conditions from samples: on which inputs does something hold? A learned condition
//! fits the samples; it is not proved for all inputs.

use std::{cmp::Reverse, ops::RangeInclusive};

use ndarray::{Array1, Array2};

use super::{
    condition::{ANY, Condition, Conjunction, Term, all_hold},
    greedy::{Impurity, first_split},
};

/// The greatest number of conjunctions that are still worth making short.
const CONJUNCTIONS: usize = 32;

/// The numbers of an input, and whether the condition is to hold for it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Sample {
    /// One value for each number, in the order of the names.
    pub inputs: Vec<i128>,
    /// Whether the condition is to hold.
    pub label: bool,
}

/// A short condition over `terms` that holds for the samples with the label and for no others.
/// `None` if there is no such condition, or if it is very long.
///
/// If the samples leave open where a range ends, it ends at one of the `landmarks` or just before
/// one, if possible. Of several such ends it takes the one of least magnitude. A range reaches to
/// infinity where no sample contradicts that.
///
/// ```
/// use psychic::tree::{Sample, Term, learn};
///
/// let samples: Vec<Sample> =
///     (-20..20).map(|x| Sample { inputs: vec![x], label: (6..=10).contains(&x) }).collect();
/// let found = learn(&[Term::Input(0)], &[], &samples).expect("there is one");
/// assert_eq!(found.text(&["x".into()]), "6 <= x <= 10");
/// ```
pub fn learn(terms: &[Term], landmarks: &[i128], samples: &[Sample]) -> Option<Condition> {
    let rows = samples.iter().map(|sample| Row {
        values: terms.iter().map(|term| term.value(&sample.inputs)).collect(),
        label: sample.label,
    });
    let rows: Vec<Row> = rows.collect();
    let learner = Learner { terms, landmarks, samples, rows: &rows };
    let alone = (0..terms.len()).filter(|term| learner.changes(*term) <= 2 * CONJUNCTIONS);
    let alone = alone.filter_map(|term| learner.over(&[term]));
    let shortest = alone.min_by_key(Condition::comparisons);
    let together = learner.over(&(0..terms.len()).collect::<Vec<_>>());
    let together = together.map(|condition| learner.fewer_terms(condition));
    // Of equals, the one over a single term comes first.
    shortest.into_iter().chain(together).min_by_key(Condition::comparisons)
}

/// The values of the terms in a sample.
struct Row {
    values: Vec<i128>,
    label: bool,
}

/// The range of each term; most have all values.
type Area = Vec<RangeInclusive<i128>>;

struct Learner<'l> {
    terms: &'l [Term],
    landmarks: &'l [i128],
    samples: &'l [Sample],
    /// The samples in the same order.
    rows: &'l [Row],
}

impl Learner<'_> {
    /// A condition over some of the terms; `None` if these do not tell the samples apart.
    fn over(&self, terms: &[usize]) -> Option<Condition> {
        let mut areas = Vec::new();
        let all = self.rows.iter().collect();
        self.grow(terms, all, vec![ANY; self.terms.len()], &mut areas)?;
        let conjunction = |area: Area| -> Conjunction {
            let parts = area.into_iter().zip(self.terms).filter(|(range, _)| *range != ANY);
            parts.map(|(range, term)| (*term, vec![range])).collect()
        };
        let is_true = |all: &Conjunction| {
            !self.samples.iter().any(|sample| !sample.label && all_hold(all, &sample.inputs))
        };
        // Without the ends of ranges there is less to read, but also less that becomes one range.
        let conditions = [false, true].map(|without_ends| {
            let areas = self.loosened(areas.clone(), without_ends);
            let condition = Condition::new(areas.into_iter().map(conjunction));
            condition.with_exceptions(self.landmarks, is_true)
        });
        conditions.into_iter().rev().min_by_key(Condition::comparisons)
    }

    /// How often the label changes when the samples are ordered by a term.
    fn changes(&self, term: usize) -> usize {
        let mut labels: Vec<(i128, bool)> =
            self.rows.iter().map(|row| (row.values[term], row.label)).collect();
        labels.sort_unstable();
        labels.windows(2).filter(|pair| pair[0].1 != pair[1].1).count()
    }

    /// Splits `area`, which contains the samples `rows`, and adds to `found` the parts in which all
    /// samples have the label. `None` if some samples cannot be told apart, or there are too many
    /// parts.
    fn grow(
        &self,
        terms: &[usize],
        rows: Vec<&Row>,
        area: Area,
        found: &mut Vec<Area>,
    ) -> Option<()> {
        let labelled = rows.iter().filter(|row| row.label).count();
        if labelled == 0 {
            return Some(());
        }
        if labelled == rows.len() {
            found.push(area);
            return (found.len() <= CONJUNCTIONS).then_some(());
        }
        let (term, last) = self.boundary(terms, &rows)?;
        let (below, above): (Vec<&Row>, Vec<&Row>) =
            rows.into_iter().partition(|row| row.values[term] <= last);
        let mut halves = [area.clone(), area];
        halves[0][term] = *halves[0][term].start()..=last;
        halves[1][term] = last + 1..=*halves[1][term].end();
        let [low, high] = halves;
        self.grow(terms, below, low, found)?;
        self.grow(terms, above, high, found)
    }

    /// The term that CART splits on first, and the largest value on the lower side.
    fn boundary(&self, terms: &[usize], rows: &[&Row]) -> Option<(usize, i128)> {
        let columns = terms.iter().map(|term| {
            let mut values: Vec<i128> = rows.iter().map(|row| row.values[*term]).collect();
            values.sort_unstable();
            values.dedup();
            values
        });
        let columns: Vec<Vec<i128>> = columns.collect();
        // Ranks are exact as floating-point numbers, and splits depend on the order alone.
        let rank = |row: usize, column: usize| {
            columns[column].partition_point(|value| *value < rows[row].values[terms[column]])
        };
        let ranks = Array2::from_shape_fn((rows.len(), terms.len()), |(r, c)| rank(r, c) as f64);
        let labels = Array1::from_iter(rows.iter().map(|row| usize::from(row.label)));
        // An exclusive or has no single split that makes samples purer: then any split will do.
        let split = first_split(ranks, labels, Impurity::Gini);
        let split = split.map(|split| (split.feature, split.threshold)).or_else(|| {
            let column = columns.iter().position(|values| values.len() > 1)?;
            Some((column, (columns[column].len() / 2) as f64 - 0.5))
        });
        let (column, threshold) = split?;
        let values = &columns[column];
        let above = (0..values.len()).find(|rank| *rank as f64 > threshold)?;
        let (last, next) = (values[above.checked_sub(1)?], values[above]);
        Some((terms[column], self.nicest(last, next)))
    }

    /// The end of a range that has to end at or after `last` and before `next`.
    fn nicest(&self, last: i128, next: i128) -> i128 {
        let ends = self.landmarks.iter().flat_map(|mark| [mark - 1, *mark]);
        let near = ends.filter(|end| (last..next).contains(end));
        near.min_by_key(|end| end.unsigned_abs()).unwrap_or(last)
    }

    /// The areas without the ranges that they do not need and, with `without_ends`, without such
    /// ends of ranges. Areas that no sample needs are left out.
    fn loosened(&self, mut areas: Vec<Area>, without_ends: bool) -> Vec<Area> {
        let holds = |area: &Area, row: &Row| {
            area.iter().zip(&row.values).all(|(range, value)| range.contains(value))
        };
        let is_true = |area: &Area| !self.rows.iter().any(|row| !row.label && holds(area, row));
        for area in &mut areas {
            // The simplest terms come first and are kept if possible.
            for term in (0..area.len()).rev() {
                let range = area[term].clone();
                let ends = [i128::MIN..=*range.end(), *range.start()..=i128::MAX];
                let ends = ends.into_iter().filter(|_| without_ends);
                for loose in std::iter::once(ANY).chain(ends) {
                    let before = std::mem::replace(&mut area[term], loose);
                    if is_true(area) {
                        break;
                    }
                    area[term] = before;
                }
            }
        }
        let of = |area: &Area| self.rows.iter().filter(|row| holds(area, row)).count();
        areas.sort_by_cached_key(|area| Reverse(of(area)));
        let mut needed: Vec<Area> = Vec::new();
        for area in areas {
            let is_new = |row: &Row| holds(&area, row) && !needed.iter().any(|old| holds(old, row));
            if self.rows.iter().any(is_new) {
                needed.push(area);
            }
        }
        needed
    }

    /// The condition, or one that has fewer of its terms and is not longer.
    fn fewer_terms(&self, mut condition: Condition) -> Condition {
        loop {
            let used = |term: &Term| condition.any_of().iter().any(|all| all.contains_key(term));
            let used: Vec<usize> =
                (0..self.terms.len()).filter(|t| used(&self.terms[*t])).collect();
            let without = |left_out: &usize| {
                let rest: Vec<usize> = used.iter().copied().filter(|t| t != left_out).collect();
                self.over(&rest).filter(|found| found.comparisons() <= condition.comparisons())
            };
            match used.iter().rev().find_map(without) {
                Some(shorter) => condition = shorter,
                None => return condition,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const X: Term = Term::Input(0);
    const Y: Term = Term::Input(1);
    const TERMS: [Term; 5] = [X, Y, Term::Difference(0, 1), Term::Remainder(0, 3), Term::Sum(0, 1)];

    fn learned(terms: &[Term], label: impl Fn(i128, i128) -> bool) -> String {
        let points = (-9..9).flat_map(|x| (-9..9).map(move |y| [x, y]));
        let samples: Vec<Sample> =
            points.map(|[x, y]| Sample { inputs: vec![x, y], label: label(x, y) }).collect();
        let found = learn(terms, &[0], &samples).expect("a condition");
        found.text(&["x".into(), "y".into()])
    }

    #[test]
    fn what_is_learned_is_short() {
        assert_eq!(learned(&TERMS, |x, y| x < y), "x < y");
        assert_eq!(learned(&TERMS, |x, y| x == -y), "x + y = 0");
        assert_eq!(learned(&TERMS, |x, _| x % 3 == 0), "x % 3 = 0");
        assert_eq!(learned(&TERMS, |x, y| x != 0 && y > 3), "x != 0 and y >= 4");
        let divided = [X, Term::Divides(0, 2), Term::Divides(0, 4)];
        assert_eq!(learned(&divided, |x, _| x % 2 == 0 && x % 4 != 0), "x % 2 = 0 and x % 4 != 0");
        assert_eq!(learned(&TERMS, |x, y| x > 2 && y > 3), "x >= 3 and y >= 4");
        assert_eq!(learned(&TERMS, |x, y| x > 2 || y > 3), "x >= 3 or y >= 4");
        assert_eq!(learned(&TERMS, |_, _| true), "always");
        assert_eq!(learned(&TERMS, |_, _| false), "never");
        assert_eq!(
            learned(&[X, Y], |x, y| (x > 0) != (y > 0)),
            "(x <= 0 and y >= 1) or (x >= 1 and y <= 0)"
        );
    }

    #[test]
    fn there_is_no_condition_where_inputs_do_not_decide() {
        let sample = |label| Sample { inputs: vec![1], label };
        assert_eq!(learn(&[X], &[], &[sample(true), sample(false)]), None);
    }

    #[test]
    fn ranges_end_at_landmarks() {
        let sample = |x, label| Sample { inputs: vec![x], label };
        let samples = [sample(-50, false), sample(7, true), sample(90, false)];
        let text = |landmarks| learn(&[X], landmarks, &samples).unwrap().text(&["x".into()]);
        assert_eq!(text(&[0, 60]), "1 <= x <= 59");
        assert_eq!(text(&[]), "-49 <= x <= 7");
    }

    proptest! {
        #[test]
        fn conditions_say_what_the_samples_say(points in prop::collection::btree_map(
                (-9i128..9, prop_oneof![-3i128..3, Just(i64::MIN.into()), Just(u64::MAX.into())]),
                any::<bool>(), 1..40)) {
            let samples: Vec<Sample> = points
                .iter()
                .map(|((x, y), label)| Sample { inputs: vec![*x, *y], label: *label })
                .collect();
            let found = learn(&TERMS, &[0, 2], &samples).expect("a condition");
            for sample in &samples {
                prop_assert_eq!(found.holds(&sample.inputs), sample.label);
            }
        }
    }
}
