//! Concrete bit-vectors of any width.

use std::fmt;

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::fold;

/// A concrete bit-vector of `width` >= 1 bits, read as unsigned and always truncated to its
/// width.
///
/// Values of up to 64 bits allocate nothing.
///
/// ```
/// use psychic::expr::Bv;
/// assert_eq!(Bv::new(8, 0x1ff).to_u64(), Some(0xff));
/// assert_eq!(Bv::new(8, 0xff).to_i64(), Some(-1));
/// ```
#[derive(Clone, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub struct Bv {
    width: u32,
    bits: Bits,
}

/// The bits of a [`Bv`]: `Narrow` exactly when the width is at most 64.
#[derive(Clone, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
pub(super) enum Bits {
    Narrow(u64),
    Wide(BigUint),
}

impl Bv {
    /// `value` cut to `width` bits (zero-extended above 64).
    ///
    /// # Panics
    /// If `width` is 0.
    pub fn new(width: u32, value: u64) -> Self {
        assert!(width > 0, "a bit-vector has at least one bit");
        if width <= 64 {
            Self { width, bits: Bits::Narrow(value & fold::mask(width)) }
        } else {
            Self { width, bits: Bits::Wide(BigUint::from(value)) }
        }
    }

    /// `value` cut to `width` bits (zero-extended above 128).
    pub fn from_u128(width: u32, value: u128) -> Self {
        if width <= 64 {
            Self::new(width, value as u64)
        } else {
            Self::from_biguint(width, BigUint::from(value))
        }
    }

    /// `value` cut to `width` bits.
    pub fn from_biguint(width: u32, value: BigUint) -> Self {
        if width <= 64 {
            Self::new(width, value.iter_u64_digits().next().unwrap_or(0))
        } else {
            Self { width, bits: Bits::Wide(fold::low_bits(value, width)) }
        }
    }

    /// The value of little-endian `bytes`, cut to `width` bits. Missing bytes count as zero.
    pub fn from_le_bytes(width: u32, bytes: &[u8]) -> Self {
        if width <= 64 {
            let mut low = [0; 8];
            let used = bytes.len().min(8);
            low[..used].copy_from_slice(&bytes[..used]);
            Self::new(width, u64::from_le_bytes(low))
        } else {
            Self::from_biguint(width, BigUint::from_bytes_le(bytes))
        }
    }

    /// All bits zero.
    pub fn zero(width: u32) -> Self {
        Self::new(width, 0)
    }

    /// All bits one.
    pub fn ones(width: u32) -> Self {
        Self::zero(width).not()
    }

    /// The width in bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    pub(super) fn bits(&self) -> &Bits {
        &self.bits
    }

    /// The value, if it fits in 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.bits {
            Bits::Narrow(value) => Some(*value),
            Bits::Wide(value) => value.try_into().ok(),
        }
    }

    /// The value, if it fits in 128 bits.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.bits {
            Bits::Narrow(value) => Some(u128::from(*value)),
            Bits::Wide(value) => value.try_into().ok(),
        }
    }

    /// The value read as two's complement, if the width is at most 64.
    pub fn to_i64(&self) -> Option<i64> {
        match self.bits {
            Bits::Narrow(value) => Some(fold::signed(self.width, value)),
            Bits::Wide(_) => None,
        }
    }

    /// The value read as unsigned.
    pub fn to_biguint(&self) -> BigUint {
        match &self.bits {
            Bits::Narrow(value) => BigUint::from(*value),
            Bits::Wide(value) => value.clone(),
        }
    }

    /// The value as little-endian bytes, with the width rounded up to whole bytes.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        let mut bytes = match &self.bits {
            Bits::Narrow(value) => value.to_le_bytes().to_vec(),
            Bits::Wide(value) => value.to_bytes_le(),
        };
        bytes.resize(self.width.div_ceil(8) as usize, 0);
        bytes
    }

    /// Whether every bit is zero.
    pub fn is_zero(&self) -> bool {
        match &self.bits {
            Bits::Narrow(value) => *value == 0,
            Bits::Wide(value) => value.bits() == 0,
        }
    }

    /// Whether the value is 1.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether every bit is one.
    pub fn is_ones(&self) -> bool {
        match &self.bits {
            Bits::Narrow(value) => *value == fold::mask(self.width),
            Bits::Wide(value) => value.count_ones() == u64::from(self.width),
        }
    }

    /// The bit number `index`, counted from the least significant one.
    pub fn bit(&self, index: u32) -> bool {
        match &self.bits {
            Bits::Narrow(value) => index < 64 && value >> index & 1 == 1,
            Bits::Wide(value) => value.bit(u64::from(index)),
        }
    }

    /// Whether the value is negative when read as two's complement.
    pub fn is_negative(&self) -> bool {
        self.bit(self.width - 1)
    }

    /// The number of bits that the value needs when read as unsigned; 0 for zero.
    pub fn significant_bits(&self) -> u32 {
        match &self.bits {
            Bits::Narrow(value) => 64 - value.leading_zeros(),
            Bits::Wide(value) => value.bits() as u32,
        }
    }

    /// The number of zero bits below the lowest one bit; the width for zero.
    pub fn trailing_zeros(&self) -> u32 {
        match &self.bits {
            Bits::Narrow(value) => value.trailing_zeros().min(self.width),
            Bits::Wide(value) => value.trailing_zeros().map_or(self.width, |count| count as u32),
        }
    }

    /// `k` if the value is 2 to the power of `k`.
    pub fn log2(&self) -> Option<u32> {
        let zeros = self.trailing_zeros();
        (!self.is_zero() && self.significant_bits() == zeros + 1).then_some(zeros)
    }

    /// Bitwise complement.
    #[must_use]
    pub fn not(&self) -> Self {
        let bits = match &self.bits {
            Bits::Narrow(value) => Bits::Narrow(!value & fold::mask(self.width)),
            Bits::Wide(value) => Bits::Wide(value ^ fold::wide_mask(self.width)),
        };
        Self { width: self.width, bits }
    }

    /// Two's complement negation.
    #[must_use]
    pub fn neg(&self) -> Self {
        let one = Self::new(self.width, 1);
        Self::binary(super::BinaryOp::Add, &self.not(), &one)
    }

    /// `op` as SMT-LIB's FixedSizeBitVectors defines it; comparisons give width 1.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn binary(op: super::BinaryOp, a: &Self, b: &Self) -> Self {
        assert_eq!(a.width, b.width, "operands of {op:?} differ in width");
        match (&a.bits, &b.bits) {
            (Bits::Narrow(x), Bits::Narrow(y)) => {
                Self::new(op.result_width(a.width), fold::narrow(op, a.width, *x, *y))
            }
            _ => Self::from_biguint(
                op.result_width(a.width),
                fold::wide(op, a.width, &a.to_biguint(), &b.to_biguint()),
            ),
        }
    }

    /// The `width` bits from bit `low` upwards.
    #[must_use]
    pub fn extract(&self, low: u32, width: u32) -> Self {
        assert!(low + width <= self.width, "extract beyond the top");
        match &self.bits {
            Bits::Narrow(value) => Self::new(width, value >> low),
            Bits::Wide(value) => Self::from_biguint(width, value >> low),
        }
    }

    /// The concatenation: `self` in the high bits, `low` in the low bits.
    #[must_use]
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width + low.width;
        match (&self.bits, &low.bits) {
            (Bits::Narrow(high), Bits::Narrow(rest)) if width <= 64 => {
                Self::new(width, high << low.width | rest)
            }
            _ => Self::from_biguint(width, (self.to_biguint() << low.width) | low.to_biguint()),
        }
    }

    /// Zero-extended to `width` bits.
    #[must_use]
    pub fn zext(&self, width: u32) -> Self {
        assert!(width >= self.width, "an extension never narrows");
        match &self.bits {
            Bits::Narrow(value) => Self::new(width, *value),
            Bits::Wide(value) => Self { width, bits: Bits::Wide(value.clone()) },
        }
    }

    /// Sign-extended to `width` bits.
    #[must_use]
    pub fn sext(&self, width: u32) -> Self {
        if width > self.width && self.is_negative() {
            Self::ones(width - self.width).concat(self)
        } else {
            self.zext(width)
        }
    }
}

impl fmt::Display for Bv {
    /// Unsigned decimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.bits {
            Bits::Narrow(value) => value.fmt(f),
            Bits::Wide(value) => value.fmt(f),
        }
    }
}

impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_values_are_cut_to_their_width() {
        let ones = Bv::ones(80);
        assert_eq!(ones.to_u128(), Some((1 << 80) - 1));
        assert!(ones.is_ones() && ones.is_negative() && !ones.is_zero());
        assert_eq!(ones.to_le_bytes(), vec![0xff; 10]);
        assert_eq!(Bv::from_le_bytes(80, &[0xff; 16]), ones);
        assert_eq!(ones.neg().to_u64(), Some(1));
    }

    #[test]
    fn slices_put_together_give_the_whole() {
        let value = Bv::from_u128(100, 0x123_4567_89ab_cdef_0011_2233);
        let joined =
            value.extract(60, 40).concat(&value.extract(7, 53)).concat(&value.extract(0, 7));
        assert_eq!(joined, value);
    }

    #[test]
    fn sign_extension_crosses_the_narrow_limit() {
        assert!(Bv::new(8, 0x80).sext(100).extract(7, 93).is_ones());
        assert_eq!(Bv::new(8, 0x7f).sext(100).to_u64(), Some(0x7f));
        assert_eq!(Bv::ones(64).zext(65).significant_bits(), 64);
    }

    #[test]
    fn powers_of_two() {
        assert_eq!(Bv::new(32, 8).log2(), Some(3));
        assert_eq!(Bv::new(32, 9).log2(), None);
        assert_eq!(Bv::zero(32).log2(), None);
        assert_eq!(Bv::from_u128(128, 1 << 100).log2(), Some(100));
    }
}
