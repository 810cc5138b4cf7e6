//! Draws how far revisions are from each other: a matrix of the tests that tell them apart, and the
//! dendrogram of the groups that are close.

use super::{
    distances::{Dendrogram, Distances},
    labels::{Labels, shorten},
    layout::Face,
    scene::{Align, Colour, FAINT, INK, Scene, WHITE, text_width},
};
use crate::subject::Revision;

/// The most revisions with a matrix: a larger one could not be read on a page.
const MOST: usize = 96;

const MARGIN: i32 = 12;
const TEXT: i32 = 11;
const CELL: i32 = 18;
/// Width of the dendrogram.
const DEPTH: i32 = 200;
/// Space between the matrix and the dendrogram, and above both.
const GAP: i32 = 12;
const LINE: Colour = plotters::style::RGBColor(0x00, 0x72, 0xb2);
const GRID: Colour = plotters::style::RGBColor(0xdd, 0xe2, 0xe8);

/// Draws the distances. Revisions are in the order of the dendrogram; with more than 96, there is
/// no matrix.
pub fn draw_distances(distances: &Distances, labels: &Labels) -> Scene {
    let mut scene = Scene::default();
    let Some(dendrogram) = distances.dendrogram() else {
        (scene.width, scene.height) = (2 * MARGIN, 2 * MARGIN);
        return scene;
    };
    let order = dendrogram.leaves();
    let name = |revision: Revision| shorten(&labels.revision(revision), 36);
    let width = |revision: &Revision| text_width(&name(*revision), Face::Plain, TEXT);
    let left = MARGIN + order.iter().map(width).max().unwrap_or(0) + 10;
    let top = MARGIN + CELL + GAP;
    let y_of = |row: usize| top + row as i32 * CELL + CELL / 2;
    for (row, revision) in order.iter().enumerate() {
        let at = (left - 10, y_of(row));
        scene.text(at, &name(*revision), Face::Plain, TEXT, Align::Right, INK);
    }
    let shown = if order.len() <= MOST { order.len() } else { 0 };
    for (column, b) in order.iter().take(shown).enumerate() {
        let x = left + column as i32 * CELL;
        let at = (x + (CELL - 1) / 2, top - GAP / 2 - TEXT / 2);
        scene.text(at, &b.to_string(), Face::Plain, TEXT - 2, Align::Middle, FAINT);
        for (row, a) in order.iter().enumerate() {
            let (part, apart) = (distances.between(*a, *b), distances.apart(*a, *b));
            let y = top + row as i32 * CELL;
            scene.fill(x, y, CELL - 1, CELL - 1, shade(part));
            if a != b {
                let ink = if part > 0.55 { WHITE } else { INK };
                let at = (x + (CELL - 1) / 2, y_of(row));
                scene.text(at, &apart.to_string(), Face::Plain, TEXT - 3, Align::Middle, ink);
            }
        }
    }
    let begin = left + shown as i32 * CELL + if shown > 0 { GAP } else { 0 };
    let bottom = top + order.len() as i32 * CELL;
    let most = match &dendrogram {
        Dendrogram::Leaf(_) => 0.0,
        Dendrogram::Join { distance, .. } => *distance,
    };
    let scale = if most > 0.0 { f64::from(DEPTH) / most } else { 0.0 };
    for step in 0..=2 {
        let x = begin + DEPTH * step / 2;
        scene.line((x, top), (x, bottom), 1, GRID);
        let text = format!("{:.2}", most * f64::from(step) / 2.0);
        let at = (x, top - GAP / 2 - TEXT / 2);
        scene.text(at, &text, Face::Plain, TEXT - 2, Align::Middle, FAINT);
    }
    let mut row = 0;
    let x_of = |distance: f64| begin + (distance * scale).round() as i32;
    branch(&mut scene, &dendrogram, &mut row, &x_of, &y_of);
    scene.width = begin + DEPTH + 2 * MARGIN;
    scene.height = bottom + CELL + MARGIN;
    let mut caption = "the part of the tests that tell two groups apart, on the average".to_owned();
    if shown > 0 {
        caption = format!("cells: number of tests that tell two apart; lines: {caption}");
    }
    let end = MARGIN + text_width(&caption, Face::Faint, TEXT - 1);
    scene.width = scene.width.max(end + MARGIN);
    let at = (MARGIN, bottom + CELL / 2 + 4);
    scene.text(at, &caption, Face::Faint, TEXT - 1, Align::Left, FAINT);
    scene
}

/// Draws a group, from its revisions at the left to its join. Returns where the join ends.
fn branch(
    scene: &mut Scene,
    dendrogram: &Dendrogram,
    row: &mut usize,
    x_of: &impl Fn(f64) -> i32,
    y_of: &impl Fn(usize) -> i32,
) -> (i32, i32) {
    match dendrogram {
        Dendrogram::Leaf(_) => {
            *row += 1;
            (x_of(0.0), y_of(*row - 1))
        }
        Dendrogram::Join { distance, parts } => {
            let x = x_of(*distance);
            let ends = parts.each_ref().map(|part| branch(scene, part, row, x_of, y_of));
            for (end, y) in ends {
                scene.line((end, y), (x, y), 2, LINE);
            }
            scene.line((x, ends[0].1), (x, ends[1].1), 2, LINE);
            (x, i32::midpoint(ends[0].1, ends[1].1))
        }
    }
}

/// From white to blue. Greys of a copy are as far apart as the colours.
fn shade(part: f64) -> Colour {
    let mix = |from: u8, to: u8| {
        (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8
    };
    plotters::style::RGBColor(mix(0xf5, 0x00), mix(0xf7, 0x5a), mix(0xfa, 0x8c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{report::sample, report::scene::Shape};

    #[test]
    fn everything_is_inside_the_picture() {
        for sample in [sample::seven(), sample::forty(), sample::silent()] {
            let distances = Distances::new(&sample.solution.tree.revisions(), &sample.clusterings);
            let scene = draw_distances(&distances, &sample.labels());
            let count = distances.revisions.len();
            let mut cells = 0;
            for shape in &scene.shapes {
                match shape {
                    Shape::Fill { x, y, width, height, .. } => {
                        cells += 1;
                        assert!(x + width <= scene.width && y + height <= scene.height);
                    }
                    Shape::Line { from, to, .. } => {
                        assert!(from.0.max(to.0) <= scene.width);
                        assert!(from.1.max(to.1) <= scene.height);
                    }
                    Shape::Text(_) => {}
                }
            }
            assert_eq!(cells, count * count);
            let joins = scene
                .shapes
                .iter()
                .filter(|shape| matches!(shape, Shape::Line { colour, .. } if *colour == LINE));
            assert_eq!(joins.count(), 3 * (count - 1));
        }
    }
}
