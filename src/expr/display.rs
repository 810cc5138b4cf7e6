//! A readable form for reports and error messages.

use std::fmt::Write;

use super::{
    Assignment, BinaryOp, ExprId, Exprs, FloatBinary, FloatRelation, FloatUnary, Node, Rounding,
    characters::character,
};

/// The length in bytes beyond which a text is cut and ends in an ellipsis. Because subterms are
/// shared, the printed tree can be exponentially larger than the term.
const LONGEST: usize = 2000;

impl Exprs {
    /// A readable infix form for reports and error messages, with C's operators. Signed operations
    /// are marked with `s`, as in `a <s b`, floating-point ones with `f`. A text that gets too long
    /// is cut and ends in `...`.
    pub fn display(&self, e: ExprId) -> String {
        self.text(vec![Part::Term(e)], Notation::Marked)
    }

    /// A condition in readable infix form, as it would appear in C. Unlike in [`Self::display`],
    /// signed operations are not marked, and the whole has no parentheses.
    pub fn display_as_c(&self, e: ExprId) -> String {
        let mut parts = self.parts(e, Notation::C);
        // If the first text is only a parenthesis, the last one closes it.
        if let [Part::Text(first), .., Part::Text(last)] = &mut parts[..]
            && first == "("
        {
            first.clear();
            last.pop();
        }
        self.text(parts, Notation::C)
    }

    /// The text of several parts in sequence.
    fn text(&self, parts: Vec<Part>, notation: Notation) -> String {
        let mut text = String::new();
        let mut stack = parts;
        stack.reverse();
        while let Some(part) = stack.pop() {
            if text.len() > LONGEST {
                text.push_str("...");
                break;
            }
            match part {
                Part::Text(part) => text.push_str(&part),
                Part::Term(e) => stack.extend(self.parts(e, notation).into_iter().rev()),
            }
        }
        text
    }

    /// `name = value` for every variable, ascending by name.
    pub fn display_assignment(&self, assignment: &Assignment) -> String {
        let mut parts: Vec<_> = assignment
            .0
            .iter()
            .map(|(v, value)| format!("{} = {value}", self.variable_name(*v)))
            .collect();
        parts.sort();
        parts.join(", ")
    }

    fn parts(&self, e: ExprId, notation: Notation) -> Vec<Part> {
        use Part::{Term, Text};
        let text = |text: &str| Text(text.to_owned());
        let infix = |a, op: &str, b| vec![text("("), Term(a), text(op), Term(b), text(")")];
        if let (Notation::C, Some((ranges, is_inside))) = (notation, self.characters(e)) {
            return vec![text(if is_inside { "(" } else { "!(" }), Text(ranges), text(")")];
        }
        let width = self.width(e);
        match self.node(e) {
            Node::Constant(_) | Node::WideConstant(_) => {
                vec![Text(self.as_bv(e).expect("a constant").to_string())]
            }
            Node::Variable(v) => vec![text(self.variable_name(v))],
            Node::Not(a) => self.negation_parts(a, notation),
            Node::Neg(a) => vec![text("-"), Term(a)],
            Node::Binary(op, a, b) => match (op, self.node(b), self.as_bv(b)) {
                (BinaryOp::Add, Node::Neg(b), _) => infix(a, " - ", b),
                (BinaryOp::Add, _, Some(c)) if c.is_negative() && width > 1 => {
                    vec![text("("), Term(a), Text(format!(" - {})", c.neg()))]
                }
                (BinaryOp::Mul, _, Some(c)) if c.is_negative() && width > 1 => {
                    vec![text("("), Term(a), Text(format!(" * {})", signed(&c)))]
                }
                (BinaryOp::Eq, ..) => self.equality_parts(a, "==", b),
                (BinaryOp::Slt, _, Some(c)) => {
                    vec![
                        text("("),
                        Term(a),
                        Text(format!(" <{} {})", notation.signed(), signed(&c))),
                    ]
                }
                (BinaryOp::And, ..) if width == 1 => infix(a, " && ", b),
                _ => infix(a, &symbol(op, notation), b),
            },
            Node::Ite(c, a, b) => {
                vec![text("("), Term(c), text(" ? "), Term(a), text(" : "), Term(b), text(")")]
            }
            Node::Extract { of, low } => {
                let mut range = String::new();
                let _ = write!(range, "[{}:{low}]", low + width - 1);
                vec![Term(of), Text(range)]
            }
            Node::Concat(a, b) => infix(a, " ++ ", b),
            Node::Zext(a) => vec![Text(format!("u{width}(")), Term(a), text(")")],
            Node::Sext(a) => vec![Text(format!("s{width}(")), Term(a), text(")")],
            Node::Select(table, index) => {
                let length = self.table_elements(table).len();
                vec![Text(format!("table{length}[")), Term(index), text("]")]
            }
            Node::FloatUnary(op, rounding, a) => {
                let (name, mode) = (float_function(op, width), mode(rounding));
                vec![Text(format!("{name}{mode}(")), Term(a), text(")")]
            }
            Node::FloatBinary(op, rounding, a, b) => {
                let symbol = match op {
                    FloatBinary::Add => "+f",
                    FloatBinary::Sub => "-f",
                    FloatBinary::Mul => "*f",
                    FloatBinary::Div => "/f",
                };
                infix(a, &format!(" {symbol}{} ", mode(rounding)), b)
            }
            Node::FloatMulAdd(rounding, [a, b, c]) => {
                let name = Text(format!("fma{}(", mode(rounding)));
                vec![name, Term(a), text(", "), Term(b), text(", "), Term(c), text(")")]
            }
            Node::FloatCompare(relation, a, b) => infix(a, relation_symbol(relation), b),
        }
    }

    /// The comparison `x relation y`, where `relation` says equal or not equal. A byte is compared
    /// with a character, an integer with a signed number.
    fn equality_parts(&self, x: ExprId, relation: &str, y: ExprId) -> Vec<Part> {
        let width = self.width(y);
        let shown = self.as_bv(y).and_then(|c| match c.to_u64() {
            Some(byte) if width == 8 => Some(character(byte as u8)),
            Some(_) if width >= 32 && c.is_negative() => Some(signed(&c)),
            _ => None,
        });
        let open = Part::Text("(".into());
        let relation = Part::Text(format!(" {relation} "));
        let y = shown.map_or(Part::Term(y), Part::Text);
        vec![open, Part::Term(x), relation, y, Part::Text(")".into())]
    }

    fn negation_parts(&self, a: ExprId, notation: Notation) -> Vec<Part> {
        use Part::{Term, Text};
        let text = |text: &str| Text(text.to_owned());
        let width = self.width(a);
        match self.node(a) {
            _ if width > 1 => vec![text("~"), Term(a)],
            Node::Binary(BinaryOp::Eq, x, y) => self.equality_parts(x, "!=", y),
            Node::Binary(BinaryOp::Ult, x, y) => {
                vec![text("("), Term(x), text(" >= "), Term(y), text(")")]
            }
            Node::Binary(BinaryOp::Slt, x, y) => {
                let y = self.as_bv(y).map_or(Term(y), |y| Text(signed(&y)));
                let relation = Text(format!(" >={} ", notation.signed()));
                vec![text("("), Term(x), relation, y, text(")")]
            }
            Node::Binary(BinaryOp::And, x, y) => {
                let [x, y] = [x, y].map(|e| match self.node(e) {
                    Node::Not(positive) => vec![Term(positive)],
                    Node::Binary(BinaryOp::And, ..) => vec![text("!"), Term(e)],
                    _ => self.negation_parts(e, notation),
                });
                let mut parts = vec![text("(")];
                parts.extend(x);
                parts.push(text(" || "));
                parts.extend(y);
                parts.push(text(")"));
                parts
            }
            _ => vec![text("!"), Term(a)],
        }
    }
}

/// The suffix that names a rounding mode; empty for the default, to nearest with ties to even.
fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "",
        Rounding::NearestAway => "_away",
        Rounding::Zero => "_zero",
        Rounding::Up => "_up",
        Rounding::Down => "_down",
    }
}

fn float_function(op: FloatUnary, width: u32) -> String {
    match op {
        FloatUnary::Sqrt => "sqrt".to_owned(),
        FloatUnary::RoundToIntegral => "integral".to_owned(),
        FloatUnary::Convert => format!("f{width}"),
        FloatUnary::FromSigned => format!("f{width}_of_s"),
        FloatUnary::FromUnsigned => format!("f{width}_of_u"),
        FloatUnary::ToSigned => format!("s{width}_of_f"),
        FloatUnary::ToUnsigned => format!("u{width}_of_f"),
    }
}

fn relation_symbol(relation: FloatRelation) -> &'static str {
    match relation {
        FloatRelation::Equal => " ==f ",
        FloatRelation::Less => " <f ",
        FloatRelation::LessOrEqual => " <=f ",
    }
}

/// How operators are written.
#[derive(Clone, Copy)]
enum Notation {
    /// Signed operations have a mark.
    Marked,
    /// As in C, where the operand types show whether an operation is signed.
    C,
}

impl Notation {
    /// The mark after the operator of a signed operation.
    fn signed(self) -> &'static str {
        match self {
            Self::Marked => "s",
            Self::C => "",
        }
    }
}

enum Part {
    Term(ExprId),
    Text(String),
}

fn signed(value: &super::Bv) -> String {
    if value.is_negative() { format!("-{}", value.neg()) } else { value.to_string() }
}

fn symbol(op: BinaryOp, notation: Notation) -> String {
    let (operator, mark) = match op {
        BinaryOp::Add => ("+", ""),
        BinaryOp::Mul => ("*", ""),
        BinaryOp::Udiv => ("/", ""),
        BinaryOp::Sdiv => ("/", notation.signed()),
        BinaryOp::Urem => ("%", ""),
        BinaryOp::Srem => ("%", notation.signed()),
        BinaryOp::And => ("&", ""),
        BinaryOp::Or => ("|", ""),
        BinaryOp::Xor => ("^", ""),
        BinaryOp::Shl => ("<<", ""),
        BinaryOp::Lshr => (">>", ""),
        BinaryOp::Ashr => (">>", notation.signed()),
        BinaryOp::Eq => ("==", ""),
        BinaryOp::Ult => ("<", ""),
        BinaryOp::Slt => ("<", notation.signed()),
    };
    format!(" {operator}{mark} ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_read_like_c() {
        let exprs = Exprs::new();
        let x = exprs.input("x", 32);
        let c = exprs.input("c", 8);
        let at_most = exprs.sle(x, exprs.constant(32, 9));
        assert_eq!(exprs.display(at_most), "(x <s 10)");
        assert_eq!(exprs.display(exprs.not(at_most)), "(x >=s 10)");
        let other = exprs.ne(c, exprs.constant(8, 65));
        assert_eq!(exprs.display(other), "(c != 'A')");
        assert_eq!(exprs.display(exprs.sub(x, exprs.constant(32, 3))), "(x - 3)");
        assert_eq!(exprs.display(exprs.extract(x, 8, 8)), "x[15:8]");
        let either = exprs.display(exprs.or(at_most, other));
        assert!(either == "((x <s 10) || (c != 'A'))" || either == "((c != 'A') || (x <s 10))");
    }

    #[test]
    fn only_parentheses_around_all_of_a_text_go() {
        let exprs = Exprs::new();
        let (x, y) = (exprs.input("x", 32), exprs.input("y", 32));
        let double = exprs.mul(x, exprs.constant(32, 3));
        let at_least = exprs.not(exprs.slt(double, exprs.constant(32, 2)));
        let quotient = exprs.eq(exprs.sdiv(x, y), exprs.srem(y, x));
        let shown = [x, at_least, quotient, exprs.ashr(x, y), exprs.sext(exprs.slt(x, y), 32)];
        let shown = shown.map(|e| exprs.display_as_c(e));
        let expected = ["x", "(x * 3) >= 2", "(x / y) == (y % x)", "x >> y", "s32((x < y))"];
        assert_eq!(shown, expected);
        assert_eq!(exprs.display_as_c(exprs.sub(x, exprs.constant(32, 3))), "x - 3");
    }
}
