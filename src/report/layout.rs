//! Places the nodes of a drawn tree. The tree grows from left to right, so that texts are
//! horizontal. Leaves stand one below the other, so that nothing overlaps. An inner node is in the
//! middle of its children, as in Reingold and Tilford, "Tidier Drawings of Trees" (1981).

use super::{
    labels::{Labels, ranges, shorten, wrap},
    repeated::REPEATED,
    verdicts::{LeafKind, Verdicts},
};
use crate::{subject::RevisionSet, tree::Tree};

/// A line of text in a box.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub text: String,
    pub face: Face,
}

/// The typeface of a text.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Face {
    Bold,
    Plain,
    Mono,
    Faint,
}

/// A box with its place. Units are pixels; `y` grows downwards.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    pub lines: Vec<Line>,
    /// How the revisions of a leaf are related; `None` for an inner node.
    pub kind: Option<LeafKind>,
}

impl Placed {
    pub fn middle(&self) -> i32 {
        self.y + self.height / 2
    }
}

/// A line from the right side of one box to the left side of another, both given by index.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    pub from: usize,
    pub to: usize,
    pub label: String,
}

/// A tree whose boxes and edges have their places.
#[derive(Debug, Default)]
pub(super) struct TreeLayout {
    pub boxes: Vec<Placed>,
    pub edges: Vec<Edge>,
    /// Revisions that stand at several leaves.
    pub repeated: RevisionSet,
    pub width: i32,
    pub height: i32,
}

/// Height of a line of text, in pixels.
pub(super) const LINE: i32 = 15;
/// Space between a text and the left or right border of its box.
pub(super) const PAD_X: i32 = 8;
const PAD_Y: i32 = 4;
const GAP: i32 = 8;
/// Distance from the right border of a box to the vertical part of its edges.
pub(super) const BUS: i32 = 12;
/// Length of an edge on each side of its label.
pub(super) const STUB: i32 = 10;
pub(super) const LABEL_PAD: i32 = 4;
/// The greatest number of characters of an outcome, or of a line of an input in a box.
const MOST: usize = 26;

/// A function that gives the width of a text, in pixels.
pub(super) type Measure<'a> = &'a dyn Fn(&str, Face) -> i32;

pub(super) fn layout(
    tree: &Tree,
    labels: &Labels,
    verdicts: &Verdicts,
    measure: Measure<'_>,
) -> TreeLayout {
    let empty = TreeLayout { repeated: tree.repeated(), ..TreeLayout::default() };
    let mut builder = Builder { labels, verdicts, measure, layout: empty, next_y: 0 };
    builder.place(tree, 0);
    let mut layout = builder.layout;
    layout.width = layout.boxes.iter().map(|b| b.x + b.width).max().unwrap_or(0);
    layout.height = layout.boxes.iter().map(|b| b.y + b.height).max().unwrap_or(0);
    layout
}

struct Builder<'a> {
    labels: &'a Labels,
    verdicts: &'a Verdicts,
    measure: Measure<'a>,
    layout: TreeLayout,
    next_y: i32,
}

impl Builder<'_> {
    /// Places the tree with its left border at `x`. Returns the index of its root's box.
    fn place(&mut self, tree: &Tree, x: i32) -> usize {
        let lines = match tree {
            Tree::Leaf(revisions) => self.leaf_lines(revisions),
            Tree::Node { test, .. } => {
                let mut lines = vec![Line { text: format!("test {test}"), face: Face::Bold }];
                let input = self.labels.input(*test);
                if !input.is_empty() {
                    let rows = wrap(&input, MOST, 4);
                    lines.extend(rows.into_iter().map(|text| Line { text, face: Face::Mono }));
                }
                let still = wrap(&ranges(&tree.revisions()), MOST, usize::MAX);
                lines.extend(still.into_iter().map(|text| Line { text, face: Face::Faint }));
                lines
            }
        };
        let text = lines.iter().map(|line| (self.measure)(&line.text, line.face)).max();
        let height = lines.len() as i32 * LINE + 2 * PAD_Y;
        let width = text.unwrap_or(0) + 2 * PAD_X;
        let index = self.layout.boxes.len();
        self.layout.boxes.push(Placed {
            x,
            y: self.next_y,
            width,
            height,
            lines,
            kind: match tree {
                Tree::Leaf(revisions) => Some(self.verdicts.leaf(revisions).kind),
                Tree::Node { .. } => None,
            },
        });
        match tree {
            Tree::Leaf(_) => self.next_y += height + GAP,
            Tree::Node { test, outcomes } => {
                let top = self.next_y;
                let clusters: Vec<_> = outcomes.iter().map(|branch| branch.cluster).collect();
                let labels = self.labels.outcomes(*test, &clusters, MOST);
                let widths = labels.iter().map(|label| (self.measure)(label, Face::Mono));
                let label = widths.max().unwrap_or(0) + 2 * LABEL_PAD;
                let child_x = x + width + BUS + 2 * STUB + label;
                let mut middles = Vec::new();
                for (branch, label) in outcomes.iter().zip(labels) {
                    let child = self.place(&branch.child, child_x);
                    middles.push(self.layout.boxes[child].middle());
                    self.layout.edges.push(Edge { from: index, to: child, label });
                }
                let middle = middles.first().zip(middles.last()).map_or(top, |(a, b)| (a + b) / 2);
                self.settle(index, middle, top);
            }
        }
        index
    }

    /// Centres an inner box on `middle`. If the box is taller than its whole subtree, which begins
    /// at `top`, the subtree moves down and the next one begins below the box.
    fn settle(&mut self, index: usize, middle: i32, top: i32) {
        let height = self.layout.boxes[index].height;
        let missing = (top - (middle - height / 2)).max(0);
        for below in &mut self.layout.boxes[index + 1..] {
            below.y += missing;
        }
        self.next_y += missing;
        let y = middle + missing - height / 2;
        self.layout.boxes[index].y = y;
        self.next_y = self.next_y.max(y + height + GAP);
    }

    fn leaf_lines(&self, revisions: &RevisionSet) -> Vec<Line> {
        let leaf = self.verdicts.leaf(revisions);
        let mut lines = Vec::new();
        for group in &leaf.groups {
            for (index, revision) in group.iter().enumerate() {
                let name = shorten(&self.labels.revision(revision), 34);
                let mark = if index == 0 { "" } else { "≡ " };
                let also = if self.layout.repeated.contains(revision) { REPEATED } else { "" };
                lines.push(Line { text: format!("{mark}{name}{also}"), face: Face::Plain });
            }
        }
        let kind = leaf.kind.text();
        lines.extend(kind.map(|text| Line { text: text.into(), face: Face::Faint }));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn nothing_overlaps() {
        for sample in [sample::seven(), sample::seventeen(), sample::forty(), sample::silent()] {
            let layout =
                layout(&sample.solution.tree, &sample.labels(), &sample.verdicts(), &|text, _| {
                    text.chars().count() as i32 * 7
                });
            for (index, a) in layout.boxes.iter().enumerate() {
                for b in &layout.boxes[..index] {
                    let apart = a.x + a.width < b.x
                        || b.x + b.width < a.x
                        || a.y + a.height < b.y
                        || b.y + b.height < a.y;
                    assert!(apart, "{a:?} {b:?}");
                }
                assert!(a.x >= 0 && a.y >= 0);
            }
            for edge in &layout.edges {
                let (from, to) = (&layout.boxes[edge.from], &layout.boxes[edge.to]);
                let label = edge.label.chars().count() as i32 * 7;
                assert!(from.x + from.width + BUS + label < to.x);
            }
        }
    }
}
