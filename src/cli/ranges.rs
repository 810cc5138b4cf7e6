//! Where revisions differ, as ranges of a scalar input.

use crate::{
    report::{Report, ranges},
    results::TestId,
};

/// The greatest number of rows printed; `ranges.csv` has the rest.
const ROWS: usize = 24;

/// One line for each range of a program's only scalar input, with the clusters of the revisions in
/// it. Empty if inputs are more or other than one scalar, or if ranges overlap because regions are
/// not ranges (such as the even numbers).
pub(super) fn table(report: &Report) -> Vec<String> {
    let found = &report.ranges;
    let Some(first) = found.first() else { return Vec::new() };
    if found.iter().any(|range| range.input != first.input) {
        return Vec::new();
    }
    let mut sorted: Vec<(i64, i64, Option<TestId>)> =
        found.iter().map(|range| (range.low, range.high, range.test)).collect();
    sorted.sort_unstable();
    if sorted.windows(2).any(|pair| pair[0].1 >= pair[1].0) {
        return Vec::new();
    }
    sorted.dedup_by(|next, last| {
        let joins = next.2 == last.2 && last.1.checked_add(1) == Some(next.0);
        if joins {
            last.1 = next.1;
        }
        joins
    });
    let mut lines = vec![format!("by {}:", first.input)];
    for (low, high, test) in sorted.iter().take(ROWS) {
        let values = if low == high { low.to_string() } else { format!("{low} .. {high}") };
        lines.push(format!("  {values:<28} {}", clusters(*test, report)));
    }
    if sorted.len() > ROWS {
        lines.push(format!("  and {} more ranges: see ranges.csv", sorted.len() - ROWS));
    }
    lines
}

fn clusters(test: Option<TestId>, report: &Report) -> String {
    let clustering =
        test.and_then(|test| report.clusterings.iter().find(|clustering| clustering.test == test));
    match clustering {
        None => "all alike".into(),
        Some(clustering) => {
            let groups: Vec<String> = clustering.groups().values().map(ranges).collect();
            format!("{}   as test {}", groups.join(" | "), clustering.test)
        }
    }
}
