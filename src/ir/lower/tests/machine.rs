//! Runs lowered integer code on concrete values and compares it with the native program.

use std::collections::HashMap;

use super::*;
use crate::ir::address::{FIRST_OBJECT, function_at, global_address, object_address};
use crate::ir::{
    BinaryOp, Callee, Cast, Constant, Indexed, Inst, Operand, OperandKind, OverflowOp, Pc,
    Predicate, Reg, UnaryOp,
};

const STACK: u32 = FIRST_OBJECT + 10_000;

/// A concrete machine for integers of at most 64 bits.
struct Machine<'a> {
    module: &'a Module,
    memory: HashMap<u64, u8>,
    objects: u32,
    fuel: u32,
}

struct Frame<'a> {
    function: &'a Function,
    registers: Vec<Option<u64>>,
    variadic: Vec<u64>,
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn signed(width: u32, value: u64) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

impl Frame<'_> {
    fn indexed(&self, at: &Indexed) -> u64 {
        let index = signed(at.width, self.read(at.index)) as u64;
        let base = self.read(at.base).wrapping_add_signed(at.offset.into());
        base.wrapping_add(index.wrapping_mul(at.scale.into()))
    }

    fn read(&self, operand: Operand) -> u64 {
        match operand.kind() {
            OperandKind::Reg(reg) => self.registers[reg.0 as usize].expect("a written register"),
            OperandKind::Constant(index) => {
                match *self.function.constant(index).expect("a constant") {
                    Constant::Int(value) => value,
                    // The optimiser passes undefined values where nothing depends on them.
                    Constant::Undefined => 0xdead_beef_dead_beef,
                    ref other => panic!("{other:?} is read"),
                }
            }
        }
    }

    fn write(&mut self, dst: Reg, width: u32, value: u64) {
        self.registers[dst.0 as usize] = Some(value & mask(width));
    }
}

impl<'a> Machine<'a> {
    fn new(module: &'a Module) -> Self {
        let mut memory = HashMap::new();
        for (global, id) in module.globals.iter().zip(0..) {
            for (byte, at) in global.bytes.iter().zip(global_address(GlobalId(id))..) {
                memory.insert(at, *byte);
            }
        }
        Self { module, memory, objects: 0, fuel: 5_000_000 }
    }

    fn load(&self, width: u32, address: u64) -> u64 {
        let bytes = u64::from(width.div_ceil(8));
        let value = (0..bytes).rev().fold(0, |value, i| {
            value << 8 | u64::from(*self.memory.get(&(address + i)).unwrap_or(&0))
        });
        value & mask(width)
    }

    fn store(&mut self, width: u32, address: u64, value: u64) {
        for i in 0..u64::from(width.div_ceil(8)) {
            self.memory.insert(address + i, (value >> (8 * i)) as u8);
        }
    }

    fn alloc(&mut self) -> u64 {
        self.objects += 1;
        object_address(STACK + self.objects)
    }

    fn call(&mut self, id: FunctionId, args: &[u64]) -> Vec<u64> {
        let function = &self.module.functions[id.0 as usize];
        assert!(!function.code.is_empty(), "{} has no code", function.name);
        let fixed = function.params.len();
        let mut registers: Vec<_> = args[..fixed].iter().copied().map(Some).collect();
        registers.resize(function.registers as usize, None);
        let mut frame = Frame { function, registers, variadic: args[fixed..].to_vec() };
        let mut pc = Pc(0);
        loop {
            self.fuel -= 1;
            let inst = &function.code[pc.0 as usize];
            pc = match inst {
                Inst::Return { values } => {
                    return values.iter().map(|value| frame.read(*value)).collect();
                }
                Inst::Jump { target } => *target,
                Inst::Branch { condition, then, otherwise } => {
                    if frame.read(*condition) == 1 {
                        *then
                    } else {
                        *otherwise
                    }
                }
                Inst::CompareBranch { predicate, width, a, b, then, otherwise } => {
                    let holds = compare(*predicate, *width, frame.read(*a), frame.read(*b));
                    if holds { *then } else { *otherwise }
                }
                Inst::Switch(switch) => {
                    let value = frame.read(switch.value);
                    let case = switch.cases.iter().find(|(case, _)| *case == value);
                    case.map_or(switch.default, |(_, target)| *target)
                }
                inst => {
                    self.step(&mut frame, inst);
                    Pc(pc.0 + 1)
                }
            };
        }
    }

    fn step(&mut self, frame: &mut Frame<'a>, inst: &Inst) {
        match inst {
            Inst::Undefine { dst } => frame.registers[dst.0 as usize] = None,
            Inst::Alloca { dst, .. } => {
                let address = self.alloc();
                frame.write(*dst, 64, address);
            }
            Inst::Load { width, dst, address } => {
                let value = self.load(*width, frame.read(*address));
                frame.write(*dst, *width, value);
            }
            Inst::Store { width, value, address } => {
                self.store(*width, frame.read(*address), frame.read(*value));
            }
            Inst::LoadIndexed { width, dst, at } => {
                let value = self.load(*width, frame.indexed(at));
                frame.write(*dst, *width, value);
            }
            Inst::StoreIndexed { width, value, at } => {
                self.store(*width, frame.indexed(at), frame.read(*value));
            }
            Inst::Copy { to, from, length } => {
                let (to, from) = (frame.read(*to), frame.read(*from));
                let bytes: Vec<u64> =
                    (0..frame.read(*length)).map(|i| self.load(8, from + i)).collect();
                bytes.iter().zip(to..).for_each(|(byte, at)| self.store(8, at, *byte));
            }
            Inst::Fill { to, value, length } => {
                for i in 0..frame.read(*length) {
                    self.store(8, frame.read(*to) + i, frame.read(*value));
                }
            }
            // The layout of System V for x86-64, but with all arguments on the stack.
            Inst::VaStart { list } => {
                let (list, area) = (frame.read(*list), self.alloc());
                self.store(32, list, 48);
                self.store(32, list + 4, 176);
                self.store(64, list + 8, area);
                for (i, value) in frame.variadic.iter().enumerate() {
                    self.store(64, area + 8 * i as u64, *value);
                }
            }
            Inst::VaEnd { .. } => {}
            Inst::Call(call) => self.step_call(frame, call),
            inst => compute(frame, inst),
        }
    }

    fn step_call(&mut self, frame: &mut Frame<'a>, call: &crate::ir::Call) {
        let id = match call.callee {
            Callee::Direct(id) => id,
            Callee::Indirect(operand) => function_at(frame.read(operand)).expect("a function"),
        };
        let args: Vec<u64> = call
            .args
            .iter()
            .map(|argument| {
                let value = frame.read(argument.value);
                let Some(size) = argument.byval else { return value };
                let copy = self.alloc();
                (0..size).for_each(|i| self.store(8, copy + i, self.load(8, value + i)));
                copy
            })
            .collect();
        let values = self.call(id, &args);
        for ((reg, width), value) in call.results.iter().zip(&call.widths).zip(values) {
            frame.write(*reg, *width, value);
        }
    }
}

fn compute(frame: &mut Frame, inst: &Inst) {
    match inst {
        Inst::Move { dst, src, width } => {
            let value = frame.read(*src);
            frame.write(*dst, *width, value);
        }
        Inst::Binary { op, width, dst, a, b } => {
            let value = binary(*op, *width, frame.read(*a), frame.read(*b));
            frame.write(*dst, *width, value);
        }
        Inst::Unary { op, width, dst, a } => {
            let (a, width) = (frame.read(*a), *width);
            let value = match op {
                UnaryOp::Bswap => a.swap_bytes() >> (64 - width),
                UnaryOp::Bitreverse => a.reverse_bits() >> (64 - width),
                UnaryOp::Popcount => u64::from(a.count_ones()),
                UnaryOp::Clz => u64::from(a.leading_zeros() - (64 - width)),
                UnaryOp::Ctz => u64::from(a.trailing_zeros().min(width)),
                UnaryOp::Abs => signed(width, a).unsigned_abs(),
            };
            frame.write(*dst, width, value);
        }
        Inst::Compare { predicate, width, dst, a, b } => {
            let holds = compare(*predicate, *width, frame.read(*a), frame.read(*b));
            frame.write(*dst, 1, u64::from(holds));
        }
        Inst::Cast { cast, from, to, dst, a } => {
            let a = frame.read(*a);
            let value = if *cast == Cast::Sext { signed(*from, a) as u64 } else { a };
            frame.write(*dst, *to, value);
        }
        Inst::Overflow { op, width, dst, overflow, a, b } => {
            let (a, b) = (frame.read(*a), frame.read(*b));
            let number = |value| match op {
                OverflowOp::Uadd | OverflowOp::Usub | OverflowOp::Umul => i128::from(value),
                _ => i128::from(signed(*width, value)),
            };
            let exact = match op {
                OverflowOp::Uadd | OverflowOp::Sadd => number(a) + number(b),
                OverflowOp::Usub | OverflowOp::Ssub => number(a) - number(b),
                OverflowOp::Umul | OverflowOp::Smul => number(a) * number(b),
            };
            frame.write(*dst, *width, exact as u64);
            let kept = number(exact as u64 & mask(*width));
            frame.write(*overflow, 1, u64::from(kept != exact));
        }
        Inst::FunnelShift { left, width, dst, a, b, by } => {
            let (a, b) = (u128::from(frame.read(*a)), u128::from(frame.read(*b)));
            let by = frame.read(*by) as u32 % width;
            let both = a << width | b;
            let value = if *left { both << by >> width } else { both >> by };
            frame.write(*dst, *width, value as u64);
        }
        Inst::Select { width, dst, condition, a, b } => {
            let value = frame.read(if frame.read(*condition) == 1 { *a } else { *b });
            frame.write(*dst, *width, value);
        }
        Inst::Address { dst, base, offset, terms } => {
            let base = frame.read(*base).wrapping_add_signed(*offset);
            let value = terms.iter().fold(base, |sum, term| {
                let index = signed(term.width, frame.read(term.index)) as u64;
                sum.wrapping_add(index.wrapping_mul(term.scale))
            });
            frame.write(*dst, 64, value);
        }
        other => panic!("not in these programs: {other:?}"),
    }
}

fn compare(predicate: Predicate, width: u32, a: u64, b: u64) -> bool {
    let (sa, sb) = (signed(width, a), signed(width, b));
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Slt => sa < sb,
        Predicate::Sle => sa <= sb,
        Predicate::Sgt => sa > sb,
        Predicate::Sge => sa >= sb,
    }
}

fn binary(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(width, a), signed(width, b));
    let (least, most) = (-1 << (width - 1), (mask(width) >> 1) as i64);
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Udiv => a / b,
        BinaryOp::Urem => a % b,
        BinaryOp::Sdiv => sa.wrapping_div(sb) as u64,
        BinaryOp::Srem => sa.wrapping_rem(sb) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl => a.checked_shl(b as u32).unwrap_or(0),
        BinaryOp::Lshr => a.checked_shr(b as u32).unwrap_or(0),
        BinaryOp::Ashr => (sa >> b.min(63)) as u64,
        BinaryOp::Umin => a.min(b),
        BinaryOp::Umax => a.max(b),
        BinaryOp::Smin => sa.min(sb) as u64,
        BinaryOp::Smax => sa.max(sb) as u64,
        BinaryOp::UaddSat => a.saturating_add(b).min(mask(width)),
        BinaryOp::UsubSat => a.saturating_sub(b),
        BinaryOp::SaddSat => sa.saturating_add(sb).clamp(least, most) as u64,
        BinaryOp::SsubSat => sa.saturating_sub(sb).clamp(least, most) as u64,
    }
}

const INPUTS: [i32; 14] = [0, 1, 2, 3, 5, 7, 10, 31, 100, -1, -2, -37, i32::MAX, i32::MIN];

/// Lowers a program from several levels of optimisation, and compares the results of `int
/// test(int)` with the native ones.
fn agrees_with_native(program: &str) {
    let main = "int printf(const char *, ...);\nint main(void) {\n  int inputs[] = INPUTS;\n  \
                for (int i = 0; i < COUNT; i++) printf(\"%d\\n\", test(inputs[i]));\n}\n";
    let inputs: Vec<String> = INPUTS.iter().map(|x| format!("(int){x}L")).collect();
    let main = main
        .replace("INPUTS", &format!("{{{}}}", inputs.join(", ")))
        .replace("COUNT", &INPUTS.len().to_string());
    let (directory, path) = file("native.c", format!("{program}\n{main}").as_bytes());
    let native = directory.path().join("native");
    run(Command::new("clang-19").args(["-w", "-fwrapv", "-O0", "-o"]).arg(&native).arg(path));
    let output = Command::new(&native).output().expect("the native program runs").stdout;
    let expected: Vec<i32> = String::from_utf8(output)
        .expect("digits")
        .lines()
        .map(|line| line.parse().expect("a number"))
        .collect();
    for level in ["-O0", "-O1", "-O2"] {
        let module = c(program, &[level, "-fwrapv", "-fno-pie"]);
        assert_eq!(gaps(&module), [""; 0], "at {level}");
        let test = module.function("test").expect("the function");
        let results: Vec<i32> = INPUTS
            .iter()
            .map(|input| {
                let results = Machine::new(&module).call(test, &[u64::from(*input as u32)]);
                results[0] as i32
            })
            .collect();
        assert_eq!(results, expected, "at {level}:\n{module}");
    }
}

#[test]
fn arithmetic_and_conversions() {
    agrees_with_native(
        "int test(int x) {
           unsigned u = x; short s = x; unsigned char c = x; long l = x; _Bool b = x;
           long sum = s * 3 + c / 7 + (l << 5) - (u % 11) + b;
           sum ^= x >> 3; sum += u >> 29; sum -= (signed char)x; sum *= ~x | 5;
           if (x) sum += 1000003 / x + 77 % x;
           return sum ^ sum >> 32;
         }",
    );
}

#[test]
fn loops_and_exchanges() {
    agrees_with_native(
        "int test(int x) {
           int a = 1, b = 2, c = 3, n = x & 31;
           for (int i = 0; i < n; i++) {
             int t = a; a = b; b = c; c = t;
             if (a == 2 && i % 3) { t = a; a = b; b = t; continue; }
             if (c > 100 || !(i - 17)) break;
             c += a;
           }
           return a + 1000 * b + 1000000 * c;
         }",
    );
}

#[test]
fn increments_in_expressions() {
    agrees_with_native(
        "int test(int x) {
           int i = x & 7, a[16] = {0};
           int j = i++ + ++i; a[i--] = j; a[i] = i + j;
           int k = i; k += k++ * 2 + i; i = k; k = j; j = i;
           for (int n = 0; n < 10; n++) { int old = i; i = j; j = k; k = old + n; }
           return a[3] + 10 * a[4] + 100 * a[9] + i - 7 * j + 13 * k;
         }",
    );
}

#[test]
fn switches_and_jumps() {
    agrees_with_native(
        "static int odd(int n) { return n & 1; }
         int test(int x) {
           int r = 0;
         again:
           switch (x) {
             case 0: r += 1;
             case 1: r += 2; break;
             case -1: r -= 5; x = 2; goto again;
             case 5 ... 9: r = x * 2; break;
             case 2147483647: r = 9; break;
             default: if (odd(x)) { x /= 3; r++; goto again; } r += x;
           }
           switch ((long long)x * 4294967296LL) { case 0: r += 3; break;
             case 4294967296LL: r += 4; break; }
           return x > 0 ? x < 10 ? r : -r : r == 3 ? 11 : r;
         }",
    );
}

#[test]
fn labels_as_values() {
    agrees_with_native(
        "int test(int x) {
           static void *const table[] = {&&add, &&twice, &&out};
           int n = x & 3, r = 1;
           goto *table[n % 3];
         add: r += 3; if (r < 20) goto *table[(r + n) % 3]; goto out;
         twice: r *= 2; if (r < 50) goto *table[r % 2];
         out: return r;
         }",
    );
}

#[test]
fn memory_and_initialisers() {
    agrees_with_native(
        "struct pair { char tag; int values[3]; struct { short s; long l; } in; };
         static int numbers[] = {5, 6, 7, 8};
         static int *middle = &numbers[2];
         static struct pair pairs[2] = {{'a', {1, 2, 3}, {4, 5}}, {'b', {6}, {-7, 8}}};
         static long *into = &pairs[1].in.l;
         static const char *words[] = {\"zero\", \"one\", \"two\"};
         static unsigned char bits[40] = {[3] = 9, [39] = 200};
         int test(int x) {
           struct pair local = pairs[x & 1], other;
           other = local; other.values[x & 1] += 5;
           local.in.l -= *into;
           long distance = &pairs[1] - &pairs[0];
           return *middle + middle[-1] + local.in.l * 3 + other.values[0] + local.tag
             + words[(unsigned)x % 3][1] + bits[39] + distance + other.in.s;
         }",
    );
}

#[test]
fn structs_across_calls() {
    agrees_with_native(
        "struct small { int a, b; long c; };
         struct large { long v[5]; };
         struct tiny { char a, b; };
         static struct small make(int x) { struct small s = {x, x + 1, x * 2L}; return s; }
         static struct large grow(struct small s) {
           struct large l = {{s.a, s.b, s.c, 4, 5}}; return l; }
         static long take(struct large l, struct tiny t) { l.v[0]++; return l.v[0] + l.v[2] + t.b; }
         int test(int x) {
           struct large l = grow(make(x));
           struct tiny t = {1, x};
           long first = take(l, t);
           return first + l.v[0] * 3 + make(x + 2).b;
         }",
    );
}

#[test]
fn variadic_and_indirect_calls() {
    agrees_with_native(
        "#include <stdarg.h>
         static int total(int n, ...) {
           va_list list; va_start(list, n);
           long sum = 0;
           while (n--) sum += n % 2 ? va_arg(list, long) : va_arg(list, int);
           va_end(list); return sum;
         }
         static int twice(int x) { return 2 * x; }
         static int next(int x) { return x + 1; }
         extern int also(int) __attribute__((alias(\"next\")));
         int test(int x) {
           int (*table[])(int) = {twice, next, also};
           return table[(unsigned)x % 3](x) + total(3, x, 7L, 3);
         }",
    );
}

#[test]
fn builtins() {
    agrees_with_native(
        "int test(int x) {
           int sum, difference; long product; unsigned u = x;
           int o = __builtin_add_overflow(x, 1000, &sum);
           o += 2 * __builtin_sub_overflow(x, 37, &difference);
           o += 4 * __builtin_mul_overflow((long)x, 9223372036L, &product);
           int bits = __builtin_popcount(u) + __builtin_clz(u | 1) + __builtin_ctz(u | 64);
           bits += __builtin_bswap32(u) ^ __builtin_bitreverse8(u);
           int rotated = u << 7 | u >> 25;
           int least = x < 5 ? x : 5, most = x > -9 ? x : -9;
           int absolute = x < 0 ? -(unsigned)x : x;
           if (__builtin_expect(x == 10, 0)) bits++;
           int old = __sync_val_compare_and_swap(&sum, 1010, 5), more = 3;
           __sync_fetch_and_add(&more, old);
           int compiler_barrier = x;
           asm volatile(\"\" : \"+r\"(compiler_barrier) : : \"memory\");
           return o + sum - difference + product + bits + rotated + least * most + absolute
             + old + more + compiler_barrier;
         }",
    );
}

#[test]
fn vectors_and_odd_widths() {
    agrees_with_native(
        "typedef int v4 __attribute__((vector_size(16)));
         static int numbers[64];
         struct fields { unsigned a : 3, b : 11; int c : 7; long d : 40; };
         int test(int x) {
           v4 v = {x, x + 1, 3, 4}, w = {7, 5, x, 1};
           v = v * w + (v > w); v = __builtin_shufflevector(v, w, 0, 5, 2, 7);
           for (int i = 0; i < 64; i++) numbers[i] = i * x ^ 5;
           int sum = 0, top = 0;
           for (int i = 0; i < 64; i++) { sum += numbers[i]; if (numbers[i] > top) top = numbers[i]; }
           struct fields f = {x, x * 3, x, x};
           f.b += 5; f.c -= 9; f.d <<= 2;
           _BitInt(17) odd = x; odd *= 3;
           return v[0] + v[x & 3] + sum + top + f.a + f.b * f.c + (int)(f.d >> 3) + odd;
         }",
    );
}
