//! Bad files: each gives an error, without a crash and without output on stderr.

use super::*;

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("nowhere/at/all.bc")).expect_err("no such file");
    assert!(matches!(error, LowerError::Read { .. }));
    assert!(error.to_string().contains("nowhere/at/all.bc"));
}

#[test]
fn other_kinds_of_files_are_not_bitcode() {
    for content in [b"int main(void) { return 0; }".as_slice(), b"", b"\x7fELF\x02\x01", b"BC"] {
        let (_directory, path) = file("x.bc", content);
        let error = load(&path).expect_err("no bitcode");
        assert!(matches!(error, LowerError::NotBitcode { .. }), "{error}");
    }
    let (_directory, path) = file("x.ll", b"\xff\xfe");
    assert!(matches!(load(&path), Err(LowerError::NotBitcode { .. })));
}

#[test]
fn a_mistake_in_text_is_located() {
    let (_directory, path) = file("x.ll", b"define i32 @f() {\n  ret i33 %x\n}\n");
    let error = load(&path).expect_err("a mistake");
    assert!(matches!(error, LowerError::Malformed { .. }));
    assert!(error.to_string().contains("x.ll:2"), "{error}");
}

#[test]
fn truncated_bitcode_is_damaged_wherever_it_ends() {
    let (_directory, whole) = bitcode("int f(int x) { return x ? 1 : 2; }", &["-O0"]);
    let bytes = std::fs::read(whole).expect("the bitcode");
    for part in 1..40 {
        let (_directory, path) = file("cut.bc", &bytes[..4 + (bytes.len() - 5) * part / 40]);
        let error = load(&path).expect_err("cut off");
        assert!(matches!(error, LowerError::Malformed { .. }), "{error}");
    }
}

#[test]
fn a_big_endian_or_32_bit_program_is_refused() {
    for (triple, what) in [("s390x-linux-gnu", "highest"), ("i386-linux-gnu", "32-bit")] {
        let target = format!("--target={triple}");
        let (_directory, path) = bitcode("int f(void) { return 1; }", &[&target]);
        let error = load(&path).expect_err("another machine");
        assert!(matches!(error, LowerError::Target { .. }), "{error}");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// The bits of a bitcode file under construction (LLVM Bitcode File Format, "Bitstream Format").
#[derive(Default)]
struct Bits(Vec<bool>);

impl Bits {
    fn fixed(&mut self, width: u32, value: u32) {
        self.0.extend((0..width).map(|i| value >> i & 1 == 1));
    }

    fn vbr(&mut self, width: u32, mut value: u32) {
        let more = 1 << (width - 1);
        while value >= more {
            self.fixed(width, value & (more - 1) | more);
            value >>= width - 1;
        }
        self.fixed(width, value);
    }

    fn align(&mut self) {
        self.0.resize(self.0.len().next_multiple_of(32), false);
    }

    /// Adds a block of unabbreviated records (code and operands).
    fn block(&mut self, id: u32, records: &[(u32, &[u32])]) {
        self.fixed(2, 1);
        self.vbr(8, id);
        self.vbr(4, 3);
        self.align();
        let mut inside = Bits::default();
        for (code, operands) in records {
            inside.fixed(3, 3);
            inside.vbr(6, *code);
            inside.vbr(6, operands.len() as u32);
            operands.iter().for_each(|operand| inside.vbr(6, *operand));
        }
        inside.fixed(3, 0);
        inside.align();
        self.fixed(32, inside.0.len() as u32 / 32);
        self.0.extend(inside.0);
    }

    fn bytes(&self) -> Vec<u8> {
        let byte =
            |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        self.0.chunks(8).map(byte).collect()
    }
}

/// Bitcode that identifies another LLVM as its producer, with a module that only that LLVM can
/// read.
fn forged(producer: &str, epoch: u32) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.fixed(32, u32::from_le_bytes(BITCODE));
    let name: Vec<u32> = producer.bytes().map(u32::from).collect();
    bits.block(13, &[(1, &name), (2, &[epoch])]);
    bits.block(8, &[(1, &[99])]);
    bits.bytes()
}

#[test]
fn bitcode_of_another_llvm_names_it() {
    let (_directory, path) = file("new.bc", &forged("LLVM99.1.0", 0));
    let error = load(&path).expect_err("unknown version");
    assert!(matches!(&error, LowerError::Version { producer, .. } if producer == "LLVM99.1.0"));
    assert!(error.to_string().contains("clang-19"), "{error}");
}

#[test]
fn bitcode_of_another_epoch_is_of_another_llvm() {
    let (_directory, path) = file("epoch.bc", &forged("LLVM99.1.0", 7));
    let error = load(&path).expect_err("unknown epoch");
    assert!(matches!(&error, LowerError::Version { .. }), "{error}");
}
