//! When do two texts with symbolic pieces differ?
//!
//! The answer is a condition over the variables. It is computed as the negation of the condition
//! that the texts are *equal*, by walking both from left to right. Literal bytes match or end the
//! walk; symbolic bytes and numbers written in the same way contribute an equation of their values.
//! That is exact as long as the text of a number cannot run into what follows (the number is
//! *delimited*). Where it can (`%d%d`, a number beside a symbolic byte), the walk splits over the
//! [`NumberLayout`]s of the number, after which every byte has its place. Digits are compared in
//! runs, as quotients of the value by powers of the base. Floating-point numbers (`real`) with
//! equal values have equal texts, and a text stands for an interval of values.
//!
//! The splitting has a budget. Past it, only one alignment is followed: the one in which the
//! numbers agree pairwise, if there is one. The condition for equality is then stronger than
//! necessary, and the condition for difference is weaker. Refuting the latter still proves
//! equality.

use std::collections::HashMap;
use std::rc::Rc;

use crate::env::libc::format::layout::{Cell, NumberLayout};
use crate::env::libc::format::real::Spelled;
use crate::env::libc::format::scanf::ByteSet;
use crate::env::libc::format::{number::NumberFormat, radix::Radix};
use crate::env::libc::stream::{Atom, RealFormat, Stream};
use crate::expr::{Bv, ExprId, Exprs};

mod real;
#[cfg(test)]
mod tests;

use real::Real;
pub use real::certain_difference;

/// Number of alignments of the two texts to try before the rest is approximated. Enough for two
/// adjacent `%ld` and for three adjacent `%d`.
const ALIGNMENTS: usize = 16_384;

/// Number of nested splits before the rest is approximated; bounds the recursion.
const NESTING: usize = 100;

/// The condition under which two texts differ.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Difference {
    /// A truth value. If an assignment makes it false, the texts are equal.
    pub formula: ExprId,
    /// Whether the converse holds, too: if an assignment makes the formula true, the texts differ.
    pub exact: bool,
}

/// The condition under which the two texts differ. It is exact unless there are very many numbers
/// without delimiters, or floating-point numbers whose rounding may hide a difference.
pub fn difference(exprs: &Exprs, a: &Stream, b: &Stream) -> Difference {
    difference_within(ALIGNMENTS, exprs, a, b)
}

/// The condition under which the two texts differ, without splitting. It takes linear time and
/// gives a formula about as small as the texts, but is not exact if a number without a delimiter is
/// compared. Refuting the formula is the cheapest proof of equality. If it has a model under which
/// the texts happen to be equal, [`difference`] gives a more precise one.
pub fn quick_difference(exprs: &Exprs, a: &Stream, b: &Stream) -> Difference {
    difference_within(0, exprs, a, b)
}

fn difference_within(budget: usize, exprs: &Exprs, a: &Stream, b: &Stream) -> Difference {
    let mut a: Vec<Atom> = a.atoms().collect();
    let mut b: Vec<Atom> = b.atoms().collect();
    // A common end makes no difference, and without it more numbers stand at the end of the text.
    let common = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    a.truncate(a.len() - common);
    b.truncate(b.len() - common);
    let mut shapes = Shapes::default();
    let texts = [a, b].map(|atoms| Text::new(exprs, atoms, &mut shapes));
    let mut walk = TextWalk { exprs, texts, budget, known: HashMap::new() };
    let equal = walk.equal([Position::default(); 2], NESTING);
    Difference { formula: exprs.not(equal.formula), exact: equal.exact }
}

/// A condition that implies that the texts are equal. If `exact`, equal texts imply it, too.
#[derive(Clone, Copy)]
struct Equal {
    formula: ExprId,
    exact: bool,
}

/// The layouts of numbers by format and by width in bits.
type Shapes = HashMap<(NumberFormat, u32), Rc<[NumberLayout]>>;

/// An integer in a text.
#[derive(Clone)]
struct Number {
    value: ExprId,
    format: NumberFormat,
    layouts: Rc<[NumberLayout]>,
}

impl Number {
    fn length_bounds(&self) -> (usize, usize) {
        let lengths = self.layouts.iter().map(NumberLayout::len);
        lengths.fold((usize::MAX, 0), |(least, most), l| (least.min(l), most.max(l)))
    }

    /// Whether equal values, and only those, have equal texts.
    fn comparable(&self, other: &Self) -> bool {
        let signed = other.format.signed;
        let flags = self.format.flags;
        // Signs of positive numbers are written for signed formats only.
        (NumberFormat { signed, ..self.format }) == other.format
            && (self.format.signed == signed || !flags.plus && !flags.space)
    }

    /// The condition that the mathematical values are equal.
    fn same_value(&self, exprs: &Exprs, other: &Self) -> ExprId {
        let [a, b] = [self, other].map(|number| exprs.width(number.value));
        let mixed = self.format.signed != other.format.signed;
        let width = a.max(b) + u32::from(mixed);
        let [a, b] = [self, other].map(|number| match number.format.signed {
            true => exprs.sext(number.value, width),
            false => exprs.zext(number.value, width),
        });
        exprs.eq(a, b)
    }
}

/// The bytes with which the longer of two texts of comparable numbers can go on where the shorter
/// one, a proper prefix of it, ends. The longer text is longer than the field, so it is not padded,
/// and its first byte is part of the shorter one.
fn continuation(a: &Number, b: &Number) -> ByteSet {
    let [a_bounds, b_bounds] = [a, b].map(Number::length_bounds);
    let (least, most) = (a_bounds.0.min(b_bounds.0), a_bounds.1.max(b_bounds.1));
    if least == most {
        return ByteSet::default();
    }
    if least == 0 {
        return ByteSet::default().complement();
    }
    let layouts = a.layouts.iter().chain(&*b.layouts);
    let mut bytes = digits(a.format.radix);
    bytes.extend(&layouts.flat_map(|layout| layout.prefix).copied().collect());
    bytes
}

/// An [`Atom`], with the layouts it can have if it is an integer.
enum Token {
    Literal(u8),
    Byte(ExprId),
    Number(Number),
    Real(Real),
}

/// One of the two texts.
struct Text {
    tokens: Vec<Token>,
    /// The least and the greatest length of the rest of the text from each token on, and from its
    /// end.
    lengths: Vec<(usize, usize)>,
}

/// A place in a text: in front of a token, or inside a number. Inside a number, `inside` is the
/// index of its layout and the count of its bytes already passed.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
struct Position {
    token: usize,
    inside: Option<(usize, usize)>,
}

impl Position {
    fn before(token: usize) -> Self {
        Self { token, inside: None }
    }
}

/// What comes next at a [`Position`].
enum Next<'t> {
    End,
    Literal(u8),
    Byte(ExprId),
    /// A number whose layout is not known.
    Number(&'t Number),
    Real(&'t Real),
    /// Inside a number: the digit that has this many digits to its right.
    Digit(&'t Number, &'t NumberLayout, usize),
}

impl Text {
    fn new(exprs: &Exprs, atoms: Vec<Atom>, shapes: &mut Shapes) -> Self {
        let token = |atom| match atom {
            Atom::Literal(byte) => Token::Literal(byte),
            Atom::Byte(byte) => Token::Byte(byte),
            Atom::Number { value, format } => {
                let bits = exprs.width(value);
                let layouts = shapes
                    .entry((format, bits))
                    .or_insert_with(|| format.layouts(bits).into())
                    .clone();
                Token::Number(Number { value, format, layouts })
            }
            Atom::Real { value, format } => Token::Real(Real { value, format }),
        };
        let tokens: Vec<_> = atoms.into_iter().map(token).collect();
        let mut lengths = vec![(0usize, 0usize); tokens.len() + 1];
        for (index, token) in tokens.iter().enumerate().rev() {
            let (least, most) = match token {
                Token::Literal(_) | Token::Byte(_) => (1, 1),
                Token::Number(number) => number.length_bounds(),
                Token::Real(real) => real.format.length_bounds(exprs.width(real.value)),
            };
            let behind = lengths[index + 1];
            lengths[index] = (behind.0.saturating_add(least), behind.1.saturating_add(most));
        }
        Self { tokens, lengths }
    }

    fn layout(&self, position: Position) -> Option<(&Number, &NumberLayout, usize)> {
        let (layout, offset) = position.inside?;
        match &self.tokens[position.token] {
            Token::Number(number) => Some((number, &number.layouts[layout], offset)),
            Token::Literal(_) | Token::Byte(_) | Token::Real(_) => None,
        }
    }

    fn next(&self, position: Position) -> Next<'_> {
        if let Some((number, layout, offset)) = self.layout(position) {
            return match layout.cell(offset) {
                Cell::Literal(byte) => Next::Literal(byte),
                Cell::Digit(digit) => Next::Digit(number, layout, digit),
            };
        }
        match self.tokens.get(position.token) {
            None => Next::End,
            Some(Token::Literal(byte)) => Next::Literal(*byte),
            Some(Token::Byte(byte)) => Next::Byte(*byte),
            Some(Token::Number(number)) => Next::Number(number),
            Some(Token::Real(real)) => Next::Real(real),
        }
    }

    /// The position `bytes` bytes further on. None of these bytes may belong to a number whose
    /// layout is not known.
    fn advance(&self, mut position: Position, bytes: usize) -> Position {
        for _ in 0..bytes {
            position = match position.inside {
                None => Position::before(position.token + 1),
                Some((layout, offset)) => {
                    Position { inside: Some((layout, offset + 1)), ..position }
                }
            };
            position = self.leave(position);
        }
        position
    }

    /// The start of the number at `token`, in its layout with index `layout`.
    fn enter(&self, token: usize, layout: usize) -> Position {
        self.leave(Position { token, inside: Some((layout, 0)) })
    }

    /// The given position, or the position behind the number if it is at the end of one. So equal
    /// places are equal positions: the layout of a number says nothing about what follows it.
    fn leave(&self, position: Position) -> Position {
        match self.layout(position) {
            Some((_, layout, offset)) if offset == layout.len() => {
                Position::before(position.token + 1)
            }
            _ => position,
        }
    }

    /// The literal bytes from a position on, at most `most`.
    fn literals(&self, mut position: Position, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while bytes.len() < most
            && let Next::Literal(byte) = self.next(position)
        {
            bytes.push(byte);
            position = self.advance(position, 1);
        }
        bytes
    }

    /// The least and the greatest length of the rest of the text from a position on.
    fn length_bounds(&self, position: Position) -> (usize, usize) {
        let Some((_, layout, offset)) = self.layout(position) else {
            return self.lengths[position.token];
        };
        let (least, most) = self.lengths[position.token + 1];
        let here = layout.len() - offset;
        (least.saturating_add(here), most.saturating_add(here))
    }

    /// The bytes with which the rest of the text from a position on can start.
    fn first_bytes(&self, mut position: Position) -> ByteSet {
        let mut first = ByteSet::default();
        loop {
            match self.next(position) {
                Next::End => return first,
                Next::Literal(byte) => {
                    first.insert(byte);
                    return first;
                }
                Next::Byte(_) => return ByteSet::default().complement(),
                Next::Real(_) => {
                    first.extend(&RealFormat::bytes());
                    return first;
                }
                Next::Digit(number, ..) => {
                    first.extend(&digits(number.format.radix));
                    return first;
                }
                Next::Number(number) => {
                    for layout in number.layouts.iter().filter(|layout| !layout.is_empty()) {
                        match layout.cell(0) {
                            Cell::Literal(byte) => first.insert(byte),
                            Cell::Digit(_) => first.extend(&digits(number.format.radix)),
                        }
                    }
                    if !number.layouts.iter().any(NumberLayout::is_empty) {
                        return first;
                    }
                    position = Position::before(position.token + 1);
                }
            }
        }
    }
}

/// The digits of a radix.
fn digits(radix: Radix) -> ByteSet {
    (0..radix.base()).map(|value| radix.digit(value)).collect()
}

/// The walk over both texts.
struct TextWalk<'e> {
    exprs: &'e Exprs,
    texts: [Text; 2],
    /// Number of alignments that may still be tried.
    budget: usize,
    /// The results for pairs of positions with more than one alignment.
    known: HashMap<[Position; 2], Equal>,
}

impl TextWalk<'_> {
    /// The condition that the texts from these positions on are equal.
    fn equal(&mut self, mut at: [Position; 2], nesting: usize) -> Equal {
        // What has to hold for the bytes passed so far.
        let mut formula = self.exprs.bool(true);
        // Whether no alignment was left out.
        let mut exact = true;
        let never = self.exprs.bool(false);
        while formula != never {
            let [a, b] = [0, 1].map(|side| self.texts[side].length_bounds(at[side]));
            if !overlap(a, b) {
                return Equal { formula: never, exact };
            }
            let (condition, bytes) = match [0, 1].map(|side| self.texts[side].next(at[side])) {
                [Next::End, Next::End] => break,
                [Next::Number(_) | Next::Real(_), _] | [_, Next::Number(_) | Next::Real(_)] => {
                    let affordable = nesting > 0 && self.budget > 0;
                    let (ways, complete) = self.alignments(at, affordable);
                    if ways.len() > 1 && affordable {
                        let rest = self.split(at, ways, nesting);
                        formula = self.exprs.and(formula, rest.formula);
                        return Equal { formula, exact: exact && complete && rest.exact };
                    }
                    if !complete || ways.len() > 1 {
                        exact = false;
                        self.budget = self.budget.saturating_sub(1);
                    }
                    let Some(first) = ways.first() else {
                        return Equal { formula: never, exact };
                    };
                    formula = self.exprs.and(formula, first.condition);
                    at = first.behind;
                    continue;
                }
                [Next::End, _] | [_, Next::End] => return Equal { formula: never, exact },
                [Next::Digit(n, layout, digit), Next::Literal(_)] => {
                    self.digits_are(n, layout, digit, &self.texts[1].literals(at[1], digit + 1))
                }
                [Next::Literal(_), Next::Digit(n, layout, digit)] => {
                    self.digits_are(n, layout, digit, &self.texts[0].literals(at[0], digit + 1))
                }
                [Next::Digit(a, a_layout, a_digit), Next::Digit(b, b_layout, b_digit)]
                    if a.format.radix == b.format.radix =>
                {
                    let bytes = a_digit.min(b_digit) + 1;
                    let [a, b] = [(a, a_layout, a_digit), (b, b_layout, b_digit)].map(
                        |(number, layout, digit)| {
                            let (value, radix) = (number.value, number.format.radix);
                            let last = digit + 1 - bytes;
                            layout.digits(self.exprs, value, radix, last, bytes)
                        },
                    );
                    let width = self.exprs.width(a).max(self.exprs.width(b));
                    let [a, b] = [a, b].map(|digits| self.exprs.zext(digits, width));
                    (self.exprs.eq(a, b), bytes)
                }
                [a, b] => (self.exprs.eq(self.byte(a), self.byte(b)), 1),
            };
            formula = self.exprs.and(formula, condition);
            at = [0, 1].map(|side| self.texts[side].advance(at[side], bytes));
        }
        Equal { formula, exact }
    }

    /// The next byte as an 8-bit expression. What comes next must be a single byte.
    fn byte(&self, next: Next) -> ExprId {
        match next {
            Next::Literal(byte) => self.exprs.constant(8, byte.into()),
            Next::Byte(byte) => byte,
            Next::Digit(number, layout, digit) => {
                let offset = layout.len() - layout.right_spaces - 1 - digit;
                layout.byte(self.exprs, number.value, number.format.radix, offset)
            }
            Next::End | Next::Number(_) | Next::Real(_) => unreachable!("none is one byte"),
        }
    }

    /// The condition that the digits of a number from `digit` on are those at the start of `text`,
    /// and the number of bytes that it covers. These are all leading digits of `text`, or one byte
    /// if these cannot be digits of the number.
    fn digits_are(
        &self,
        number: &Number,
        layout: &NumberLayout,
        digit: usize,
        text: &[u8],
    ) -> (ExprId, usize) {
        let radix = number.format.radix;
        let values: Vec<u8> = text.iter().map_while(|&byte| radix.digit_value(byte)).collect();
        let expected = values.iter().try_fold(0u128, |number, &value| {
            number.checked_mul(radix.base().into())?.checked_add(value.into())
        });
        let bits = self.exprs.width(number.value);
        let expected = expected.filter(|&e| !values.is_empty() && e <= u128::MAX >> (128 - bits));
        let Some(expected) = expected else { return (self.exprs.bool(false), 1) };
        let last = digit + 1 - values.len();
        let digits = layout.digits(self.exprs, number.value, radix, last, values.len());
        let expected = self.exprs.bv(&Bv::from_u128(bits, expected));
        (self.exprs.eq(digits, expected), values.len())
    }

    /// Whether comparable numbers that end at the positions `behind` must have equal values if the
    /// texts from the numbers on are equal. Then neither number can be a proper prefix of the
    /// other, with what follows making up the difference.
    fn delimited(&self, a: &Number, b: &Number, behind: [Position; 2]) -> bool {
        let continuation = continuation(a, b);
        [0, 1].iter().all(|&side| {
            let follows = self.texts[side].first_bytes(behind[side]);
            !follows.intersects(&continuation)
        })
    }

    /// The ways in which the texts from these positions on can be equal, and whether these are all.
    /// At least one position is in front of a number. Unless `all`, only the alignment with equal
    /// values is tried for numbers that are written in the same way.
    fn alignments(&self, at: [Position; 2], all: bool) -> (Vec<Alignment>, bool) {
        let mut complete = true;
        let mut ways = match [0, 1].map(|side| self.texts[side].next(at[side])) {
            [Next::Number(a), Next::Number(b)] if a.comparable(b) => {
                let condition = a.same_value(self.exprs, b);
                let behind = at.map(|position| Position::before(position.token + 1));
                let certain =
                    self.exprs.as_u64(condition) == Some(1) || self.delimited(a, b, behind);
                let mut ways = vec![Alignment { condition, behind }];
                if !certain && all {
                    ways.extend(self.shifts(at, a, b));
                }
                complete = certain || all;
                ways
            }
            [Next::Real(a), Next::Real(b)] if a.comparable(self.exprs, b) => {
                let condition = a.same_value(self.exprs, b);
                let behind = at.map(|position| Position::before(position.token + 1));
                // Otherwise the answer depends on what rounding hides.
                complete = self.exprs.as_u64(condition) == Some(1);
                vec![Alignment { condition, behind }]
            }
            [Next::Real(real), _] => {
                let (ways, all) = self.real_with_text(at, 0, *real);
                complete = all;
                ways
            }
            [_, Next::Real(real)] => {
                let (ways, all) = self.real_with_text(at, 1, *real);
                complete = all;
                ways
            }
            [Next::Number(number), _] => self.number_with_text(at, 0, number),
            [_, Next::Number(number)] => self.number_with_text(at, 1, number),
            _ => unreachable!("called in front of a number"),
        };
        ways.retain(|way| self.exprs.as_u64(way.condition) != Some(0) && self.possible(way.behind));
        (ways, complete)
    }

    /// The alignments of comparable numbers in which the text of one is longer.
    fn shifts(&self, at: [Position; 2], a: &Number, b: &Number) -> Vec<Alignment> {
        let mut ways = Vec::new();
        for (i, a_layout) in a.layouts.iter().enumerate() {
            for (j, b_layout) in b.layouts.iter().enumerate() {
                let inside =
                    [self.texts[0].enter(at[0].token, i), self.texts[1].enter(at[1].token, j)];
                // Different values of the same length have different texts.
                if a_layout.len() == b_layout.len() || !self.possible(inside) {
                    continue;
                }
                let guards = [(a, a_layout), (b, b_layout)].map(|(number, layout)| {
                    layout.guard(self.exprs, number.value, number.format.signed)
                });
                ways.push(Alignment { condition: self.exprs.all(guards), behind: inside });
            }
        }
        ways
    }

    /// The alignments of a number on one side with anything on the other: a value that the literal
    /// bytes there spell, or any value of some layout.
    fn number_with_text(&self, at: [Position; 2], side: usize, number: &Number) -> Vec<Alignment> {
        let other = 1 - side;
        let mut alignments = Vec::new();
        for (index, layout) in number.layouts.iter().enumerate() {
            let text = self.texts[other].literals(at[other], layout.len());
            let mut behind = at;
            let condition = if text.len() == layout.len() {
                let Some(magnitude) = layout.read(number.format.radix, text) else { continue };
                let value = if layout.negative { magnitude.wrapping_neg() } else { magnitude };
                let value = Bv::from_u128(self.exprs.width(number.value), value);
                behind[side] = Position::before(at[side].token + 1);
                behind[other] = self.texts[other].advance(at[other], layout.len());
                self.exprs.eq(number.value, self.exprs.bv(&value))
            } else {
                behind[side] = self.texts[side].enter(at[side].token, index);
                layout.guard(self.exprs, number.value, number.format.signed)
            };
            alignments.push(Alignment { condition, behind });
        }
        alignments
    }

    /// The alignments of a floating-point number on one side with anything on the other, and
    /// whether there are no others. The number has a value that the literal bytes there spell.
    fn real_with_text(&self, at: [Position; 2], side: usize, real: Real) -> (Vec<Alignment>, bool) {
        let exprs = self.exprs;
        let (other, width) = (1 - side, exprs.width(real.value));
        let (_, most) = real.format.length_bounds(width);
        let text = self.texts[other].literals(at[other], most);
        let end = self.texts[other].advance(at[other], text.len());
        let goes_on = text.len() < most && !matches!(self.texts[other].next(end), Next::End);
        let (spelled, complete) = real.format.spelled(&text, goes_on, width);
        let alignment = |spelled: Spelled| {
            let sign = exprs.extract(real.value, width - 1, 1);
            let magnitude = exprs.extract(real.value, 0, width - 1);
            let bound = |bits: u128| exprs.bv(&Bv::from_u128(width - 1, bits));
            let (low, high) = (*spelled.magnitudes.start(), *spelled.magnitudes.end());
            let condition = exprs.all([
                exprs.eq(sign, exprs.bool(spelled.negative)),
                exprs.ule(bound(low), magnitude),
                exprs.ule(magnitude, bound(high)),
            ]);
            let mut behind = at;
            behind[side] = Position::before(at[side].token + 1);
            behind[other] = self.texts[other].advance(at[other], spelled.length);
            Alignment { condition, behind }
        };
        (spelled.into_iter().map(alignment).collect(), complete)
    }

    /// Whether the texts from these positions on can be equal, judged by their lengths and first
    /// bytes alone.
    fn possible(&self, at: [Position; 2]) -> bool {
        let [a, b] = [0, 1].map(|side| self.texts[side].length_bounds(at[side]));
        let [first_a, first_b] = [0, 1].map(|side| self.texts[side].first_bytes(at[side]));
        overlap(a, b) && (a.0 == 0 && b.0 == 0 || first_a.intersects(&first_b))
    }

    /// [`Self::equal`] over all the given alignments.
    fn split(&mut self, at: [Position; 2], ways: Vec<Alignment>, nesting: usize) -> Equal {
        if let Some(&known) = self.known.get(&at) {
            return known;
        }
        let mut result = Equal { formula: self.exprs.bool(false), exact: true };
        for Alignment { condition, behind } in ways {
            let Some(budget) = self.budget.checked_sub(1) else {
                result.exact = false;
                break;
            };
            self.budget = budget;
            let rest = self.equal(behind, nesting - 1);
            let branch = self.exprs.and(condition, rest.formula);
            result.formula = self.exprs.or(result.formula, branch);
            result.exact &= rest.exact;
        }
        self.known.insert(at, result);
        result
    }
}

/// A way in which two texts can be equal.
struct Alignment {
    condition: ExprId,
    /// The positions from which the texts then have to be equal.
    behind: [Position; 2],
}

/// Whether some length lies within both bounds.
fn overlap(a: (usize, usize), b: (usize, usize)) -> bool {
    a.0 <= b.1 && b.0 <= a.1
}
