//! Draws the clusterings as a matrix: a row for each revision, a column for each test, a colour for
//! each cluster.

use std::collections::{BTreeMap, BTreeSet};

use plotters::style::RGBColor;

use super::{
    labels::{Labels, shorten},
    layout::Face,
    repeated::{REPEATED, REPEATED_NOTE},
    scene::{Align, Colour, FAINT, INK, Scene, Shape, Text, WHITE, text_width},
    tree_plot::leaf_colours,
    verdicts::Verdicts,
};
use crate::{
    results::{Clustering, TestId},
    subject::{Revision, RevisionSet},
    tree::Tree,
};

/// The greatest number of columns: more would be too narrow to read on a page.
const MOST_TESTS: usize = 48;

const MARGIN: i32 = 12;
const TEXT: i32 = 11;
const ROW: i32 = 18;
const COLUMN: i32 = 24;
/// Space between the rows of different classes.
const CLASS_GAP: i32 = 5;
/// Space between the columns of the tree's tests and the others.
const TREE_GAP: i32 = 10;

/// Colours of clusters by rank: first that of the smallest revision, then the others by size. The
/// hues are Okabe and Ito's ("Color Universal Design", 2008), which people with all kinds of colour
/// vision can tell apart, lightened so that the number on them is readable. Clusters of higher rank
/// are white, and told apart by the number alone.
const COLOURS: [Colour; 8] = [
    RGBColor(0xe8, 0xea, 0xed),
    RGBColor(0xf3, 0xb1, 0x3d),
    RGBColor(0x7c, 0xc4, 0xee),
    RGBColor(0x35, 0xb2, 0x8b),
    RGBColor(0xe2, 0x9f, 0xc4),
    RGBColor(0xf3, 0xe9, 0x6b),
    RGBColor(0xe5, 0x8b, 0x4f),
    RGBColor(0x5b, 0x9f, 0xd0),
];

/// Draws the matrix of clusterings. Rows are in the order of the tree's leaves. Columns are the
/// tests of the tree and then others that cluster the revisions differently, as long as there are
/// at most 48 in all.
pub fn draw_clusters(
    clusterings: &[Clustering],
    tree: &Tree,
    labels: &Labels,
    verdicts: &Verdicts,
) -> Scene {
    let (columns, hidden) = columns(clusterings, tree);
    let in_tree = tree.tests();
    let header = |c: &&Clustering| (c.test.to_string(), shorten(&labels.input(c.test), 26));
    let headers: Vec<(String, String)> = columns.iter().map(header).collect();
    let leaves = tree.leaves();
    let repeated = tree.repeated();
    let name = |revision| {
        let also = if repeated.contains(revision) { REPEATED } else { "" };
        shorten(&labels.revision(revision), 36) + also
    };
    let names = leaves.iter().flat_map(|leaf| leaf.iter());
    let name_width = names.map(|r| text_width(&name(r), Face::Plain, TEXT)).max().unwrap_or(0);
    let number_width = headers.iter().map(|(n, _)| text_width(n, Face::Bold, TEXT)).max();
    let input_width = headers.iter().map(|(_, i)| text_width(i, Face::Mono, TEXT - 1)).max();
    let (number_width, input_width) = (number_width.unwrap_or(0), input_width.unwrap_or(0));

    let mut scene = Scene::default();
    let left = MARGIN + name_width + 10;
    let top = MARGIN + number_width + 8 + input_width + 8;
    let beside = (left - 10, top - 8 - number_width / 2);
    scene.text(beside, "test", Face::Bold, TEXT, Align::Right, INK);
    let mut xs = Vec::new();
    let mut x = left;
    for (index, column) in columns.iter().enumerate() {
        if index > 0
            && in_tree.contains(&columns[index - 1].test)
            && !in_tree.contains(&column.test)
        {
            x += TREE_GAP;
        }
        xs.push(x);
        x += COLUMN;
    }
    for ((number, input), x) in headers.iter().zip(&xs) {
        let middle = x + COLUMN / 2;
        let bottom = top - 8;
        upright(&mut scene, (middle, bottom), number, Face::Bold, INK);
        upright(&mut scene, (middle, bottom - number_width - 8), input, Face::Mono, FAINT);
    }
    let colours: Vec<BTreeMap<Revision, usize>> = columns.iter().map(|c| ranks(c)).collect();
    let mut y = top;
    let mut right = x;
    for leaf in &leaves {
        let first = y;
        for revision in leaf.iter() {
            let middle = y + ROW / 2;
            let at = (left - 10, middle);
            scene.text(at, &name(revision), Face::Plain, TEXT, Align::Right, INK);
            for ((column, x), colours) in columns.iter().zip(&xs).zip(&colours) {
                let Some(cluster) = column.cluster(revision) else { continue };
                let rank = colours.get(&cluster).copied().unwrap_or(0);
                let colour = COLOURS.get(rank).copied().unwrap_or(WHITE);
                scene.fill(*x, y, COLUMN - 1, ROW - 1, colour);
                let at = (x + (COLUMN - 1) / 2, middle);
                let ink = if rank == 0 { FAINT } else { INK };
                let number = cluster.to_string();
                scene.text(at, &number, Face::Plain, TEXT - 2, Align::Middle, ink);
            }
            y += ROW;
        }
        right = right.max(class_mark(&mut scene, (x + 6, first, y - 1), leaf, verdicts));
        y += CLASS_GAP;
    }
    scene.width = right + MARGIN;
    scene.height = y - CLASS_GAP + MARGIN;
    let mut lines = vec![String::from(
        "number: the smallest revision with the same outcome on the test; grey: the first cluster",
    )];
    if columns.iter().any(|c| leaves.iter().any(|leaf| leaf.iter().any(|r| c.cluster(r).is_none())))
    {
        lines.push("empty: the test says nothing of the revision".into());
    }
    if !repeated.is_empty() {
        lines.push(REPEATED_NOTE.into());
    }
    if columns.len() < clusterings.len() {
        lines.push(format!(
            "{hidden} more tests are not shown; they tell no further revisions apart"
        ));
    }
    captions(&mut scene, left, &lines);
    scene
}

/// Draws a bracket to the right of the rows of a class, with a text that says how its revisions are
/// related. Returns the `x` at which it ends.
fn class_mark(
    scene: &mut Scene,
    (x, top, bottom): (i32, i32, i32),
    leaf: &RevisionSet,
    verdicts: &Verdicts,
) -> i32 {
    let kind = verdicts.leaf(leaf).kind;
    let Some(text) = kind.text() else { return x };
    let (_, border, dashed) = leaf_colours(kind);
    let line = |from, to| Shape::Line { from, to, width: 2, dashed, colour: border };
    scene.shapes.push(line((x, top), (x, bottom)));
    let middle = i32::midpoint(top, bottom);
    scene.text((x + 8, middle), text, Face::Plain, TEXT, Align::Left, border);
    x + 8 + text_width(text, Face::Plain, TEXT)
}

/// Writes, below the matrix, the lines that say how to read it and what it leaves out.
fn captions(scene: &mut Scene, left: i32, lines: &[String]) {
    for line in lines {
        scene.height += ROW;
        let y = scene.height - MARGIN - ROW / 2 + 4;
        scene.text((left, y), line, Face::Faint, TEXT - 1, Align::Left, FAINT);
        let end = left + text_width(line, Face::Faint, TEXT - 1);
        scene.width = scene.width.max(end + MARGIN);
    }
}

fn upright(scene: &mut Scene, (x, y): (i32, i32), text: &str, face: Face, colour: Colour) {
    scene.shapes.push(Shape::Text(Text {
        x,
        y,
        text: text.to_owned(),
        face,
        size: if face == Face::Mono { TEXT - 1 } else { TEXT },
        align: Align::Left,
        upright: true,
        colour,
    }));
}

/// The rank of each cluster: first that of the smallest revision, then the others by size.
fn ranks(clustering: &Clustering) -> BTreeMap<Revision, usize> {
    let groups = clustering.groups();
    let first = groups.keys().next().copied();
    let mut order: Vec<(&Revision, usize)> =
        groups.iter().map(|(cluster, revisions)| (cluster, revisions.len())).collect();
    order.sort_by_key(|(cluster, size)| (Some(**cluster) != first, std::cmp::Reverse(*size)));
    order.iter().enumerate().map(|(rank, (cluster, _))| (**cluster, rank)).collect()
}

/// The tests to show, and how many are left out. First come the tests of the tree, in the order in
/// which a person meets them, then one for each further clustering, the finest first.
fn columns<'a>(clusterings: &'a [Clustering], tree: &Tree) -> (Vec<&'a Clustering>, usize) {
    let mut order = Vec::new();
    breadth_first(tree, &mut order);
    let mut shown: Vec<&Clustering> =
        order.iter().filter_map(|test| clusterings.iter().find(|c| c.test == *test)).collect();
    let mut seen: BTreeSet<&BTreeMap<Revision, Revision>> =
        shown.iter().map(|c| &c.clusters).collect();
    let mut others: Vec<(usize, &Clustering)> = clusterings
        .iter()
        .filter(|c| seen.insert(&c.clusters))
        .map(|c| (c.groups().len(), c))
        .filter(|(clusters, _)| *clusters > 1)
        .collect();
    others.sort_by_key(|(clusters, c)| (std::cmp::Reverse(*clusters), c.test));
    let room = MOST_TESTS.saturating_sub(shown.len());
    shown.extend(others.into_iter().map(|(_, c)| c).take(room));
    let hidden = clusterings.len() - shown.len();
    (shown, hidden)
}

fn breadth_first(tree: &Tree, order: &mut Vec<TestId>) {
    let mut level = vec![tree];
    while !level.is_empty() {
        let mut below = Vec::new();
        for tree in level {
            if let Tree::Node { test, outcomes } = tree {
                if !order.contains(test) {
                    order.push(*test);
                }
                below.extend(outcomes.iter().map(|branch| &branch.child));
            }
        }
        level = below;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_tests_of_the_tree_come_first_and_none_twice() {
        let sample = sample::forty();
        let (shown, hidden) = columns(&sample.clusterings, &sample.solution.tree);
        let asked = sample.solution.tree.tests();
        assert!(shown[..asked.len()].iter().all(|c| asked.contains(&c.test)));
        assert_eq!(shown.len(), MOST_TESTS);
        assert_eq!(shown.len() + hidden, sample.clusterings.len());
        let tests: BTreeSet<TestId> = shown.iter().map(|c| c.test).collect();
        assert_eq!(tests.len(), shown.len());
    }

    #[test]
    fn there_is_a_cell_for_every_revision_and_test() {
        for (sample, silent) in [(sample::seven(), false), (sample::silent(), true)] {
            let tree = &sample.solution.tree;
            let scene =
                draw_clusters(&sample.clusterings, tree, &sample.labels(), &sample.verdicts());
            let cells = scene.shapes.iter().filter(|s| matches!(s, Shape::Fill { .. })).count();
            let (shown, _) = columns(&sample.clusterings, tree);
            let known = |r: Revision| shown.iter().filter(|c| c.cluster(r).is_some()).count();
            let rows = tree.leaves().into_iter().flat_map(|leaf| leaf.iter());
            assert_eq!(cells, rows.map(known).sum::<usize>());
            assert_eq!(cells == 7 * shown.len(), !silent);
            for shape in &scene.shapes {
                if let Shape::Fill { x, y, width, height, .. } = shape {
                    assert!(x + width <= scene.width && y + height <= scene.height);
                }
            }
        }
    }
}
