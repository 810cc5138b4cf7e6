//! Draws what was done within a time: the subjects of a campaign that are decided, and the pairs of
//! a comparison that were told apart.

use super::{
    chart::{Axis, Scale, stairs},
    scene::Scene,
};
use crate::results::StatsRow;

/// The least time that is drawn, in seconds.
const LEAST: f64 = 0.01;

/// Draws the seconds that each decided subject took, the quickest first. This is a *cactus plot*,
/// as solver competitions have it: a point `(n, t)` on the line says that `n` subjects took at most
/// `t` seconds each.
pub fn draw_cactus(seconds: &[f64]) -> Scene {
    let mut seconds: Vec<f64> = seconds.iter().map(|time| time.max(LEAST)).collect();
    seconds.sort_by(f64::total_cmp);
    let x = Axis { scale: Scale::Count(seconds.len()), title: "subjects decided" };
    let y = Axis { scale: Scale::seconds(seconds.iter().copied()), title: "seconds each" };
    let first = seconds.first().map(|time| (0.0, *time));
    let ends = (1..).map(f64::from).zip(seconds.iter().copied());
    stairs(&x, &y, &first.into_iter().chain(ends).collect::<Vec<_>>())
}

/// Draws how many pairs of revisions were told apart within a time, from the rows `told-apart` of
/// `stats.csv`. `None` without such rows.
pub fn draw_progress(stats: &[StatsRow]) -> Option<Scene> {
    let rows = stats.iter().filter(|row| row.phase == StatsRow::TOLD_APART);
    let mut points: Vec<(f64, f64)> =
        rows.map(|row| (row.seconds.max(LEAST), row.count as f64)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let (first, last) = (*points.first()?, *points.last()?);
    let title = "seconds since exploring began";
    let x = Axis { scale: Scale::seconds(points.iter().map(|point| point.0)), title };
    let y = Axis { scale: Scale::Count(last.1 as usize), title: "pairs told apart" };
    points.insert(0, (first.0, 0.0));
    Some(stairs(&x, &y, &points))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_line_goes_up_from_left_to_right() {
        let svg = draw_cactus(&[30.0, 0.2, 1.5]).svg().unwrap();
        let blue = svg.matches("#0072B2").count();
        assert_eq!(blue, 5, "three steps and two rises: {svg}");
        for label in ["0.1", "1", "10", "100", "2", "3"] {
            assert!(svg.contains(&format!("\n{label}\n")), "{label}: {svg}");
        }
        assert!(draw_cactus(&[]).svg().unwrap().contains("decided"));
    }

    #[test]
    fn pairs_are_told_apart_one_after_the_other() {
        let row = |phase: &str, count, millis| {
            StatsRow::timed(phase, count, Duration::from_millis(millis))
        };
        let rows = [row("told-apart", 5, 300), row("pair", 77, 1), row("told-apart", 9, 2000)];
        let svg = draw_progress(&rows).unwrap().svg().unwrap();
        assert!(
            svg.contains("\n8\n") && svg.contains("\n10\n") && !svg.contains("\n77\n"),
            "{svg}"
        );
        assert!(draw_progress(&rows[1..2]).is_none());
    }
}
