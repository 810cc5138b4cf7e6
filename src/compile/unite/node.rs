//! Values as expressions over what both sides of a comparison did alike.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use smallvec::SmallVec;

/// One of the two programs that are compared.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Side {
    /// The meta program with the revision fixed.
    Meta,
    /// The revision's own compilation.
    Own,
}

/// A value. Equal ids are equal values on the path that is walked.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) struct Id(u32);

#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(super) enum Node {
    /// An integer of at most 64 bits.
    Int { width: u32, value: u64 },
    /// A constant that is identified by its text.
    Text(Rc<str>),
    /// The address of a symbol. The number is its key in LLVM.
    Symbol(Side, usize),
    /// The address of a local variable with this key and shape.
    Local(Side, usize, Rc<str>),
    /// A parameter.
    Argument(u32),
    /// The result of the latest occurrence of common event `number`. `width` is its size in bits if
    /// it is an integer, else 0.
    Token { number: u32, width: u32 },
    /// An operation without side effects.
    Operation(Rc<str>, SmallVec<[Id; 3]>),
}

/// The arena of nodes; each distinct node is stored once.
#[derive(Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    ids: FxHashMap<Node, Id>,
    /// The tokens that each node depends on.
    tokens: Vec<SmallVec<[u32; 4]>>,
}

/// The shape of the negation of a truth value.
const NOT: &str = "not";

impl Nodes {
    pub(super) fn get(&self, id: Id) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// Whether a value changes when event number `token` takes place again.
    pub(super) fn depends(&self, id: Id, token: u32) -> bool {
        self.tokens[id.0 as usize].contains(&token)
    }

    pub(super) fn int(&mut self, width: u32, value: u64) -> Id {
        let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
        self.add(Node::Int { width, value: value & mask })
    }

    pub(super) fn text(&mut self, text: &str) -> Id {
        self.add(Node::Text(text.into()))
    }

    pub(super) fn as_int(&self, id: Id) -> Option<(u32, u64)> {
        match self.get(id) {
            Node::Int { width, value } => Some((*width, *value)),
            _ => None,
        }
    }

    pub(super) fn add(&mut self, node: Node) -> Id {
        if let Some(known) = self.ids.get(&node) {
            return *known;
        }
        let mut tokens = SmallVec::new();
        match &node {
            Node::Token { number, .. } => tokens.push(*number),
            Node::Operation(_, operands) => {
                for operand in operands {
                    tokens.extend(self.tokens[operand.0 as usize].iter().copied());
                }
                tokens.sort_unstable();
                tokens.dedup();
            }
            _ => {}
        }
        let id = Id(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.tokens.push(tokens);
        self.ids.insert(node, id);
        id
    }

    /// An operation. It is folded where meta branches leave something that a single source does not
    /// have: the truth of a truth value, comparisons of numbers, and choices between constants.
    pub(super) fn operation(&mut self, shape: &str, operands: &[Id]) -> Id {
        self.folded(shape, operands)
            .unwrap_or_else(|| self.add(Node::Operation(shape.into(), operands.into())))
    }

    fn folded(&mut self, shape: &str, operands: &[Id]) -> Option<Id> {
        let word = shape.split(' ').next().unwrap_or_default();
        match (word, operands) {
            ("LLVMICmp", [a, b]) if shape.ends_with("LLVMIntSLT") => {
                let ((width, x), (_, y)) = (self.as_int(*a)?, self.as_int(*b)?);
                let signed = |value: u64| (value << (64 - width)).cast_signed();
                Some(self.int(1, u64::from(signed(x) < signed(y))))
            }
            ("LLVMICmp", [a, b]) => {
                let equal = shape.ends_with("LLVMIntEQ");
                if !equal && !shape.ends_with("LLVMIntNE") {
                    return None;
                }
                if let (Some((_, x)), Some((_, y))) = (self.as_int(*a), self.as_int(*b)) {
                    return Some(self.int(1, u64::from((x == y) == equal)));
                }
                // A truth value, perhaps widened, compared with zero.
                let truth = match self.get(*a) {
                    Node::Operation(inner, of) if inner.starts_with("LLVMZExt") => {
                        self.is_truth(of[0]).then_some(of[0])
                    }
                    _ => self.is_truth(*a).then_some(*a),
                }?;
                let (_, 0) = self.as_int(*b)? else { return None };
                Some(if equal { self.not(truth) } else { truth })
            }
            ("LLVMXor", [a, b]) => {
                let (1, 1) = self.as_int(*b)? else { return None };
                Some(self.not(*a))
            }
            ("LLVMZExt", [a]) => {
                let (_, value) = self.as_int(*a)?;
                let width = shape.split(' ').nth(1)?.strip_prefix('i')?.parse().ok()?;
                (width <= 64).then(|| self.int(width, value))
            }
            ("LLVMSelect", [condition, a, b]) => {
                let (_, value) = self.as_int(*condition)?;
                Some(if value == 1 { *a } else { *b })
            }
            _ => None,
        }
    }

    /// The operand of a negation, if the value is one.
    pub(super) fn as_not(&self, id: Id) -> Option<Id> {
        match self.get(id) {
            Node::Operation(shape, of) if &**shape == NOT => Some(of[0]),
            _ => None,
        }
    }

    /// The negation of a truth value.
    fn not(&mut self, truth: Id) -> Id {
        match self.get(truth) {
            Node::Int { value, .. } => {
                let value = 1 - *value;
                self.int(1, value)
            }
            Node::Operation(shape, of) if &**shape == NOT => of[0],
            _ => self.add(Node::Operation(NOT.into(), SmallVec::from_slice(&[truth]))),
        }
    }

    fn is_truth(&self, id: Id) -> bool {
        match self.get(id) {
            Node::Int { width, .. } | Node::Token { width, .. } => *width == 1,
            Node::Operation(shape, _) => &**shape == NOT || shape.split(' ').nth(1) == Some("i1"),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_of_a_truth_value_is_itself() {
        let mut nodes = Nodes::default();
        let (x, zero) = (nodes.add(Node::Token { number: 1, width: 32 }), nodes.int(32, 0));
        let truth = nodes.operation("LLVMICmp i1 LLVMIntSLT", &[x, zero]);
        let wide = nodes.operation("LLVMZExt i32 0", &[truth]);
        assert_eq!(nodes.operation("LLVMICmp i1 LLVMIntNE", &[wide, zero]), truth);
        let not = nodes.operation("LLVMICmp i1 LLVMIntEQ", &[wide, zero]);
        let one = nodes.int(1, 1);
        assert_ne!(not, truth);
        assert_eq!(nodes.operation("LLVMXor i1", &[not, one]), truth);
        assert!(nodes.depends(not, 1) && !nodes.depends(not, 2));
        // The result of a function that returns a truth value is a truth value.
        let given = nodes.add(Node::Token { number: 2, width: 1 });
        let wide = nodes.operation("LLVMZExt i32 0", &[given]);
        assert_eq!(nodes.operation("LLVMICmp i1 LLVMIntNE", &[wide, zero]), given);
        // The truth of a number is another value than the number.
        let other = nodes.operation("LLVMICmp i1 LLVMIntNE", &[x, zero]);
        assert_ne!(other, x);
    }

    #[test]
    fn comparisons_of_numbers_are_settled() {
        let mut nodes = Nodes::default();
        let [a, b] = [2, 3].map(|value| nodes.int(32, value));
        let [equal, unequal] = ["LLVMIntEQ", "LLVMIntNE"].map(|how| format!("LLVMICmp i1 {how}"));
        let equal = nodes.operation(&equal, &[a, b]);
        let unequal = nodes.operation(&unequal, &[a, b]);
        assert_eq!((nodes.as_int(equal), nodes.as_int(unequal)), (Some((1, 0)), Some((1, 1))));
        let minus = nodes.int(32, u64::from(u32::MAX));
        for (x, y, less) in [(a, b, 1), (b, a, 0), (a, a, 0), (minus, a, 1), (a, minus, 0)] {
            let found = nodes.operation("LLVMICmp i1 LLVMIntSLT", &[x, y]);
            assert_eq!(nodes.as_int(found), Some((1, less)));
        }
        assert_eq!(nodes.operation("LLVMSelect i32", &[unequal, a, b]), a);
    }
}
