//! The operations on floating-point numbers, and the formats.

/// How a result that does not fit is rounded (IEEE 754-2008, clause 4.3).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Rounding {
    /// To the nearest, ties to the even one.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Towards zero.
    Zero,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
}

impl Rounding {
    /// Every mode.
    pub const ALL: [Self; 5] =
        [Self::NearestEven, Self::NearestAway, Self::Zero, Self::Up, Self::Down];
}

/// An operation on one operand. The width of its node is the width of the result.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FloatUnary {
    /// The square root.
    Sqrt,
    /// Rounding to an integer, in the same format.
    RoundToIntegral,
    /// Conversion to another format.
    Convert,
    /// Conversion from a two's complement number of at most 128 bits.
    FromSigned,
    /// Conversion from an unsigned number of at most 128 bits.
    FromUnsigned,
    /// Conversion to a two's complement number of at most 128 bits, towards zero. The result is the
    /// nearest integer if the number does not fit, and 0 for a NaN.
    ToSigned,
    /// Conversion to an unsigned number of at most 128 bits, towards zero. The result is the
    /// nearest integer if the number does not fit, and 0 for a NaN.
    ToUnsigned,
}

impl FloatUnary {
    /// Whether the operand is a floating-point number.
    pub fn from_float(self) -> bool {
        !matches!(self, Self::FromSigned | Self::FromUnsigned)
    }

    /// Whether the result is a floating-point number.
    pub fn to_float(self) -> bool {
        !matches!(self, Self::ToSigned | Self::ToUnsigned)
    }
}

/// An operation on two operands of one format.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FloatBinary {
    Add,
    Sub,
    Mul,
    Div,
}

impl FloatBinary {
    /// Every operation.
    pub const ALL: [Self; 4] = [Self::Add, Self::Sub, Self::Mul, Self::Div];
}

/// A comparison of two operands of one format, which is false if either is a NaN.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum FloatRelation {
    Equal,
    Less,
    LessOrEqual,
}

impl FloatRelation {
    /// Every comparison.
    pub const ALL: [Self; 3] = [Self::Equal, Self::Less, Self::LessOrEqual];
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Format {
    /// 16 bits.
    Half,
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
    /// 80 bits, with the integer bit written out.
    Extended,
    /// 128 bits.
    Quad,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [Self::Half, Self::Single, Self::Double, Self::Extended, Self::Quad];

    /// The format with this width in bits.
    #[inline]
    pub fn of(width: u32) -> Option<Self> {
        Some(match width {
            16 => Self::Half,
            32 => Self::Single,
            64 => Self::Double,
            80 => Self::Extended,
            128 => Self::Quad,
            _ => return None,
        })
    }

    /// The width of an encoding in bits.
    pub fn width(self) -> u32 {
        match self {
            Self::Half => 16,
            Self::Single => 32,
            Self::Double => 64,
            Self::Extended => 80,
            Self::Quad => 128,
        }
    }

    /// The number of bits of the exponent.
    pub fn exponent_bits(self) -> u32 {
        match self {
            Self::Half => 5,
            Self::Single => 8,
            Self::Double => 11,
            Self::Extended | Self::Quad => 15,
        }
    }

    /// The number of bits right of the point, without the integer bit.
    pub fn fraction_bits(self) -> u32 {
        match self {
            Self::Half => 10,
            Self::Single => 23,
            Self::Double => 52,
            Self::Extended => 63,
            Self::Quad => 112,
        }
    }

    /// The number of bits of the significand, with the integer bit.
    pub fn precision(self) -> u32 {
        self.fraction_bits() + 1
    }

    /// Whether the integer bit is part of the encoding.
    pub fn has_integer_bit(self) -> bool {
        self == Self::Extended
    }

    /// The index of the lowest bit of the exponent.
    pub(crate) fn exponent_low(self) -> u32 {
        self.width() - 1 - self.exponent_bits()
    }

    /// The sign bit alone, which is the encoding of -0.
    pub fn sign(self) -> u128 {
        1 << (self.width() - 1)
    }

    /// The encoding of positive infinity.
    pub fn infinity(self) -> u128 {
        let exponent = ((1 << self.exponent_bits()) - 1) << self.exponent_low();
        exponent | self.integer_bit()
    }

    /// The integer bit of the encoding; zero where it is hidden.
    pub(crate) fn integer_bit(self) -> u128 {
        if self.has_integer_bit() { 1 << self.fraction_bits() } else { 0 }
    }

    /// The bit that distinguishes a quiet NaN from a signalling one.
    pub fn quiet(self) -> u128 {
        1 << (self.fraction_bits() - 1)
    }

    /// The mask of the fraction's bits.
    pub(crate) fn fraction(self) -> u128 {
        (1 << self.fraction_bits()) - 1
    }

    /// The NaN that an invalid operation makes.
    pub fn default_nan(self) -> u128 {
        self.sign() | self.infinity() | self.quiet()
    }

    /// The encoding of `2^power`, or of `-2^power` if `negative`; `None` if that is not a normal
    /// number of the format.
    pub fn power_of_two(self, power: u32, negative: bool) -> Option<u128> {
        let bias = (1_u32 << (self.exponent_bits() - 1)) - 1;
        (power <= bias).then(|| {
            let exponent = u128::from(power + bias) << self.exponent_low();
            exponent | self.integer_bit() | if negative { self.sign() } else { 0 }
        })
    }

    /// Whether `bits` encode a NaN, or something that the processor treats as one.
    pub fn is_nan(self, bits: u128) -> bool {
        let magnitude = bits & !self.sign();
        magnitude > self.infinity() || self.is_rejected(bits)
    }

    /// Whether the x87 rejects the encoding: its exponent is not zero, but its integer bit is.
    pub fn is_rejected(self, bits: u128) -> bool {
        let exponent = (bits & !self.sign()) >> self.exponent_low();
        self.has_integer_bit() && exponent != 0 && bits & self.integer_bit() == 0
    }
}
