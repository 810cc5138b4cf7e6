//! Concrete bit-vectors of any width.

/// A concrete bit-vector: `width` >= 1 bits, unsigned reading, always truncated to width.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Bv {
    width: u32,
}

#[allow(missing_docs, unused_variables)]
impl Bv {
    pub fn new(width: u32, value: u64) -> Self {
        todo!()
    }
    pub fn from_u128(width: u32, value: u128) -> Self {
        todo!()
    }
    pub fn width(&self) -> u32 {
        self.width
    }
    /// The value if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        todo!()
    }
    /// The value if it fits 128 bits.
    pub fn to_u128(&self) -> Option<u128> {
        todo!()
    }
    /// The two's complement reading if the width is at most 64.
    pub fn to_i64(&self) -> Option<i64> {
        todo!()
    }
    /// Little-endian bytes, width rounded up to whole bytes.
    pub fn to_le_bytes(&self) -> Vec<u8> {
        todo!()
    }
    pub fn is_zero(&self) -> bool {
        todo!()
    }
}
