//! Shows a condition on one byte as the characters for which it holds.

use super::{Assignment, BinaryOp, Bv, ExprId, Exprs, Node};

/// The largest number of ranges that are shown.
const RANGES: usize = 4;

impl Exprs {
    /// A condition on one byte as ranges of values, such as `'0' <= c <= '9'`. The `bool` says
    /// whether it holds inside these ranges or outside. `None` if `e` is no such condition or needs
    /// many ranges. Also `None` if it only has comparisons, which are readable as they are.
    pub(super) fn characters(&self, e: ExprId) -> Option<(String, bool)> {
        let [byte] = *self.variables(e) else { return None };
        let are_comparisons = || !self.any_node(e, |e| !self.is_of_comparisons(e));
        if self.width(e) != 1 || self.variable_width(byte) != 8 || are_comparisons() {
            return None;
        }
        let holds = |value: &u8| {
            let assignment = Assignment([(byte, Bv::new(8, u64::from(*value)))].into());
            self.evaluate(e, &assignment).to_u64() == Some(1)
        };
        let (inside, outside): (Vec<u8>, Vec<u8>) = (0..=u8::MAX).partition(holds);
        let (inside, outside) = (ranges(&inside), ranges(&outside));
        let is_inside = inside.len() <= outside.len();
        let ranges = if is_inside { inside } else { outside };
        if ranges.is_empty() || ranges.len() > RANGES {
            return None;
        }
        let name = self.variable_name(byte);
        let ranges: Vec<String> = ranges.into_iter().map(|range| within(name, range)).collect();
        Some((ranges.join(" || "), is_inside))
    }

    /// Whether a node may occur in a condition that consists only of comparisons.
    fn is_of_comparisons(&self, e: ExprId) -> bool {
        let compares = |op| matches!(op, BinaryOp::Eq | BinaryOp::Ult | BinaryOp::Slt);
        match self.node(e) {
            Node::Variable(_) | Node::Constant(_) | Node::Zext(_) | Node::Sext(_) => true,
            Node::Not(_) | Node::Binary(BinaryOp::And, ..) => self.width(e) == 1,
            Node::Binary(op, ..) => compares(op),
            _ => false,
        }
    }
}

/// The ranges that ascending values form, each with both its ends.
fn ranges(values: &[u8]) -> Vec<(u8, u8)> {
    let run = values.chunk_by(|a, b| a + 1 == *b);
    run.map(|run| (run[0], run[run.len() - 1])).collect()
}

fn within(name: &str, (low, high): (u8, u8)) -> String {
    match (character(low), character(high)) {
        (low, high) if low == high => format!("{name} == {low}"),
        (_, high) if low == 0 => format!("{name} <= {high}"),
        (low, _) if high == u8::MAX => format!("{name} >= {low}"),
        (low, high) => format!("{low} <= {name} <= {high}"),
    }
}

/// A printable character in quotes; otherwise its number.
pub(super) fn character(byte: u8) -> String {
    match byte {
        b' '..=b'~' => format!("{:?}", char::from(byte)),
        _ => byte.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_characters_are_read_as_ranges() {
        let exprs = Exprs::new();
        let c = exprs.input("c", 8);
        let is = |holds: fn(&u8) -> bool| {
            let bits = (0..=u8::MAX).map(|byte| exprs.constant(16, u64::from(holds(&byte)) << 11));
            let table = exprs.table(&bits.collect::<Vec<_>>());
            exprs.extract(exprs.select(table, exprs.zext(c, 64)), 11, 1)
        };
        let digit = is(u8::is_ascii_digit);
        assert_eq!(exprs.display_as_c(digit), "'0' <= c <= '9'");
        assert_eq!(exprs.display_as_c(exprs.not(digit)), "!('0' <= c <= '9')");
        let d = exprs.input("d", 8);
        assert_eq!(exprs.display_as_c(exprs.ite(digit, c, d)), "('0' <= c <= '9') ? c : d");
        let letter = is(u8::is_ascii_alphabetic);
        assert_eq!(exprs.display_as_c(letter), "'A' <= c <= 'Z' || 'a' <= c <= 'z'");
        let blank = is(|byte| matches!(byte, 9..=13 | b' '));
        assert_eq!(exprs.display_as_c(blank), "9 <= c <= 13 || c == ' '");
        assert_eq!(exprs.display_as_c(is(u8::is_ascii)), "c <= 127");
        assert_eq!(exprs.characters(is(|byte| byte % 2 == 0)), None, "too many ranges");
        // This condition involves another byte.
        assert_eq!(exprs.characters(exprs.and(digit, exprs.eq(c, d))), None);
    }

    #[test]
    fn arithmetic_is_a_range_and_comparisons_stay() {
        let exprs = Exprs::new();
        let c = exprs.input("c", 8);
        let digit = exprs.sub(exprs.zext(c, 32), exprs.constant(32, 48));
        let is_digit = exprs.ult(digit, exprs.constant(32, 10));
        assert_eq!(exprs.display_as_c(is_digit), "'0' <= c <= '9'");
        let after = exprs.ult(exprs.constant(8, 64), c);
        assert_eq!(exprs.characters(after), None);
        assert_eq!(exprs.characters(exprs.eq(c, exprs.constant(8, 65))), None);
    }
}
