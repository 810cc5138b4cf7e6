//! Sets of words as intervals.

use crate::expr::BinaryOp;

/// The most intervals that one step may make. Conditions that need more are left to the solver
/// below.
const MOST_INTERVALS: usize = 256;
/// Numbers below this are small.
const SMALL: u64 = 128;

/// The greatest value of `width` bits, at most 64.
pub(super) fn ones(width: u32) -> u64 {
    u64::MAX.checked_shr(64 - width).unwrap_or(0)
}

/// A set of values: the first and last one of each interval, ascending, with gaps between them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Set(Vec<(u64, u64)>);

impl Set {
    /// The values of an interval.
    pub fn of(first: u64, last: u64) -> Self {
        Self(vec![(first, last)])
    }

    /// All values of `width` bits, at most 64.
    pub fn all(width: u32) -> Self {
        Self::of(0, ones(width))
    }

    /// The value at position `index` in ascending order, counted from 0.
    pub fn get(&self, index: u128) -> Option<u64> {
        let mut left = index;
        for (first, last) in &self.0 {
            let count = u128::from(last - first) + 1;
            if left < count {
                return Some(first + left as u64);
            }
            left -= count;
        }
        None
    }

    /// The values, ascending.
    pub(super) fn values(&self) -> impl Iterator<Item = u64> {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }

    /// All values less than `value`.
    pub(super) fn below(value: u64) -> Self {
        value.checked_sub(1).map_or_else(Self::default, |last| Self::of(0, last))
    }

    /// All values greater than `value`, up to `most`.
    pub(super) fn above(value: u64, most: u64) -> Self {
        if value < most { Self::of(value + 1, most) } else { Self::default() }
    }

    /// The union of intervals in any order; `None` if it has too many.
    pub fn of_all(mut intervals: Vec<(u64, u64)>) -> Option<Self> {
        intervals.sort_unstable();
        let mut all: Vec<(u64, u64)> = Vec::with_capacity(intervals.len());
        for (first, last) in intervals {
            match all.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => all.push((first, last)),
            }
        }
        (all.len() <= MOST_INTERVALS).then_some(Self(all))
    }

    /// Whether the set has no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of values.
    pub fn count(&self) -> u128 {
        self.0.iter().map(|(first, last)| u128::from(last - first) + 1).sum()
    }

    /// The values that are in both sets.
    pub fn and(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut both = Vec::new();
        while let (Some(one), Some(two)) = (a.peek(), b.peek()) {
            let (first, last) = (one.0.max(two.0), one.1.min(two.1));
            if first <= last {
                both.push((first, last));
            }
            if one.1 < two.1 {
                a.next()
            } else {
                b.next()
            };
        }
        Self(both)
    }

    /// The values that are in at least one of the sets; `None` if they form too many intervals.
    pub fn or(&self, other: &Self) -> Option<Self> {
        Self::of_all([&self.0[..], &other.0].concat())
    }

    pub(super) fn complement(&self, most: u64) -> Self {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut next = Some(0);
        for (first, last) in &self.0 {
            if let Some(start) = next.filter(|start| start < first) {
                gaps.push((start, first - 1));
            }
            next = last.checked_add(1);
        }
        gaps.extend(next.filter(|start| *start <= most).map(|start| (start, most)));
        Self(gaps)
    }

    /// The set of `most - value` for each value.
    pub(super) fn mirrored(&self, most: u64) -> Self {
        Self(self.0.iter().rev().map(|(first, last)| (most - last, most - first)).collect())
    }

    pub(super) fn negated(&self, width: u32) -> Option<Self> {
        self.mirrored(ones(width)).plus(1, width)
    }

    /// Adds a constant to each value, modulo two to the power of `width`.
    pub(super) fn plus(&self, by: u64, width: u32) -> Option<Self> {
        let most = ones(width);
        let sums = self.0.iter().flat_map(|(first, last)| {
            let (first, last) = (first.wrapping_add(by) & most, last.wrapping_add(by) & most);
            match first <= last {
                true => vec![(first, last)],
                false => vec![(first, most), (0, last)],
            }
        });
        Self::of_all(sums.collect())
    }

    /// The set as intervals of signed numbers of `width` bits.
    pub(super) fn signed(&self, width: u32) -> Vec<(i128, i128)> {
        let most = ones(width);
        let half = most >> 1;
        let positive = self.and(&Self::of(0, half)).0.into_iter();
        let positive = positive.map(|(first, last)| (i128::from(first), i128::from(last)));
        let all = i128::from(most) + 1;
        let negative = self.and(&Self::above(half, most)).0.into_iter();
        let negative = negative.map(|(a, b)| (i128::from(a) - all, i128::from(b) - all));
        negative.chain(positive).collect()
    }

    /// The set of the signed numbers that fit in `width` bits, each as a word.
    pub(super) fn of_signed(intervals: Vec<(i128, i128)>, width: u32) -> Option<Self> {
        let half = i128::from(ones(width) >> 1);
        let halves = intervals.into_iter().flat_map(|(first, last)| {
            [(first.max(0), last.min(half)), (first.max(-half - 1), last.min(-1))]
        });
        let bits = |value: i128| value as u64 & ones(width);
        let some = halves.filter(|(first, last)| first <= last);
        Self::of_all(some.map(|(first, last)| (bits(first), bits(last))).collect())
    }

    /// The values that the operation with the constant `by` maps into the set; `None` if they need
    /// too many intervals.
    pub(super) fn before(&self, op: BinaryOp, by: u64, width: u32) -> Option<Self> {
        let most = ones(width);
        let power = || if by < u64::from(width) { 1_u64.checked_shl(by as u32) } else { None };
        match op {
            BinaryOp::Add => self.plus(by.wrapping_neg(), width),
            BinaryOp::Mul if by > most >> 1 => {
                self.negated(width)?.before_product(by.wrapping_neg() & most, width)
            }
            BinaryOp::Mul => self.before_product(by, width),
            BinaryOp::Shl => self.before_product(power()?, width),
            BinaryOp::Udiv => self.before_quotient(by, width),
            BinaryOp::Lshr => self.before_quotient(power()?, width),
            BinaryOp::Sdiv if (1..=most >> 1).contains(&by) => {
                let by = i128::from(by);
                // Quotients are rounded towards zero.
                let first = |q: i128| if q > 0 { q * by } else { (q - 1) * by + 1 };
                let last = |q: i128| if q < 0 { q * by } else { (q + 1) * by - 1 };
                let pieces = self.signed(width).into_iter().map(|(a, b)| (first(a), last(b)));
                Self::of_signed(pieces.collect(), width)
            }
            BinaryOp::Ashr => {
                let by = i128::from(power()?);
                let pieces = self.signed(width).into_iter();
                let pieces = pieces.map(|(a, b)| (a * by, (b + 1) * by - 1));
                Self::of_signed(pieces.collect(), width)
            }
            BinaryOp::Xor if by == most => Some(self.mirrored(most)),
            BinaryOp::Xor if by == most - (most >> 1) => self.plus(by, width),
            _ => None,
        }
    }

    /// The values whose product with `by`, modulo two to the power of `width`, is in the set.
    fn before_product(&self, by: u64, width: u32) -> Option<Self> {
        let rounds = usize::try_from(by).ok().filter(|rounds| *rounds > 0)?;
        if rounds.checked_mul(self.0.len())? > MOST_INTERVALS {
            return None;
        }
        let (by, all) = (u128::from(by), u128::from(ones(width)) + 1);
        let products = (0..by).flat_map(|round| {
            self.0.iter().map(move |(first, last)| {
                let [first, last] = [first, last].map(|end| round * all + u128::from(*end));
                (first.div_ceil(by), last / by)
            })
        });
        let some = products.filter(|(first, last)| first <= last);
        Self::of_all(some.map(|(first, last)| (first as u64, last as u64)).collect())
    }

    /// The values whose unsigned quotient by `by` is in the set.
    fn before_quotient(&self, by: u64, width: u32) -> Option<Self> {
        if by == 0 {
            return None;
        }
        let (by, most) = (u128::from(by), u128::from(ones(width)));
        let quotients = self.0.iter().map(|(first, last)| {
            (u128::from(*first) * by, ((u128::from(*last) + 1) * by - 1).min(most))
        });
        let some = quotients.filter(|(first, last)| first <= last);
        Self::of_all(some.map(|(first, last)| (first as u64, last as u64)).collect())
    }

    /// The words of `whole` bits whose `width` bits from `low` on are in the set.
    pub(super) fn extracted(&self, low: u32, width: u32, whole: u32) -> Option<Self> {
        let above = whole - low - width;
        let copies = 1_u64.checked_shl(above).filter(|copies| *copies <= MOST_INTERVALS as u64)?;
        let below = ones(low);
        let copies = (0..copies).flat_map(|copy| {
            let high = copy.checked_shl(low + width).unwrap_or(0);
            self.0
                .iter()
                .map(move |(first, last)| (high | first << low, high | last << low | below))
        });
        Self::of_all(copies.collect())
    }

    /// The value that is nearest to zero as a signed number.
    pub(super) fn nearest_to_zero(&self, width: u32) -> u64 {
        let (first, last) = (self.0[0].0, self.0[self.0.len() - 1].1);
        let distance = |value: u64| value.min((ones(width) - value).saturating_add(1));
        if distance(first) <= distance(last) { first } else { last }
    }

    /// The value to try in a round. The first three rounds try the value nearest to zero and both
    /// ends of the set. Later rounds alternate between three kinds: the bits of a `double` that is
    /// a small multiple of 1/4 (if the variable has 64 bits), one of the first values of an
    /// interval, and any value of an interval. `random` chooses the value.
    pub(super) fn pick(&self, round: usize, random: u64, width: u32) -> u64 {
        match round {
            0 => return self.nearest_to_zero(width),
            1 => return self.0[0].0,
            2 => return self.0[self.0.len() - 1].1,
            _ => {}
        }
        if width == 64 && round.is_multiple_of(3) {
            let quarters = (random >> 32) % (8 * SMALL);
            let bits = (quarters as f64 / 4.0 - SMALL as f64 / 4.0).to_bits();
            if !self.and(&Self::of(bits, bits)).is_empty() {
                return bits;
            }
        }
        let (first, last) = self.0[(random % self.0.len() as u64) as usize];
        let most = if round % 3 == 1 { (last - first).min(SMALL - 1) } else { last - first };
        first + random.rotate_right(8) % most.saturating_add(1)
    }
}
