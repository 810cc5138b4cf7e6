use proptest::prelude::*;

use super::*;
use crate::env::libc::format::Case;
use crate::env::libc::format::flags::Flags;
use crate::expr::{Assignment, VariableKind};

fn input(exprs: &Exprs, name: &str, width: u32) -> ExprId {
    exprs.variable(name, width, VariableKind::Input)
}

/// A text made from a template: `{d:x}` is the 32-bit number `x` as `%d`, `{c:b}` the byte `b`,
/// `{ld:y}` the 64-bit number `y` as `%ld`, `{5d:x}` a padded number, and so on.
fn text(exprs: &Exprs, template: &str) -> Stream {
    use crate::env::libc::format::printf::{self, Directive};
    let mut stream = Stream::default();
    let mut rest = template;
    while let Some((literal, token)) = rest.split_once('{') {
        let (token, behind) = token.split_once('}').unwrap();
        let (format, name) = token.split_once(':').unwrap();
        stream.push_bytes(literal.as_bytes());
        let [Directive::Conversion(c)] =
            printf::parse(format!("%{format}").as_bytes()).unwrap()[..]
        else {
            panic!("{format}")
        };
        let resolve = |count: printf::Count| count.resolve(|| unreachable!());
        match c.number_format(resolve(c.width), resolve(c.precision)) {
            Some(number) => stream.push_number(exprs, input(exprs, name, c.value_bits()), number),
            None => stream.push_byte(exprs, input(exprs, name, 8)),
        }
        rest = behind;
    }
    stream.push_bytes(rest.as_bytes());
    stream
}

/// The difference of two templates, which must be exact.
fn shown(a: &str, b: &str) -> ExprId {
    let exprs = exprs();
    let Difference { formula, exact } = difference(exprs, &text(exprs, a), &text(exprs, b));
    assert!(exact, "{a:?} {b:?}: {}", exprs.display(formula));
    formula
}

/// One arena for all tests: ids are then comparable.
fn exprs() -> &'static Exprs {
    static EXPRS: std::sync::OnceLock<Exprs> = std::sync::OnceLock::new();
    EXPRS.get_or_init(Exprs::new)
}

#[test]
fn equal_texts_never_differ_and_other_literals_always_do() {
    let (never, always) = (exprs().bool(false), exprs().bool(true));
    assert_eq!(shown("", ""), never);
    assert_eq!(shown("a{d:x}b{d:y}{d:x}", "a{d:x}b{d:y}{d:x}"), never);
    assert_eq!(shown("abc", "abd"), always);
    assert_eq!(shown("abc", "ab"), always);
    assert_eq!(shown("abc\0", "abc"), always);
    assert_eq!(shown("{d:x}\n", "{d:x}\r"), always);
    assert_eq!(shown("{d:x}", ""), always);
    assert_eq!(shown("{08x:x}", "{d:x}more than eleven"), always);
}

#[test]
fn delimited_numbers_are_compared_by_value() {
    let exprs = exprs();
    let [x, y] = ["x", "y"].map(|name| input(exprs, name, 32));
    let differs = exprs.ne(x, y);
    assert_eq!(shown("{d:x}\n", "{d:y}\n"), differs);
    assert_eq!(shown("x={d:x}, y=1", "x={d:y}, y=1"), differs);
    let quick = quick_difference(exprs, &text(exprs, "{d:x}\n"), &text(exprs, "{d:y}\n"));
    assert_eq!(quick, Difference { formula: differs, exact: true });
    // A common end does not make the answer inexact.
    assert_eq!(shown("{d:x}5", "{d:y}5"), differs);
    assert_eq!(shown("{d:x}{d:z}", "{d:y}{d:z}"), differs);
    assert_eq!(shown("{08x:x}{d:z}1", "{08x:y}{d:z}1"), differs);
    let long = input(exprs, "l", 64);
    assert_eq!(shown("{d:x}\n", "{ld:l}\n"), exprs.ne(exprs.sext(x, 64), long));
    assert_eq!(shown("{u:x}\n", "{lu:l}\n"), exprs.ne(exprs.zext(x, 64), long));
}

#[test]
fn numbers_are_compared_with_literals_by_value() {
    let exprs = exprs();
    let x = input(exprs, "x", 32);
    let is_not = |value: i64| exprs.ne(x, exprs.constant(32, value as u64));
    let always = exprs.bool(true);
    assert_eq!(shown("{d:x}\n", "12\n"), is_not(12));
    assert_eq!(shown("-2147483648.", "{d:x}."), is_not(i32::MIN.into()));
    assert_eq!(shown("{d:x}", "0"), is_not(0));
    for never_printed in ["-0", "012", "+1", "", " 1", "2147483648", "1\0", "--1", "1-"] {
        assert_eq!(shown("{d:x}", never_printed), always, "{never_printed}");
    }
    assert_eq!(shown("{+d:x}", "+1"), is_not(1));
    assert_eq!(shown("{5d:x}|", "  -12|"), is_not(-12));
    assert_eq!(shown("{05d:x}|", "-0012|"), is_not(-12));
    assert_eq!(shown("{-5d:x}|", "-12  |"), is_not(-12));
    assert_eq!(shown("{#x:x}|", "0x1f|"), is_not(0x1f));
    assert_eq!(shown("{x:x}|", "1F|"), always);
    assert_eq!(shown("{#o:x}|", "017|"), is_not(15));
    assert_eq!(shown("{.0d:x}|", "|"), is_not(0));
    assert_eq!(shown("{.0d:x}{.0d:x}|", "|"), is_not(0));
}

#[test]
fn a_number_without_digits_can_be_continued_by_a_sign() {
    let exprs = exprs();
    let formula = shown("{.0d:x}-5\n", "{.0d:y}\n");
    let [x, y] = ["x", "y"].map(|name| exprs.as_variable(input(exprs, name, 32)).unwrap());
    let differ = |a: i64, b: i64| {
        let values = [(x, Bv::new(32, a as u64)), (y, Bv::new(32, b as u64))];
        !exprs.evaluate(formula, &Assignment(values.into())).is_zero()
    };
    assert!(!differ(0, -5));
    assert!(differ(0, 0) && differ(-5, -5) && differ(0, 5));
    // The only alignment goes through a number without digits.
    let formula = shown("{.0d:x}{c:b}\n", " \n");
    assert_eq!(formula, shown("{.0d:x}{c:b}", " "));
    let b = exprs.as_variable(input(exprs, "b", 8)).unwrap();
    let space = Assignment([(b, Bv::new(8, b' '.into()))].into());
    assert!(exprs.evaluate(formula, &space).is_zero());
}

#[test]
fn long_texts_of_numbers_stay_linear_and_exact() {
    let exprs = exprs();
    let mut symbolic = Stream::default();
    let mut other = Stream::default();
    let mut concrete = Stream::default();
    let mut padded = Stream::default();
    for index in 0..3000u32 {
        let x = input(exprs, &format!("long{index}"), 32);
        let y = input(exprs, &format!("tall{index}"), 32);
        symbolic.push_number(exprs, x, NumberFormat::decimal(true));
        other.push_number(exprs, y, NumberFormat::decimal(true));
        concrete.push_bytes(index.to_string().as_bytes());
        padded.push_number(exprs, x, NumberFormat { width: 3, ..NumberFormat::decimal(true) });
        for stream in [&mut symbolic, &mut other, &mut concrete, &mut padded] {
            stream.push_bytes(b" \n");
        }
    }
    assert!(difference(exprs, &symbolic, &other).exact);
    assert!(difference(exprs, &symbolic, &concrete).exact);
    assert!(difference(exprs, &concrete, &padded).formula == exprs.bool(true));
}

#[test]
fn past_the_budget_the_answer_is_sound_and_says_so() {
    let exprs = exprs();
    let [mut a, mut b] = [Stream::default(), Stream::default()];
    let mut equations = Vec::new();
    for index in 0..2000u32 {
        let x = input(exprs, &format!("long{index}"), 32);
        let y = input(exprs, &format!("tall{index}"), 32);
        a.push_number(exprs, x, NumberFormat::decimal(true));
        b.push_number(exprs, y, NumberFormat::decimal(true));
        equations.push(exprs.as_variable(y).unwrap());
    }
    let Difference { formula, exact } = difference(exprs, &a, &b);
    assert!(!exact);
    let value = |index: usize| Bv::new(32, (index * 7919) as u64);
    let mut same = Assignment::default();
    for (index, y) in equations.into_iter().enumerate() {
        let x = exprs.variable_id(&format!("long{index}")).unwrap();
        same.0.extend([(x, value(index)), (y, value(index))]);
    }
    assert!(exprs.evaluate(formula, &same).is_zero(), "numbers that agree pairwise are equal");
}

/// The two variables in random texts, as numbers of several widths.
fn values(exprs: &Exprs) -> Vec<ExprId> {
    let [x, y] = ["p", "q"].map(|name| input(exprs, name, 4));
    let wide = exprs.zext(x, 8);
    vec![
        x,
        y,
        exprs.sext(x, 8),
        exprs.zext(y, 8),
        exprs.add(exprs.sext(y, 8), exprs.constant(8, 1)),
        exprs.mul(wide, exprs.constant(8, 17)),
        exprs.concat(x, y),
        exprs.mul(exprs.zext(y, 11), exprs.constant(11, 73)),
        exprs.sub(exprs.sext(y, 8), exprs.sext(x, 8)),
    ]
}

fn bytes(exprs: &Exprs) -> Vec<ExprId> {
    let [x, y] = ["p", "q"].map(|name| input(exprs, name, 4));
    let three = exprs.constant(4, 3);
    let letter = exprs.constant(4, 6);
    vec![
        exprs.concat(three, x),
        exprs.concat(three, y),
        exprs.concat(exprs.constant(4, 2), y),
        exprs.concat(letter, x),
        exprs.concat(x, y),
        exprs.zext(y, 8),
    ]
}

const LITERALS: [&[u8]; 18] = [
    b"0", b"1", b"12", b"-", b"-1", b"+", b" ", b"x", b"\n", b"\0", b"7", b"00", b"0x", b"f",
    b"  ", b"5\n", b"10", b"3,",
];

#[derive(Clone, Debug)]
enum Part {
    Literal(usize),
    Byte(usize),
    Number(usize, NumberFormat),
}

fn formats() -> impl Strategy<Value = NumberFormat> {
    let plain = any::<bool>().prop_map(NumberFormat::decimal);
    let radix = prop_oneof![
        3 => Just(Radix::Decimal),
        1 => Just(Radix::Octal),
        1 => Just(Radix::Hex(Case::Lower)),
        1 => Just(Radix::Hex(Case::Upper)),
        1 => Just(Radix::Binary(Case::Lower)),
    ];
    let flags = any::<[bool; 5]>().prop_map(|[left, plus, space, alternative, zero]| Flags {
        left,
        plus,
        space,
        alternative,
        zero,
    });
    let precision = prop_oneof![2 => Just(None), 1 => (0usize..4).prop_map(Some)];
    let width = prop_oneof![1 => Just(0), 1 => 0usize..5];
    let wild = (any::<bool>(), radix, width, precision, flags).prop_map(
        |(signed, radix, width, precision, flags)| NumberFormat {
            signed: signed && radix == Radix::Decimal,
            radix,
            width,
            precision,
            flags,
        },
    );
    let vanishing = NumberFormat { precision: Some(0), ..NumberFormat::decimal(true) };
    prop_oneof![5 => plain, 1 => Just(vanishing), 5 => wild]
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![
        2 => (0..LITERALS.len()).prop_map(Part::Literal),
        1 => (0..6usize).prop_map(Part::Byte),
        3 => ((0..9usize), formats()).prop_map(|(value, format)| Part::Number(value, format)),
    ]
}

/// What happens to a part on the way from the first text to the second.
#[derive(Clone, Debug)]
enum Edit {
    Keep,
    Replace(Part),
    Insert(Part),
    Delete,
    /// A number with another value, in the same format.
    Other(usize),
    /// A number with the same value, in another format.
    Reformat(NumberFormat),
    /// The text that the number has under some assignment.
    Spell(u64),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => Just(Edit::Keep),
        1 => part().prop_map(Edit::Replace),
        1 => part().prop_map(Edit::Insert),
        1 => Just(Edit::Delete),
        3 => (0..9usize).prop_map(Edit::Other),
        1 => formats().prop_map(Edit::Reformat),
        2 => (0..256u64).prop_map(Edit::Spell),
    ]
}

fn assignment(exprs: &Exprs, bits: u64) -> Assignment {
    let [p, q] = ["p", "q"].map(|name| exprs.as_variable(input(exprs, name, 4)).unwrap());
    Assignment([(p, Bv::new(4, bits & 15)), (q, Bv::new(4, bits >> 4))].into())
}

fn push(exprs: &Exprs, stream: &mut Stream, part: &Part) {
    match part {
        Part::Literal(index) => stream.push_bytes(LITERALS[*index]),
        Part::Byte(index) => stream.push_byte(exprs, bytes(exprs)[*index]),
        Part::Number(index, format) => stream.push_number(exprs, values(exprs)[*index], *format),
    }
}

fn streams(exprs: &Exprs, parts: &[(Part, Edit)]) -> [Stream; 2] {
    let [mut a, mut b] = [Stream::default(), Stream::default()];
    for (part, edit) in parts {
        push(exprs, &mut a, part);
        match (edit, part) {
            (Edit::Replace(other), _) => push(exprs, &mut b, other),
            (Edit::Insert(other), _) => {
                push(exprs, &mut b, other);
                push(exprs, &mut b, part);
            }
            (Edit::Delete, _) => {}
            (Edit::Other(value), Part::Number(_, format)) => {
                push(exprs, &mut b, &Part::Number(*value, *format));
            }
            (Edit::Reformat(format), Part::Number(value, _)) => {
                push(exprs, &mut b, &Part::Number(*value, *format));
            }
            (Edit::Spell(bits), _) => {
                let mut alone = Stream::default();
                push(exprs, &mut alone, part);
                b.push_bytes(&alone.render(exprs, &assignment(exprs, *bits)));
            }
            (Edit::Keep | Edit::Other(_) | Edit::Reformat(_), _) => push(exprs, &mut b, part),
        }
    }
    [a, b]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

    #[test]
    fn the_formula_is_true_where_texts_differ_and_if_exact_only_there(
        parts in proptest::collection::vec((part(), edit()), 0..5),
        swap in any::<bool>(),
        budget in prop_oneof![3 => Just(ALIGNMENTS), 1 => 0..30usize],
    ) {
        let exprs = exprs();
        let [mut a, mut b] = streams(exprs, &parts);
        if swap {
            std::mem::swap(&mut a, &mut b);
        }
        let Difference { formula, exact } = difference_within(budget, exprs, &a, &b);
        prop_assert!(exact || budget < ALIGNMENTS, "{} and {}", a.display(exprs), b.display(exprs));
        for bits in 0..256 {
            let assignment = assignment(exprs, bits);
            let [left, right] = [&a, &b].map(|stream| stream.render(exprs, &assignment));
            let claimed = !exprs.evaluate(formula, &assignment).is_zero();
            let differ = left != right;
            let context = || {
                format!(
                    "{} and {}: {} and {} where {claimed} is claimed, exact: {exact}",
                    a.display(exprs),
                    b.display(exprs),
                    left.escape_ascii(),
                    right.escape_ascii(),
                )
            };
            prop_assert!(claimed || !differ, "{}", context());
            prop_assert!(!exact || claimed == differ, "{}", context());
        }
    }
}
