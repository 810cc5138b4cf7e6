//! Axes, and lines that go up in stairs.

use super::{
    layout::Face,
    scene::{Align, Colour, FAINT, INK, Scene},
};

const WIDTH: i32 = 560;
const HEIGHT: i32 = 336;
const LEFT: i32 = 70;
const RIGHT: i32 = WIDTH - 24;
const TOP: i32 = 36;
const BOTTOM: i32 = HEIGHT - 52;
const TEXT: i32 = 11;
/// The most numbers on a linear axis.
const MOST_TICKS: usize = 8;
const LINE: Colour = plotters::style::RGBColor(0x00, 0x72, 0xb2);
const GRID: Colour = plotters::style::RGBColor(0xdd, 0xe2, 0xe8);

/// What an axis shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// Seconds, logarithmic, between these powers of ten.
    Seconds { low: i32, high: i32 },
    /// Numbers from 0 to this one.
    Count(usize),
}

impl Scale {
    /// The scale of seconds that has all of `seconds`.
    pub(super) fn seconds(seconds: impl Iterator<Item = f64> + Clone) -> Self {
        let exponent = |time: f64, round: fn(f64) -> f64| round(time.log10()) as i32;
        let low = seconds.clone().reduce(f64::min).map_or(0, |time| exponent(time, f64::floor));
        let high = seconds.reduce(f64::max).map_or(0, |time| exponent(time, f64::ceil));
        Self::Seconds { low, high: high.max(low + 1) }
    }

    /// The place of a value on the axis, from 0 to 1.
    fn place(self, value: f64) -> f64 {
        match self {
            Self::Seconds { low, high } => (value.log10() - f64::from(low)) / f64::from(high - low),
            Self::Count(most) => value / most.max(1) as f64,
        }
    }

    /// The values that are named, with their names.
    fn ticks(self) -> Vec<(f64, String)> {
        match self {
            Self::Seconds { low, high } => (low..=high)
                .map(|power| {
                    let value = 10f64.powi(power);
                    (value, format!("{value:.*}", (-power).max(0) as usize))
                })
                .collect(),
            Self::Count(most) => {
                let step = round(most.max(1).div_ceil(MOST_TICKS));
                (0..=most.max(1)).step_by(step).map(|n| (n as f64, n.to_string())).collect()
            }
        }
    }
}

/// The least of 1, 2, 5, 10, 20, 50, ... that is not below `step`.
fn round(step: usize) -> usize {
    let mut power = 1;
    loop {
        if let Some(round) = [1, 2, 5].into_iter().map(|n| n * power).find(|round| *round >= step) {
            return round;
        }
        power *= 10;
    }
}

/// An axis, and what is written at it.
pub(super) struct Axis<'a> {
    pub scale: Scale,
    pub title: &'a str,
}

/// A drawing of a line through `points`, which ascend in both directions, in stairs.
pub(super) fn stairs(x: &Axis<'_>, y: &Axis<'_>, points: &[(f64, f64)]) -> Scene {
    let mut scene = Scene { width: WIDTH, height: HEIGHT, shapes: Vec::new() };
    let x_of = |value| LEFT + (x.scale.place(value) * f64::from(RIGHT - LEFT)).round() as i32;
    let y_of = |value| BOTTOM - (y.scale.place(value) * f64::from(BOTTOM - TOP)).round() as i32;
    for (value, name) in y.scale.ticks() {
        let at = y_of(value);
        scene.line((LEFT, at), (RIGHT, at), 1, GRID);
        scene.text((LEFT - 8, at), &name, Face::Plain, TEXT, Align::Right, INK);
    }
    for (value, name) in x.scale.ticks() {
        let at = x_of(value);
        scene.line((at, BOTTOM), (at, BOTTOM + 4), 1, FAINT);
        scene.text((at, BOTTOM + 14), &name, Face::Plain, TEXT, Align::Middle, INK);
    }
    scene.line((LEFT, TOP), (LEFT, BOTTOM), 1, FAINT);
    scene.line((LEFT, BOTTOM), (RIGHT, BOTTOM), 1, FAINT);
    for pair in points.windows(2) {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        let (from, low, to, high) = (x_of(from), y_of(low), x_of(to), y_of(high));
        scene.line((from, low), (to, low), 2, LINE);
        scene.line((to, high), (to, low), 2, LINE);
    }
    let middle = ((LEFT + RIGHT) / 2, HEIGHT - 14);
    scene.text(middle, x.title, Face::Plain, TEXT, Align::Middle, INK);
    scene.text((8, TOP - 20), y.title, Face::Plain, TEXT, Align::Left, INK);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_what_they_are_made_for() {
        let scale = Scale::seconds([30.0, 0.2, 1.5].into_iter());
        assert_eq!(scale, Scale::Seconds { low: -1, high: 2 });
        assert_eq!(scale.place(1.0), 1.0 / 3.0);
        let names: Vec<String> = scale.ticks().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["0.1", "1", "10", "100"]);
        assert_eq!(Scale::seconds([].into_iter()), Scale::Seconds { low: 0, high: 1 });
        assert!(Scale::Count(1000).ticks().len() <= MOST_TICKS + 1);
        assert_eq!(Scale::Count(0).ticks().len(), 2);
        assert_eq!([1, 3, 17, 50, 51].map(round), [1, 5, 20, 50, 100]);
    }
}
