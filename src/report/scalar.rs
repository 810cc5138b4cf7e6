//! The regions of a program's only scalar input, as ranges.

use crate::results::{RangeRow, TestId};

/// The ranges of a scalar input, in ascending order.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ScalarRanges<'a, L> {
    /// The name of the input.
    pub input: &'a str,
    /// The ranges. Adjoining ranges have different labels.
    pub ranges: Vec<ScalarRange<L>>,
}

/// A range of a scalar input.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct ScalarRange<L> {
    /// The least value.
    pub low: i64,
    /// The largest value.
    pub high: i64,
    /// The label of all regions in the range.
    pub label: L,
}

/// Joins adjoining regions that have the same label, which is made from the test of a region. All
/// regions have to be given: a region with holes is recognised by the others that lie in them.
/// `None` if there are no regions, they are of several inputs, or they overlap: then they are not
/// ranges (such as the even numbers).
pub fn scalar_ranges<L: PartialEq>(
    regions: &[RangeRow],
    label: impl Fn(Option<TestId>) -> L,
) -> Option<ScalarRanges<'_, L>> {
    let input = &*regions.first()?.input;
    let mut sorted: Vec<&RangeRow> = regions.iter().collect();
    sorted.sort_by_key(|region| (region.low, region.high, region.test));
    let overlap = sorted.windows(2).any(|pair| pair[0].high >= pair[1].low);
    if overlap || sorted.iter().any(|region| region.input != input) {
        return None;
    }
    let mut ranges: Vec<ScalarRange<L>> = Vec::new();
    for RangeRow { low, high, test, .. } in sorted {
        let label = label(*test);
        match ranges.last_mut() {
            Some(last) if last.label == label && last.high.checked_add(1) == Some(*low) => {
                last.high = *high;
            }
            _ => ranges.push(ScalarRange { low: *low, high: *high, label }),
        }
    }
    Some(ScalarRanges { input, ranges })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(low: i64, high: i64, test: u32) -> RangeRow {
        RangeRow { cell: 0, test: Some(TestId(test)), input: "x".into(), low, high }
    }

    #[test]
    fn regions_that_adjoin_are_joined_by_their_label() {
        let regions = [region(5, i64::MAX, 1), region(0, 3, 1), region(4, 4, 2)];
        let joined = |label: fn(u32) -> u32| -> Vec<(i64, i64)> {
            let found = scalar_ranges(&regions, |test| label(test.unwrap().0)).unwrap();
            found.ranges.iter().map(|range| (range.low, range.high)).collect()
        };
        assert_eq!(joined(|test| test), [(0, 3), (4, 4), (5, i64::MAX)]);
        assert_eq!(joined(|_| 0), [(0, i64::MAX)]);
    }

    #[test]
    fn what_is_no_range_is_not_taken_for_one() {
        let label = |test: Option<TestId>| test;
        assert_eq!(scalar_ranges(&[], label), None);
        assert_eq!(scalar_ranges(&[region(0, 8, 1), region(3, 9, 2)], label), None);
        let other = RangeRow { input: "y".into(), ..region(4, 5, 1) };
        assert_eq!(scalar_ranges(&[region(0, 3, 1), other], label), None);
    }
}
