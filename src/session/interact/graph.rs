//! The change sequence graph of a patched program (Böhme, Oliveira and Roychoudhury, ESEC/FSE 2013,
//! section 4): in which order changes may run, and where they may interact on the way to an output.
//!
//! Nodes are changes, *interaction locations* and outputs. An edge says that control may go from
//! one node to another without passing a third. The graph is made by algorithm 1 of that paper,
//! with three differences. It has the beginning of the program, and it goes on behind outputs after
//! which the program goes on. An edge ends at the nodes that control reaches, not at every change
//! on which an interaction location depends. A line that depends on several changes is an
//! interaction location only if the changes come together there: no line before it on which it
//! depends directly depends on the same changes.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    dependence::Dependence,
    flow::{Flow, Place},
};
use crate::{
    env::models,
    ir::{FunctionId, Inst, SourceLine},
    results::NodeKind,
};

/// Functions without models that show something or end the program.
const OUTPUTS: [&str; 8] =
    ["__assert_rtn", "dprintf", "err", "errx", "perror", "quick_exit", "warn", "write"];

/// A node of the graph.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Node {
    Root,
    /// The change with this index.
    Change(usize),
    Interaction(SourceLine),
    Output(SourceLine),
}

impl Node {
    pub(super) fn kind(self) -> NodeKind {
        match self {
            Self::Root => NodeKind::Root,
            Self::Change(_) => NodeKind::Change,
            Self::Interaction(_) => NodeKind::Interaction,
            Self::Output(_) => NodeKind::Output,
        }
    }
}

/// The change sequence graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// The edges, in the order of the program.
    pub(super) edges: Vec<(Node, Node)>,
    /// The changes on which each node depends.
    pub(super) depends: BTreeMap<Node, BTreeSet<usize>>,
    /// The sets of changes that some place depends on.
    joined: BTreeSet<BTreeSet<usize>>,
}

impl Graph {
    /// The graph of a program that begins with `entry`. `change` says which change a line belongs
    /// to.
    pub(super) fn new(
        flow: &Flow<'_>,
        entry: FunctionId,
        changes: usize,
        change: &dyn Fn(SourceLine) -> Option<usize>,
    ) -> Self {
        let dependence = Dependence::new(flow);
        let order = order(flow, entry);
        let mut depends_on: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); flow.len()];
        for index in 0..changes {
            let own = order.iter().copied();
            let own = own.filter(|place| change(flow.line(*place)) == Some(index)).collect();
            for place in dependence.slice(flow, own) {
                depends_on[place].insert(index);
            }
        }
        let outputs: BTreeSet<SourceLine> = order
            .iter()
            .filter(|place| is_output(flow, entry, **place))
            .map(|place| flow.line(*place))
            .collect();
        let joins = joins(flow, &order, &dependence, &depends_on);
        let node_of = |place: Place| {
            let line = flow.line(place);
            match change(line) {
                Some(index) => Some(Node::Change(index)),
                None if outputs.contains(&line) => Some(Node::Output(line)),
                None if joins.contains(&line) => Some(Node::Interaction(line)),
                None => None,
            }
        };
        let mut graph = Self::default();
        let mut own: BTreeMap<Node, Vec<Place>> = BTreeMap::new();
        let mut nodes = Vec::new();
        for place in &order {
            let Some(node) = node_of(*place) else { continue };
            if !own.contains_key(&node) {
                nodes.push(node);
            }
            own.entry(node).or_default().push(*place);
            let on = graph.depends.entry(node).or_default();
            on.extend(&depends_on[*place]);
            if let Node::Change(index) = node {
                on.remove(&index);
            }
        }
        let first = flow.functions[&entry];
        graph.add(Node::Root, reached(flow, None, vec![first], &node_of), &nodes);
        for node in &nodes {
            let from = own[node].iter().flat_map(|place| flow.next[*place].clone()).collect();
            graph.add(*node, reached(flow, Some(*node), from, &node_of), &nodes);
        }
        graph.joined = depends_on.into_iter().filter(|changes| changes.len() > 1).collect();
        graph
    }

    /// Adds edges to the nodes `to`, in the order in which these come in the program.
    fn add(&mut self, from: Node, to: BTreeSet<Node>, order: &[Node]) {
        let to = order.iter().filter(|node| to.contains(node));
        self.edges.extend(to.map(|to| (from, *to)));
    }

    /// Whether some place depends on all of these changes, so that they interact *potentially*.
    pub(super) fn may_interact(&self, changes: &BTreeSet<usize>) -> bool {
        self.joined.iter().any(|joined| changes.is_subset(joined))
    }

    /// Which changes may run after each change, on some way through the graph.
    pub(super) fn after(&self, changes: usize) -> Vec<BTreeSet<usize>> {
        let mut next: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        for (from, to) in &self.edges {
            next.entry(*from).or_default().push(*to);
        }
        let after = |index: usize| {
            let (mut seen, mut left) = (BTreeSet::new(), vec![Node::Change(index)]);
            while let Some(node) = left.pop() {
                for to in next.get(&node).into_iter().flatten() {
                    if seen.insert(*to) {
                        left.push(*to);
                    }
                }
            }
            let change = |node: &Node| match node {
                Node::Change(index) => Some(*index),
                _ => None,
            };
            seen.iter().filter_map(change).collect()
        };
        (0..changes).map(after).collect()
    }
}

/// The instructions that may run, each before those that only run after it.
fn order(flow: &Flow<'_>, entry: FunctionId) -> Vec<Place> {
    let first = flow.functions[&entry];
    let (mut seen, mut order) = (BTreeSet::from([first]), Vec::new());
    let mut stack = vec![(first, flow.next[first].len())];
    while let Some((place, left)) = stack.pop() {
        // What is met last comes first.
        match left.checked_sub(1) {
            Some(left) => {
                stack.push((place, left));
                let next = flow.next[place][left];
                if seen.insert(next) {
                    stack.push((next, flow.next[next].len()));
                }
            }
            None => order.push(place),
        }
    }
    order.reverse();
    order
}

/// Whether an instruction shows something, or ends the program.
fn is_output(flow: &Flow<'_>, entry: FunctionId, place: Place) -> bool {
    match flow.inst(place) {
        Inst::Return { .. } => flow.owner(place) == entry && flow.line(place).line > 0,
        Inst::Trap { .. } => true,
        _ => flow
            .calls_outside(place)
            .is_some_and(|name| models::shows(name) || OUTPUTS.contains(&name)),
    }
}

/// The lines at which several changes come together.
fn joins(
    flow: &Flow<'_>,
    order: &[Place],
    dependence: &Dependence,
    depends_on: &[BTreeSet<usize>],
) -> BTreeSet<SourceLine> {
    let mut before: BTreeMap<Place, Vec<Place>> = BTreeMap::new();
    for place in order {
        for dependent in &dependence.dependents[*place] {
            before.entry(*dependent).or_default().push(*place);
        }
    }
    let (mut joins, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for place in order {
        let changes = &depends_on[*place];
        let passes_on = |other: &Place| seen.contains(other) && depends_on[*other] == *changes;
        let is_passed_on = before.get(place).is_some_and(|others| others.iter().any(passes_on));
        if changes.len() > 1 && !is_passed_on && flow.line(*place).line > 0 {
            joins.insert(flow.line(*place));
        }
        seen.insert(*place);
    }
    joins
}

/// The nodes that control reaches from some places without passing another node.
fn reached(
    flow: &Flow<'_>,
    from: Option<Node>,
    places: Vec<Place>,
    node_of: &dyn Fn(Place) -> Option<Node>,
) -> BTreeSet<Node> {
    let (mut seen, mut left, mut reached) = (BTreeSet::new(), places, BTreeSet::new());
    while let Some(place) = left.pop() {
        if !seen.insert(place) {
            continue;
        }
        match node_of(place) {
            Some(node) if Some(node) == from => {}
            Some(node) => _ = reached.insert(node),
            None => left.extend(&flow.next[place]),
        }
    }
    reached
}
