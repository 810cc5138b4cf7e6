//! Where revisions differ, as ranges of a scalar input.

use crate::{
    report::{Report, ScalarRange, ranges, scalar_ranges},
    results::TestId,
};

/// The greatest number of rows printed; `ranges.csv` has the rest.
const ROWS: usize = 24;

/// One line for each range of a program's only scalar input, with the clusters of the revisions in
/// it. Empty if inputs are more or other than one scalar, or regions are not ranges.
pub(super) fn table(report: &Report) -> Vec<String> {
    let Some(found) = scalar_ranges(&report.ranges, |test| test) else { return Vec::new() };
    let mut lines = vec![format!("by {}:", found.input)];
    for ScalarRange { low, high, label } in found.ranges.iter().take(ROWS) {
        let values = if low == high { low.to_string() } else { format!("{low} .. {high}") };
        lines.push(format!("  {values:<28} {}", clusters(*label, report)));
    }
    if found.ranges.len() > ROWS {
        lines.push(format!("  and {} more ranges: see ranges.csv", found.ranges.len() - ROWS));
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
