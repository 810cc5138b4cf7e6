//! Constants: literals, addresses and constant expressions, folded at load time.

use std::cell::RefCell;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::types::{Lowered, lane_width, scalar_width, scalars, unsupported};
use crate::expr::{BinaryOp, Bv};
use crate::ir::address::{self, function_address, global_address};
use crate::ir::{FunctionId, GlobalId};
use crate::llvm::{Block, Linkage, Opcode, Source, TypeKind, Value};

/// A constant scalar; `None` for undefined or poison.
pub type Bits = Option<Bv>;

/// The addresses of all global symbols and labels, which constants are folded with.
pub struct Symbols<'m> {
    source: Source<'m>,
    addresses: FxHashMap<usize, u64>,
    labels: RefCell<FxHashMap<usize, FxHashMap<usize, u64>>>,
}

impl<'m> Symbols<'m> {
    /// No symbols yet.
    pub fn new(source: Source<'m>) -> Self {
        Self { source, addresses: FxHashMap::default(), labels: RefCell::default() }
    }

    /// Gives a function its address. As in a linker, the address of a weak function without a
    /// definition is null.
    pub fn add_function(&mut self, function: Value<'m>, id: FunctionId) {
        self.add(function, function_address(id));
    }

    /// Gives a global variable its address.
    pub fn add_global(&mut self, global: Value<'m>, id: GlobalId) {
        self.add(global, global_address(id));
    }

    fn add(&mut self, symbol: Value<'m>, address: u64) {
        let absent = symbol.linkage() == Linkage::LLVMExternalWeakLinkage;
        self.addresses.insert(symbol.key(), if absent { 0 } else { address });
    }

    /// The scalars of a constant of any type.
    pub fn parts(&self, value: Value<'m>) -> Lowered<Vec<Bits>> {
        let ty = value.ty();
        if scalar_width(ty).is_some() {
            return Ok(vec![self.scalar(value)?]);
        }
        let count = scalars(self.source, ty)?.len();
        if value.is_undefined() {
            return Ok(vec![None; count]);
        }
        if value.is_zero() {
            let scalars = scalars(self.source, ty)?;
            return Ok(scalars.iter().map(|scalar| Some(Bv::zero(scalar.width))).collect());
        }
        let length = match ty.kind() {
            TypeKind::LLVMStructTypeKind => u64::from(ty.fields()),
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => ty.length(),
            _ => return unsupported(format!("a constant of type {ty}")),
        };
        let mut parts = Vec::with_capacity(count);
        for i in 0..length {
            match value.aggregate_element(i as u32) {
                Some(element) => parts.extend(self.parts(element)?),
                None => return unsupported(format!("the constant {}", value.print())),
            }
        }
        Ok(parts)
    }

    /// The value of a constant that is one scalar.
    pub fn scalar(&self, value: Value<'m>) -> Lowered<Bits> {
        let width = lane_width(value.ty())?;
        if value.is_undefined() {
            return Ok(None);
        }
        if value.is_zero() {
            return Ok(Some(Bv::zero(width)));
        }
        if value.is_int() {
            return literal(value, width).map(Some);
        }
        if value.is_float() {
            return match value.float_bits(width) {
                Some(bits) => literal(bits, width).map(Some),
                None => unsupported(format!("the constant {}", value.print())),
            };
        }
        if let Some(address) = self.addresses.get(&value.key()) {
            return Ok(Some(Bv::new(width, *address)));
        }
        if value.is_alias() {
            return self.scalar(value.aliasee());
        }
        if value.is_block_address() {
            let (function, block) = value.block_address();
            return Ok(Some(Bv::new(width, self.label_address(function, block)?)));
        }
        if value.is_expression() {
            return self.expression(value, width);
        }
        unsupported(format!("the constant {}", value.print()))
    }

    fn expression(&self, value: Value<'m>, width: u32) -> Lowered<Bits> {
        let opcode = value.expression_opcode();
        if opcode == Opcode::LLVMGetElementPtr {
            return self.element(value);
        }
        let mut operands = Vec::new();
        for operand in value.operands() {
            match self.scalar(operand)? {
                Some(bits) => operands.push(bits),
                None => return Ok(None),
            }
        }
        if !is_exact(opcode, &operands, width) {
            return unsupported(format!("a number computed from an address, {}", value.print()));
        }
        let bits = match (opcode, operands.as_slice()) {
            (Opcode::LLVMAdd, [a, b]) => Bv::binary(BinaryOp::Add, a, b),
            (Opcode::LLVMSub, [a, b]) => Bv::binary(BinaryOp::Add, a, &b.neg()),
            (Opcode::LLVMMul, [a, b]) => Bv::binary(BinaryOp::Mul, a, b),
            (Opcode::LLVMXor, [a, b]) => Bv::binary(BinaryOp::Xor, a, b),
            (
                Opcode::LLVMTrunc
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMAddrSpaceCast,
                [a],
            ) => resized(a, width),
            _ => return unsupported(format!("the constant {}", value.print())),
        };
        Ok(Some(bits))
    }

    fn element(&self, value: Value<'m>) -> Lowered<Bits> {
        let Some(base) = self.scalar(value.operand(0))? else { return Ok(None) };
        let mut offset = 0_u64;
        let mut ty = value.element_source();
        for (at, index) in value.operands().skip(1).enumerate() {
            let Some(index) = self.scalar(index)? else { return Ok(None) };
            let index = signed_word(&index);
            if at > 0 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = index as u32;
                offset = offset.wrapping_add(self.source.offset(ty, field));
                ty = ty.field(field);
                continue;
            }
            if at > 0 {
                ty = ty.element();
            }
            let Some(size) = self.source.size(ty) else {
                return unsupported(format!("the constant {}", value.print()));
            };
            offset = offset.wrapping_add(index.wrapping_mul(size));
        }
        Ok(Some(Bv::binary(BinaryOp::Add, &base, &Bv::new(64, offset))))
    }

    /// The address of a label: a byte inside its function where no function starts.
    pub fn label_address(&self, function: Value<'m>, block: Block<'m>) -> Lowered<u64> {
        let Some(base) = self.addresses.get(&function.key()) else {
            return unsupported("a label of a function without address");
        };
        let mut labels = self.labels.borrow_mut();
        let numbers = labels.entry(function.key()).or_insert_with(|| {
            function.blocks().zip(1..).map(|(block, number)| (block.key(), number)).collect()
        });
        Ok(base + numbers[&block.key()])
    }

    /// Writes the memory representation of `value` to the start of `bytes`, which must be zero.
    pub fn write(&self, value: Value<'m>, bytes: &mut [u8]) -> Lowered<()> {
        if value.is_undefined() || value.is_zero() {
            return Ok(());
        }
        if let Some(data) = value.data_bytes() {
            return put(bytes, 0, data);
        }
        let ty = value.ty();
        let element = |i: u64| match value.aggregate_element(i as u32) {
            Some(element) => Ok(element),
            None => unsupported(format!("the constant {}", value.print())),
        };
        let rest = |bytes: &mut [u8], offset: u64, element: Value<'m>| match usize::try_from(offset)
            .ok()
            .and_then(|at| bytes.get_mut(at..))
        {
            Some(rest) => self.write(element, rest),
            None => unsupported("an initialiser larger than its variable"),
        };
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                for i in 0..ty.fields() {
                    rest(bytes, self.source.offset(ty, i), element(u64::from(i))?)?;
                }
            }
            TypeKind::LLVMArrayTypeKind => {
                let size = self.source.size(ty.element()).unwrap_or(0);
                for i in 0..ty.length() {
                    rest(bytes, size * i, element(i)?)?;
                }
            }
            TypeKind::LLVMVectorTypeKind => {
                for (scalar, bits) in scalars(self.source, ty)?.iter().zip(self.parts(value)?) {
                    let Some(bits) = bits else { continue };
                    let low = (scalar.bit_offset % 8) as u32;
                    let first = (scalar.bit_offset / 8) as usize;
                    let shifted = if low == 0 { bits } else { bits.concat(&Bv::zero(low)) };
                    for (i, byte) in shifted.to_le_bytes().iter().enumerate() {
                        match bytes.get_mut(first + i) {
                            Some(place) => *place |= byte,
                            None => return unsupported("an initialiser larger than its variable"),
                        }
                    }
                }
            }
            _ => {
                if let Some(bits) = self.scalar(value)? {
                    return put(bytes, 0, &bits.to_le_bytes());
                }
            }
        }
        Ok(())
    }
}

/// Whether a constant expression only moves the addresses in it within their objects. Any other
/// number that it computes from addresses would be different in a native run.
fn is_exact(opcode: Opcode, operands: &[Bv], width: u32) -> bool {
    let object = |bits: &Bv| {
        let number = bits.to_u64().map(address::nearest_object);
        number.filter(|number| (address::FIRST_FUNCTION..address::END_OF_OBJECTS).contains(number))
    };
    match (opcode, operands) {
        (Opcode::LLVMAdd, [a, b]) => object(a).is_none() || object(b).is_none(),
        (Opcode::LLVMSub, [a, b]) => object(b).is_none_or(|_| object(a) == object(b)),
        (Opcode::LLVMMul | Opcode::LLVMXor, operands) => {
            operands.iter().all(|bits| object(bits).is_none())
        }
        (_, operands) => width >= 64 || operands.iter().all(|bits| object(bits).is_none()),
    }
}

fn put(bytes: &mut [u8], at: usize, data: &[u8]) -> Lowered<()> {
    match bytes.get_mut(at..at + data.len()) {
        Some(place) => {
            place.copy_from_slice(data);
            Ok(())
        }
        None => unsupported("an initialiser larger than its variable"),
    }
}

/// `value` cut or zero-extended to `width` bits.
fn resized(value: &Bv, width: u32) -> Bv {
    if width > value.width() { value.zext(width) } else { value.extract(0, width) }
}

/// `value`, read as two's complement, and cut or sign-extended to 64 bits.
pub fn signed_word(value: &Bv) -> u64 {
    let word = if value.width() < 64 { value.sext(64) } else { value.extract(0, 64) };
    word.to_u64().expect("64 bits")
}

fn literal(value: Value, width: u32) -> Lowered<Bv> {
    if width <= 64 {
        return Ok(Bv::new(width, value.int()));
    }
    // The C API gives wide literals only as text, such as "i128 -1".
    let printed = value.print();
    let number = printed.split_whitespace().nth(1).and_then(|text| text.parse::<BigInt>().ok());
    let number = number.map(|number| {
        if number < BigInt::ZERO { number + (BigInt::from(1) << width) } else { number }
    });
    match number.and_then(|number| number.to_biguint()) {
        Some(bits) => Ok(Bv::from_biguint(width, bits)),
        None => unsupported(format!("the constant {printed}")),
    }
}
