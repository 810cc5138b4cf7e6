//! Conditions over the numbers of an input, as people write them: `6 <= x <= 10 or x = y`.

use std::{collections::BTreeMap, ops::RangeInclusive};

/// A whole number that is computed, without overflow, from the numbers of an input. These are given
/// by their indices, from 0.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Term {
    /// A number of the input.
    Input(usize),
    /// One number minus another.
    Difference(usize, usize),
    /// 1 if the constant divides the number, else 0.
    Divides(usize, u32),
    /// The remainder of a number divided by a constant, with the sign of the dividend as in C.
    Remainder(usize, u32),
    /// The sum of two numbers.
    Sum(usize, usize),
}

impl Term {
    /// The value of the term.
    ///
    /// # Panics
    /// An input is missing, or the constant is 0.
    pub fn value(self, inputs: &[i128]) -> i128 {
        match self {
            Self::Input(x) => inputs[x],
            Self::Difference(x, y) => inputs[x] - inputs[y],
            Self::Divides(x, by) => i128::from(inputs[x] % i128::from(by) == 0),
            Self::Remainder(x, by) => inputs[x] % i128::from(by),
            Self::Sum(x, y) => inputs[x] + inputs[y],
        }
    }

    fn text(self, names: &[String]) -> String {
        match self {
            Self::Input(x) => names[x].clone(),
            Self::Difference(x, y) => format!("{} - {}", names[x], names[y]),
            Self::Divides(x, by) | Self::Remainder(x, by) => format!("{} % {by}", names[x]),
            Self::Sum(x, y) => format!("{} + {}", names[x], names[y]),
        }
    }
}

/// Values of a term: ranges in ascending order, with a gap between each two. `i128::MIN` and
/// `i128::MAX` stand for no end.
pub type Ranges = Vec<RangeInclusive<i128>>;

/// All values.
pub(super) const ANY: RangeInclusive<i128> = i128::MIN..=i128::MAX;

/// Joins ranges that overlap or adjoin.
fn united(mut ranges: Ranges) -> Ranges {
    ranges.sort_by_key(|range| (*range.start(), *range.end()));
    let mut joined: Ranges = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end().saturating_add(1) >= *range.start() => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => joined.push(range),
        }
    }
    joined
}

/// The values between ranges.
fn gaps(ranges: &Ranges) -> Ranges {
    ranges.windows(2).map(|pair| pair[0].end() + 1..=pair[1].start() - 1).collect()
}

/// The values that the ranges leave out, if these are single values and the ranges have no ends.
fn exceptions(ranges: &Ranges) -> Option<Vec<i128>> {
    let ends = [ranges.first()?.start(), ranges.last()?.end()];
    let gaps = gaps(ranges);
    let is_single = |gap: &RangeInclusive<i128>| gap.start() == gap.end();
    let is_short = ends == [ANY.start(), ANY.end()] && gaps.iter().all(is_single);
    is_short.then(|| gaps.iter().map(|gap| *gap.start()).collect())
}

/// The ranges that some terms must all lie in; other terms may have any value.
pub type Conjunction = BTreeMap<Term, Ranges>;

/// Whether a conjunction holds for an input.
pub(super) fn all_hold(all: &Conjunction, inputs: &[i128]) -> bool {
    all.iter().all(|(term, ranges)| {
        let value = term.value(inputs);
        ranges.iter().any(|range| range.contains(&value))
    })
}

/// A condition over the numbers of an input: at least one of several conjunctions holds.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Condition {
    any_of: Vec<Conjunction>,
}

impl Condition {
    /// The condition that at least one of these holds. Two that differ in only one term become one.
    pub fn new(conjunctions: impl IntoIterator<Item = Conjunction>) -> Self {
        let mut any_of: Vec<Conjunction> = Vec::new();
        for mut new in conjunctions {
            while let Some((place, both)) = any_of
                .iter()
                .enumerate()
                .find_map(|(place, known)| Some((place, as_one(known, &new)?)))
            {
                any_of.remove(place);
                new = both;
            }
            any_of.push(new);
        }
        Self { any_of }
    }

    /// The conjunctions. The condition holds if one of them does; without any, it never holds.
    pub fn any_of(&self) -> &[Conjunction] {
        &self.any_of
    }

    /// Whether the condition holds for an input.
    ///
    /// # Panics
    /// An input is missing.
    pub fn holds(&self, inputs: &[i128]) -> bool {
        self.any_of.iter().any(|all| all_hold(all, inputs))
    }

    /// The condition, simplified for inputs whose numbers are within `bounds`: `x = 127` in place
    /// of `x >= 127` if no value is larger.
    pub fn within(mut self, bounds: &[RangeInclusive<i128>]) -> Self {
        for (term, ranges) in self.any_of.iter_mut().flatten() {
            let ends = match term {
                Term::Input(x) => bounds[*x].clone(),
                Term::Remainder(x, by) => {
                    let most = i128::from(*by) - 1;
                    (-most).max(*bounds[*x].start()).min(0)..=most.min(*bounds[*x].end())
                }
                Term::Difference(..) | Term::Divides(..) | Term::Sum(..) => continue,
            };
            let is_possible = |range: &RangeInclusive<i128>| {
                range.start() <= ends.end() && range.end() >= ends.start()
            };
            ranges.retain(is_possible);
            if exceptions(ranges).is_some() {
                continue;
            }
            for range in ranges {
                if range.start() == ends.end() || range.end() == ends.start() {
                    *range = *range.start().max(ends.start())..=*range.end().min(ends.end());
                }
            }
        }
        self
    }

    /// The condition with gaps between ranges narrowed to a single value each, where `is_true`
    /// still accepts the conjunction. The value is the first of `values` in the gap that will do.
    pub(super) fn with_exceptions(
        mut self,
        values: &[i128],
        is_true: impl Fn(&Conjunction) -> bool,
    ) -> Self {
        for all in &mut self.any_of {
            for term in all.keys().copied().collect::<Vec<_>>() {
                let ranges = all[&term].clone();
                for (place, gap) in gaps(&ranges).into_iter().enumerate() {
                    for value in values.iter().filter(|value| gap.contains(value)) {
                        let mut new = all[&term].clone();
                        new[place] = *new[place].start()..=value - 1;
                        new[place + 1] = value + 1..=*new[place + 1].end();
                        let before = all.insert(term, new);
                        if is_true(all) {
                            break;
                        }
                        all.extend(before.map(|before| (term, before)));
                    }
                }
            }
        }
        self
    }

    /// The number of comparisons in the text, where `6 <= x <= 10` is one.
    pub fn comparisons(&self) -> usize {
        let of = |ranges: &Ranges| exceptions(ranges).map_or(ranges.len(), |values| values.len());
        self.any_of.iter().flat_map(BTreeMap::values).map(of).sum()
    }

    /// Whether the condition obviously holds for no input.
    pub fn is_never(&self) -> bool {
        self.any_of.is_empty()
    }

    /// The condition as text, with these names of the inputs: `6 <= x <= 10`, `a < b`, or `always`.
    ///
    /// # Panics
    /// A name is missing.
    pub fn text(&self, names: &[String]) -> String {
        let bracketed = |text: String, is_part: bool| match is_part {
            true => format!("({text})"),
            false => text,
        };
        let conjunction = |all: &Conjunction| {
            let parts = all.iter().map(|(term, ranges)| {
                let (text, is_choice) = comparison(*term, ranges, names);
                bracketed(text, is_choice && all.len() > 1)
            });
            let parts: Vec<String> = parts.collect();
            bracketed(parts.join(" and "), all.len() > 1 && self.any_of.len() > 1)
        };
        match &self.any_of[..] {
            [] => "never".into(),
            all if all.iter().any(BTreeMap::is_empty) => "always".into(),
            all => all.iter().map(conjunction).collect::<Vec<_>>().join(" or "),
        }
    }
}

/// The conjunction that holds where either of two holds, if they differ in only one term.
fn as_one(a: &Conjunction, b: &Conjunction) -> Option<Conjunction> {
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let mut differing = a.keys().filter(|term| a[term] != b[term]);
    let term = differing.next();
    if differing.next().is_some() {
        return None;
    }
    let mut both = a.clone();
    if let Some(term) = term {
        let ranges = united([&a[term][..], &b[term]].concat());
        match ranges == [ANY] {
            true => both.remove(term),
            false => both.insert(*term, ranges),
        };
    }
    Some(both)
}

/// The text that says that a term is in one of the ranges, and whether it has an "or".
fn comparison(term: Term, ranges: &Ranges, names: &[String]) -> (String, bool) {
    let name = term.text(names);
    if let Term::Divides(..) = term {
        let relation = if ranges.iter().any(|range| range.contains(&1)) { "=" } else { "!=" };
        return (format!("{name} {relation} 0"), false);
    }
    if let Some(values) = exceptions(ranges) {
        let unequal = |value: &i128| match (term, value) {
            (Term::Difference(x, y), 0) => format!("{} != {}", names[x], names[y]),
            _ => format!("{name} != {value}"),
        };
        return (values.iter().map(unequal).collect::<Vec<_>>().join(" and "), false);
    }
    let text = |range: &RangeInclusive<i128>| {
        let (low, high) = (*range.start(), *range.end());
        let ends = (low, high, low == i128::MIN, high == i128::MAX);
        if let Term::Difference(x, y) = term
            && let Some(relation) = match ends {
                (_, -1, true, _) => Some("<"),
                (_, 0, true, _) => Some("<="),
                (0, 0, ..) => Some("="),
                (0, _, _, true) => Some(">="),
                (1, _, _, true) => Some(">"),
                _ => None,
            }
        {
            return format!("{} {relation} {}", names[x], names[y]);
        }
        match ends {
            (_, _, true, _) => format!("{name} <= {high}"),
            (_, _, _, true) => format!("{name} >= {low}"),
            _ if low == high => format!("{name} = {low}"),
            _ => format!("{low} <= {name} <= {high}"),
        }
    };
    (ranges.iter().map(text).collect::<Vec<_>>().join(" or "), ranges.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Term = Term::Input(0);

    fn at_most(value: i128) -> RangeInclusive<i128> {
        i128::MIN..=value
    }

    fn at_least(value: i128) -> RangeInclusive<i128> {
        value..=i128::MAX
    }

    fn text(all: &[&[(Term, RangeInclusive<i128>)]]) -> String {
        let conjunction = |parts: &&[(Term, RangeInclusive<i128>)]| -> Conjunction {
            parts.iter().map(|(term, range)| (*term, vec![range.clone()])).collect()
        };
        let condition = Condition::new(all.iter().map(conjunction));
        condition.text(&["a".into(), "b".into()])
    }

    #[test]
    fn conditions_as_text() {
        let difference = Term::Difference(0, 1);
        for (range, expected) in [
            (at_most(-1), "a < b"),
            (at_most(0), "a <= b"),
            (0..=0, "a = b"),
            (at_least(0), "a >= b"),
            (at_least(1), "a > b"),
            (at_least(2), "a - b >= 2"),
            (-1..=0, "-1 <= a - b <= 0"),
        ] {
            assert_eq!(text(&[&[(difference, range)]]), expected);
        }
        assert_eq!(text(&[&[(X, 3..=3)]]), "a = 3");
        assert_eq!(
            text(&[&[(X, 3..=4), (Term::Remainder(1, 4), 0..=0)]]),
            "3 <= a <= 4 and b % 4 = 0"
        );
        assert_eq!(text(&[&[(Term::Divides(0, 4), at_least(1))]]), "a % 4 = 0");
        assert_eq!(text(&[&[(Term::Divides(0, 4), at_most(0))]]), "a % 4 != 0");
        assert_eq!(text(&[]), "never");
        assert!(Condition::default().is_never());
        assert_eq!(text(&[&[]]), "always");
    }

    #[test]
    fn what_the_bounds_of_a_number_say() {
        let condition = |term, range: RangeInclusive<i128>| {
            let all = Conjunction::from([(term, vec![range])]);
            let bounds = [-128..=127, 0..=255];
            Condition::new([all]).within(&bounds).text(&["a".into(), "b".into()])
        };
        assert_eq!(condition(X, at_least(127)), "a = 127");
        assert_eq!(condition(X, at_most(-128)), "a = -128");
        assert_eq!(condition(X, at_least(126)), "a >= 126");
        assert_eq!(condition(Term::Remainder(0, 2), at_most(-1)), "a % 2 = -1");
        assert_eq!(condition(Term::Remainder(1, 2), at_most(0)), "b % 2 = 0");
        assert_eq!(condition(Term::Difference(0, 1), at_least(127)), "a - b >= 127");
        let odd = |place| {
            let ranges = vec![at_most(-1), at_least(1)];
            let all = Conjunction::from([(Term::Remainder(place, 2), ranges)]);
            Condition::new([all]).within(&[-128..=127, 0..=255]).text(&["a".into(), "b".into()])
        };
        assert_eq!([0, 1].map(odd), ["a % 2 != 0", "b % 2 = 1"]);
    }

    #[test]
    fn what_differs_in_one_term_becomes_one() {
        let even = (Term::Remainder(1, 2), 0..=0);
        assert_eq!(text(&[&[(X, at_most(-1))], &[(X, at_least(1))]]), "a != 0");
        assert_eq!(text(&[&[(X, 1..=2)], &[(X, 3..=4)]]), "1 <= a <= 4");
        assert_eq!(
            text(&[&[(X, 1..=1), even.clone()], &[(X, 5..=6), even.clone()]]),
            "(a = 1 or 5 <= a <= 6) and b % 2 = 0"
        );
        assert_eq!(
            text(&[&[(X, at_most(7)), even.clone()], &[(X, at_least(8)), even.clone()]]),
            "b % 2 = 0"
        );
        assert_eq!(
            text(&[&[(X, 1..=1), even], &[(X, 5..=6)]]),
            "(a = 1 and b % 2 = 0) or 5 <= a <= 6"
        );
    }
}
