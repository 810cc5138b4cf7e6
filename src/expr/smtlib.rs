//! SMT-LIB 2 scripts.
//!
//! Barrett, Fontaine, Tinelli: "The SMT-LIB Standard: Version 2.6", logics QF_BV and, with
//! floating point, QF_BVFP.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{BinaryOp, Bv, ExprId, Exprs, Node, TableId};

mod float;

impl Exprs {
    /// An SMT-LIB 2 script that asserts `constraints` and asks for a model. Its length is linear in
    /// the number of distinct terms, because a term that is used twice gets a name.
    pub fn smtlib(&self, constraints: &[ExprId]) -> String {
        let mut order = Vec::new();
        let mut uses: FxHashMap<ExprId, usize> = FxHashMap::default();
        self.post_order(
            constraints,
            &mut FxHashSet::default(),
            |seen, e| seen.contains(&e),
            |seen, e| {
                seen.insert(e);
                order.push(e);
                self.for_each_operand(e, |operand| *uses.entry(operand).or_default() += 1);
            },
        );
        let is_float = |e: &ExprId| {
            matches!(
                self.node(*e),
                Node::FloatUnary(..)
                    | Node::FloatBinary(..)
                    | Node::FloatMulAdd(..)
                    | Node::FloatCompare(..)
            )
        };
        let logic = if order.iter().any(is_float) { "QF_BVFP" } else { "QF_BV" };
        let mut script = Script {
            exprs: self,
            text: format!("(set-option :produce-models true)\n(set-logic {logic})\n"),
            written: FxHashMap::default(),
            numbers: FxHashMap::default(),
            names: 0,
        };
        for e in &order {
            if let Node::Variable(v) = self.node(*e) {
                let name = quoted(self.variable_name(v));
                let width = self.variable_width(v);
                let _ = writeln!(script.text, "(declare-const {name} (_ BitVec {width}))");
            }
        }
        for e in order {
            let term = script.term(e);
            let text = term.text();
            let is_shared = uses.get(&e).is_some_and(|uses| *uses > 1);
            let term = if text.starts_with('(') && (is_shared || text.len() > LONGEST) {
                script.named(term, self.width(e))
            } else {
                term
            };
            script.written.insert(e, term);
        }
        for constraint in constraints {
            let truth = script.truth(*constraint);
            let _ = writeln!(script.text, "(assert {truth})");
        }
        script.text.push_str("(check-sat)\n(get-model)\n");
        script.text
    }
}

struct Script<'a> {
    exprs: &'a Exprs,
    text: String,
    written: FxHashMap<ExprId, Term>,
    /// The names of floating-point results.
    numbers: FxHashMap<ExprId, String>,
    names: usize,
}

/// A term gets a name if its text is longer than this, so that no line grows with depth.
const LONGEST: usize = 120;

/// The text of a term. A term of width 1 is a truth value or a bit, depending on how it was made.
enum Term {
    Bits(String),
    Truth(String),
}

impl Term {
    fn text(&self) -> &str {
        match self {
            Self::Bits(text) | Self::Truth(text) => text,
        }
    }
}

impl Script<'_> {
    fn named(&mut self, term: Term, width: u32) -> Term {
        self.names += 1;
        let name = format!("t{}", self.names);
        let _ = match &term {
            Term::Bits(text) => {
                writeln!(self.text, "(define-fun {name} () (_ BitVec {width}) {text})")
            }
            Term::Truth(text) => writeln!(self.text, "(define-fun {name} () Bool {text})"),
        };
        match term {
            Term::Bits(_) => Term::Bits(name),
            Term::Truth(_) => Term::Truth(name),
        }
    }

    fn bits(&self, e: ExprId) -> String {
        match &self.written[&e] {
            Term::Bits(text) => text.clone(),
            Term::Truth(text) => format!("(ite {text} #b1 #b0)"),
        }
    }

    fn truth(&self, e: ExprId) -> String {
        match &self.written[&e] {
            Term::Truth(text) => text.clone(),
            Term::Bits(text) => format!("(= {text} #b1)"),
        }
    }

    fn term(&mut self, e: ExprId) -> Term {
        let exprs = self.exprs;
        let width = exprs.width(e);
        let text = match exprs.node(e) {
            Node::Constant(value) if width == 1 => {
                return Term::Truth(if value == 1 { "true" } else { "false" }.to_owned());
            }
            Node::Constant(_) | Node::WideConstant(_) => {
                literal(&exprs.as_bv(e).expect("a constant"))
            }
            Node::Variable(v) => quoted(exprs.variable_name(v)),
            Node::Not(a) if width == 1 => return Term::Truth(self.negation(a)),
            Node::Not(a) => format!("(bvnot {})", self.bits(a)),
            Node::Neg(a) => format!("(bvneg {})", self.bits(a)),
            Node::Binary(op, a, b) if width == 1 => match self.logic(op, a, b) {
                Some(text) => return Term::Truth(text),
                None => format!("({} {} {})", symbol(op), self.bits(a), self.bits(b)),
            },
            Node::Binary(op, a, b) => {
                format!("({} {} {})", symbol(op), self.bits(a), self.bits(b))
            }
            Node::Ite(c, a, b) if width == 1 => {
                let [c, a, b] = [c, a, b].map(|e| self.truth(e));
                return Term::Truth(format!("(ite {c} {a} {b})"));
            }
            Node::Ite(c, a, b) => {
                format!("(ite {} {} {})", self.truth(c), self.bits(a), self.bits(b))
            }
            Node::Extract { of, low } => {
                format!("((_ extract {} {low}) {})", low + width - 1, self.bits(of))
            }
            Node::Concat(a, b) => format!("(concat {} {})", self.bits(a), self.bits(b)),
            Node::Zext(a) => {
                format!("((_ zero_extend {}) {})", width - exprs.width(a), self.bits(a))
            }
            Node::Sext(a) => {
                format!("((_ sign_extend {}) {})", width - exprs.width(a), self.bits(a))
            }
            Node::Select(table, index) => self.select(table, index, width),
            Node::FloatCompare(relation, a, b) => {
                return Term::Truth(self.float_comparison(relation, a, b));
            }
            Node::FloatUnary(op, _, a) if !op.to_float() => self.float_to_integer(op, a, width),
            Node::FloatUnary(..) | Node::FloatBinary(..) | Node::FloatMulAdd(..) => {
                self.float_result(e)
            }
        };
        Term::Bits(text)
    }

    fn logic(&self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<String> {
        let symbol = match op {
            BinaryOp::Ult | BinaryOp::Slt => {
                return Some(format!("({} {} {})", symbol(op), self.bits(a), self.bits(b)));
            }
            BinaryOp::Eq if self.exprs.width(a) > 1 => {
                return Some(format!("(= {} {})", self.bits(a), self.bits(b)));
            }
            BinaryOp::Eq => "=",
            BinaryOp::And => "and",
            BinaryOp::Or => "or",
            BinaryOp::Xor => "xor",
            _ => return None,
        };
        Some(format!("({symbol} {} {})", self.truth(a), self.truth(b)))
    }

    /// The negation of `a`, written without `not` if another operator expresses it.
    fn negation(&self, a: ExprId) -> String {
        let operand_of_or = |e: ExprId| match self.exprs.node(e) {
            Node::Not(x) => self.truth(x),
            _ => self.negated_comparison(e).unwrap_or_else(|| format!("(not {})", self.truth(e))),
        };
        match self.exprs.node(a) {
            Node::Binary(BinaryOp::And, x, y) => {
                format!("(or {} {})", operand_of_or(x), operand_of_or(y))
            }
            _ => operand_of_or(a),
        }
    }

    fn negated_comparison(&self, e: ExprId) -> Option<String> {
        let (symbol, x, y) = match self.exprs.node(e) {
            Node::Binary(BinaryOp::Ult, x, y) => ("bvuge", x, y),
            Node::Binary(BinaryOp::Slt, x, y) => ("bvsge", x, y),
            _ => return None,
        };
        Some(format!("({symbol} {} {})", self.bits(x), self.bits(y)))
    }

    /// The element of a table, as a chain of choices: one line for each element, from the last to
    /// the first.
    fn select(&mut self, table: TableId, index: ExprId, width: u32) -> String {
        let bits = self.exprs.width(index);
        let mut rest = Term::Bits(literal(&Bv::zero(width)));
        for (i, element) in self.exprs.table_elements(table).iter().enumerate().rev() {
            let i = Bv::new(bits.max(64), i as u64);
            if i.significant_bits() > bits {
                continue;
            }
            let i = literal(&i.extract(0, bits));
            let text = format!(
                "(ite (= {} {i}) {} {})",
                self.bits(index),
                self.bits(*element),
                rest.text()
            );
            rest = self.named(Term::Bits(text), width);
        }
        rest.text().to_owned()
    }
}

fn literal(value: &Bv) -> String {
    let width = value.width() as usize;
    if width.is_multiple_of(4) {
        format!("#x{:0>1$}", value.to_biguint().to_str_radix(16), width / 4)
    } else {
        format!("#b{:0>width$}", value.to_biguint().to_str_radix(2))
    }
}

/// A quoted symbol may contain anything but `|` and `\`.
fn quoted(name: &str) -> String {
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "bvadd",
        BinaryOp::Mul => "bvmul",
        BinaryOp::Udiv => "bvudiv",
        BinaryOp::Sdiv => "bvsdiv",
        BinaryOp::Urem => "bvurem",
        BinaryOp::Srem => "bvsrem",
        BinaryOp::And => "bvand",
        BinaryOp::Or => "bvor",
        BinaryOp::Xor => "bvxor",
        BinaryOp::Shl => "bvshl",
        BinaryOp::Lshr => "bvlshr",
        BinaryOp::Ashr => "bvashr",
        BinaryOp::Eq => "=",
        BinaryOp::Ult => "bvult",
        BinaryOp::Slt => "bvslt",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_reads_like_the_conditions() {
        let exprs = Exprs::new();
        let x = exprs.input("x", 32);
        let y = exprs.input("a b", 8);
        let sum = exprs.add(exprs.zext(y, 32), x);
        let script = exprs.smtlib(&[
            exprs.slt(sum, exprs.constant(32, 10)),
            exprs.or(exprs.sle(x, sum), exprs.eq(y, exprs.constant(8, 65))),
        ]);
        insta::assert_snapshot!(script, @r"
        (set-option :produce-models true)
        (set-logic QF_BV)
        (declare-const |a b| (_ BitVec 8))
        (declare-const |x| (_ BitVec 32))
        (define-fun t1 () (_ BitVec 32) (bvadd ((_ zero_extend 24) |a b|) |x|))
        (assert (bvslt t1 #x0000000a))
        (assert (or (= |a b| #x41) (bvsge t1 |x|)))
        (check-sat)
        (get-model)
        ");
    }

    #[test]
    fn the_bits_of_a_float_are_defined_by_its_value() {
        use crate::expr::{FloatBinary, FloatRelation, Rounding};
        let exprs = Exprs::new();
        let [x, y] = ["x", "y"].map(|name| exprs.input(name, 32));
        let sum = exprs.float_binary(FloatBinary::Add, Rounding::NearestEven, x, y);
        let one = exprs.constant(32, 0x3f80_0000);
        let less = exprs.float_compare(FloatRelation::Less, sum, one);
        let odd = exprs.extract(sum, 0, 1);
        insta::assert_snapshot!(exprs.smtlib(&[less, odd]), @r"
        (set-option :produce-models true)
        (set-logic QF_BVFP)
        (declare-const |x| (_ BitVec 32))
        (declare-const |y| (_ BitVec 32))
        (define-fun f1 () (_ FloatingPoint 8 24) (fp.add RNE ((_ to_fp 8 24) |x|) ((_ to_fp 8 24) |y|)))
        (declare-const f1.bits (_ BitVec 32))
        (assert (= ((_ to_fp 8 24) f1.bits) f1))
        (define-fun t2 () Bool (fp.eq ((_ to_fp 8 24) |x|) ((_ to_fp 8 24) |x|)))
        (define-fun t3 () Bool (fp.eq ((_ to_fp 8 24) |y|) ((_ to_fp 8 24) |y|)))
        (define-fun t4 () (_ BitVec 9) ((_ extract 31 23) |y|))
        (define-fun t5 () (_ BitVec 22) ((_ extract 21 0) |y|))
        (define-fun t6 () (_ BitVec 23) (concat (ite true #b1 #b0) t5))
        (define-fun t7 () (_ BitVec 32) (concat t4 t6))
        (define-fun t8 () (_ BitVec 32) (ite t3 #xffc00000 t7))
        (define-fun t9 () (_ BitVec 9) ((_ extract 31 23) |x|))
        (define-fun t10 () (_ BitVec 22) ((_ extract 21 0) |x|))
        (define-fun t11 () (_ BitVec 23) (concat (ite true #b1 #b0) t10))
        (define-fun t12 () (_ BitVec 32) (concat t9 t11))
        (define-fun t13 () (_ BitVec 32) (ite t2 t8 t12))
        (define-fun t14 () (_ BitVec 32) (ite (fp.isNaN f1) t13 f1.bits))
        (assert (fp.lt f1 ((_ to_fp 8 24) #x3f800000)))
        (assert (= ((_ extract 0 0) t14) #b1))
        (check-sat)
        (get-model)
        ");
    }

    #[test]
    fn a_table_is_a_chain_of_choices() {
        let exprs = Exprs::new();
        let i = exprs.input("i", 3);
        let table = exprs.table(&[5, 6].map(|value| exprs.constant(8, value)));
        let e = exprs.select(table, i);
        insta::assert_snapshot!(exprs.smtlib(&[exprs.ult(e, exprs.constant(8, 6))]), @r"
        (set-option :produce-models true)
        (set-logic QF_BV)
        (declare-const |i| (_ BitVec 3))
        (define-fun t1 () (_ BitVec 8) (ite (= |i| #b001) #x06 #x00))
        (define-fun t2 () (_ BitVec 8) (ite (= |i| #b000) #x05 t1))
        (assert (bvult t2 #x06))
        (check-sat)
        (get-model)
        ");
    }
}
