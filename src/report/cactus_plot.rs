//! Draws how many subjects of a campaign are decided within a time: a *cactus plot*, as solver
//! competitions have it.

use super::{
    error::PlotError,
    layout::Face,
    scene::{Align, Colour, FAINT, INK, Scene},
};

const WIDTH: i32 = 560;
const HEIGHT: i32 = 336;
const LEFT: i32 = 70;
const RIGHT: i32 = 24;
const TOP: i32 = 36;
const BOTTOM: i32 = 52;
const TEXT: i32 = 11;
/// The most numbers on the axis of subjects.
const MOST_TICKS: usize = 8;
const LINE: Colour = plotters::style::RGBColor(0x00, 0x72, 0xb2);
const GRID: Colour = plotters::style::RGBColor(0xdd, 0xe2, 0xe8);

/// Draws the seconds that each decided subject took as SVG, the quickest first: a point `(n, t)` on
/// the line says that `n` subjects took at most `t` seconds each. Seconds are on a logarithmic scale.
///
/// # Errors
/// See [`PlotError`].
pub fn cactus_svg(seconds: &[f64]) -> Result<String, PlotError> {
    let mut seconds: Vec<f64> = seconds.iter().map(|time| time.max(0.01)).collect();
    seconds.sort_by(f64::total_cmp);
    scene(&seconds).svg()
}

fn scene(seconds: &[f64]) -> Scene {
    let mut scene = Scene { width: WIDTH, height: HEIGHT, shapes: Vec::new() };
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let exponent = |time: Option<&f64>, round: fn(f64) -> f64| {
        time.map_or(0, |time| round(time.log10()) as i32)
    };
    let low = exponent(seconds.first(), f64::floor);
    let high = exponent(seconds.last(), f64::ceil).max(low + 1);
    let y_of = |time: f64| {
        let part = (time.log10() - f64::from(low)) / f64::from(high - low);
        bottom - (part * f64::from(bottom - TOP)).round() as i32
    };
    let count = seconds.len().max(1);
    let x_of = |number: usize| LEFT + (number as i32 * (right - LEFT)) / count as i32;
    for power in low..=high {
        let y = y_of(10f64.powi(power));
        scene.line((LEFT, y), (right, y), 1, GRID);
        let label = if power < 0 {
            format!("{:.*}", -power as usize, 10f64.powi(power))
        } else {
            format!("{:.0}", 10f64.powi(power))
        };
        scene.text((LEFT - 8, y), &label, Face::Plain, TEXT, Align::Right, INK);
    }
    let step = count.div_ceil(MOST_TICKS);
    for number in (0..=count).step_by(step) {
        let x = x_of(number);
        scene.line((x, bottom), (x, bottom + 4), 1, FAINT);
        scene.text((x, bottom + 14), &number.to_string(), Face::Plain, TEXT, Align::Middle, INK);
    }
    scene.line((LEFT, TOP), (LEFT, bottom), 1, FAINT);
    scene.line((LEFT, bottom), (right, bottom), 1, FAINT);
    for (index, time) in seconds.iter().enumerate() {
        let (y, from, to) = (y_of(*time), x_of(index), x_of(index + 1));
        scene.line((from, y), (to, y), 2, LINE);
        if let Some(next) = seconds.get(index + 1) {
            scene.line((to, y_of(*next)), (to, y), 2, LINE);
        }
    }
    let middle = ((LEFT + right) / 2, HEIGHT - 14);
    scene.text(middle, "subjects decided", Face::Plain, TEXT, Align::Middle, INK);
    scene.text((8, TOP - 20), "seconds each", Face::Plain, TEXT, Align::Left, INK);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_goes_up_from_left_to_right() {
        let svg = cactus_svg(&[30.0, 0.2, 1.5]).unwrap();
        let blue = svg.matches("#0072B2").count();
        assert_eq!(blue, 5, "three steps and two rises: {svg}");
        for label in ["0.1", "1", "10", "100", "2", "3"] {
            assert!(svg.contains(&format!("\n{label}\n")), "{label}: {svg}");
        }
        assert!(cactus_svg(&[]).unwrap().contains("decided"));
    }
}
