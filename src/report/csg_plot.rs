//! Draws a change sequence graph. Its nodes stand one below the other in the order of the program.
//! Edges down are on the right and edges back on the left, each on a lane of its own.

use super::{
    csg::nodes_and_edges,
    interaction::Interaction,
    layout::Face,
    scene::{Align, Colour, FAINT, INK, Scene, text_width},
};
use crate::results::NodeKind;

const TEXT: i32 = 11;
const MARGIN: i32 = 16;
const HEIGHT: i32 = 26;
const GAP: i32 = 18;
const PAD: i32 = 8;
const LANE: i32 = 10;
/// The length and half the width of an arrow's head.
const HEAD: i32 = 6;
const CHANGE: Colour = plotters::style::RGBColor(0xdd, 0xe2, 0xe8);

/// Draws a change sequence graph. Changes are filled, interaction locations dashed.
pub fn draw_csg(interaction: &Interaction) -> Scene {
    let (nodes, edges) = nodes_and_edges(interaction);
    let name = |index: usize| text_width(&nodes[index].name, Face::Bold, TEXT);
    let text = |index: usize| text_width(&nodes[index].text, Face::Mono, TEXT);
    let names = (0..nodes.len()).map(name).max().unwrap_or(0);
    let texts = (0..nodes.len()).map(text).max().unwrap_or(0);
    let width = names + texts + 3 * PAD;
    let mut down: Vec<[usize; 2]> = Vec::new();
    let mut back: Vec<[usize; 2]> = Vec::new();
    let mut straight: Vec<usize> = Vec::new();
    for [from, to] in edges {
        match to {
            to if to == from + 1 => straight.push(from),
            to if to > from => down.push([from, to]),
            to => back.push([to, from]),
        }
    }
    let (down, down_lanes) = lanes(down, 0);
    // An edge back reaches a node above the place where another one leaves it.
    let (back, back_lanes) = lanes(back, 1);
    let left = MARGIN + (back_lanes + 1) * LANE;
    let right = left + width;
    let top = |index: usize| MARGIN + index as i32 * (HEIGHT + GAP);
    let mut scene = Scene {
        width: right + (down_lanes + 1) * LANE + MARGIN,
        height: top(nodes.len()).max(HEIGHT) - GAP + MARGIN,
        shapes: Vec::new(),
    };
    for (index, node) in nodes.iter().enumerate() {
        let (y, middle) = (top(index), top(index) + HEIGHT / 2);
        if node.kind == NodeKind::Change {
            scene.fill(left, y, width, HEIGHT, CHANGE);
        }
        if node.kind != NodeKind::Root {
            let dashed = node.kind == NodeKind::Interaction;
            scene.frame((left, y), (width, HEIGHT), dashed, FAINT);
        }
        scene.text((left + PAD, middle), &node.name, Face::Bold, TEXT, Align::Left, INK);
        let at = (left + names + 2 * PAD, middle);
        scene.text(at, &node.text, Face::Mono, TEXT, Align::Left, INK);
    }
    for from in straight {
        let (x, y) = (left + width / 2, top(from + 1));
        scene.line((x, y - GAP), (x, y), 1, INK);
        for step in 0..HEAD {
            let half = step * 2 / 3;
            scene.fill(x - half, y - 1 - step, 2 * half + 1, 1, INK);
        }
    }
    // Edges leave a node below its middle and reach it above.
    let leave = |index: usize| top(index) + HEIGHT * 2 / 3;
    let reach = |index: usize| top(index) + HEIGHT / 3;
    for ([from, to], lane) in down {
        let x = right + (lane + 1) * LANE;
        scene.line((right, leave(from)), (x, leave(from)), 1, INK);
        scene.line((x, leave(from)), (x, reach(to)), 1, INK);
        scene.line((right, reach(to)), (x + 1, reach(to)), 1, INK);
        for step in 0..HEAD {
            let half = step * 2 / 3;
            scene.fill(right + 1 + step, reach(to) - half, 1, 2 * half + 1, INK);
        }
    }
    for ([to, from], lane) in back {
        let x = left - (lane + 1) * LANE;
        scene.line((x, leave(from)), (left, leave(from)), 1, INK);
        scene.line((x, reach(to)), (x, leave(from) + 1), 1, INK);
        scene.line((x, reach(to)), (left, reach(to)), 1, INK);
        for step in 0..HEAD {
            let half = step * 2 / 3;
            scene.fill(left - 1 - step, reach(to) - half, 1, 2 * half + 1, INK);
        }
    }
    scene
}

/// Gives each edge the nearest lane that is free between its nodes, the shortest edges first. Also
/// returns the number of lanes. Edges on one lane are at least `apart` nodes apart.
fn lanes(mut edges: Vec<[usize; 2]>, apart: usize) -> (Vec<([usize; 2], i32)>, i32) {
    edges.sort_by_key(|[from, to]| (to - from, *from));
    let mut taken: Vec<Vec<[usize; 2]>> = Vec::new();
    let mut placed = Vec::new();
    for [from, to] in edges {
        let is_free = |lane: &Vec<[usize; 2]>| {
            lane.iter().all(|[a, b]| to + apart <= *a || from >= *b + apart)
        };
        let lane = taken.iter().position(is_free).unwrap_or(taken.len());
        if lane == taken.len() {
            taken.push(Vec::new());
        }
        taken[lane].push([from, to]);
        placed.push(([from, to], lane as i32));
    }
    (placed, taken.len() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_on_one_lane_do_not_overlap() {
        let edges = [[0, 4], [1, 3], [2, 5], [3, 6], [4, 6], [0, 6], [6, 7]];
        for apart in [0, 1] {
            let (placed, count) = lanes(edges.to_vec(), apart);
            for (index, ([a, b], lane)) in placed.iter().enumerate() {
                for ([c, d], other) in &placed[..index] {
                    assert!(lane != other || b + apart <= *c || d + apart <= *a, "{placed:?}");
                }
            }
            assert_eq!(placed.len(), edges.len());
            assert_eq!(count, placed.iter().map(|(_, lane)| lane + 1).max().unwrap());
        }
    }
}
