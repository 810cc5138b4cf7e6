//! Small random C programs over symbolic input, with branches, loops, switches, arrays, pointers,
//! bit-fields, calls and all integer widths.

use std::fmt::Write;

/// A symbolic input of a generated program.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its name in C and as a symbolic object.
    pub name: &'static str,
    /// Its type in C.
    pub ty: &'static str,
    /// Its width in bits.
    pub bits: u32,
}

const fn variable(name: &'static str, ty: &'static str, bits: u32) -> Variable {
    Variable { name, ty, bits }
}

/// The inputs of every program.
pub const INPUTS: [Variable; 6] = [
    variable("x", "int", 32),
    variable("u", "unsigned", 32),
    variable("s", "short", 16),
    variable("c", "signed char", 8),
    variable("b", "unsigned char", 8),
    variable("l", "long", 64),
];

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }

    /// A small number, a corner value, or any number.
    pub fn value(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(16),
            1 => self.below(16).wrapping_neg(),
            2 => self.pick(&[0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0x7fff_ffff, 0x8000_0000, 1 << 63]),
            _ => self.next(),
        }
    }
}

struct Generator {
    random: Random,
    text: String,
    /// How many ifs, switches and loops may still be generated.
    branches: u32,
    /// Whether the program may have errors.
    errors: bool,
    loops: u32,
}

/// The program of a seed; `errors` allows accesses out of bounds and divisions by zero.
pub fn program(seed: u64, errors: bool) -> String {
    let random = Random(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) + 1);
    let mut generator = Generator { random, text: String::new(), branches: 6, errors, loops: 0 };
    generator.whole();
    generator.text
}

const HEADER: &str = "\
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
struct packed { unsigned f : 5; signed g : 11; unsigned h : 16; };
static int a[4] = {1, -2, 3, -4}, *first = a;
static unsigned char t[8] = {9, 8, 7, 6, 5, 4, 3, 2};
static long w[2] = {-1, 1};
static struct packed p = {1, 2, 3};
static int global;
static int mix(int m, long n) { global += m; return m > n ? m - (int)n : (int)(m ^ n); }
static struct packed turn(struct packed q, int by) { q.f += by; q.g -= q.f; q.h ^= by; return q; }
static void bump(int *where, short by) { *where += by; }
";

impl Generator {
    fn whole(&mut self) {
        self.text += HEADER;
        self.text += "int main(void) {\n";
        for input in INPUTS {
            let Variable { name, ty, .. } = input;
            let _ = writeln!(self.text, "  {ty} {name};");
            let _ =
                writeln!(self.text, "  klee_make_symbolic(&{name}, sizeof {name}, \"{name}\");");
        }
        self.text += "  int y = 1; unsigned v = 2; long z = 3; char d = 4; int *q = &y;\n";
        for _ in 0..9 {
            self.statement(2, 1);
        }
        for (format, value) in
            [("%d %u %ld %d", "y, v, z, d"), ("%d %d %d", "p.f, p.g, p.h"), ("%d %d", "*q, global")]
        {
            let _ = writeln!(self.text, "  printf(\"{format}\\n\", {value});");
        }
        self.text += "  for (int k = 0; k < 4; k++) printf(\"%d %d \", a[k], t[k]);\n";
        let result = self.expression(2);
        let _ = writeln!(self.text, "  return (int)({result});\n}}");
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "  ".repeat(depth));
    }

    fn statement(&mut self, size: u32, depth: usize) {
        let value = self.expression(size);
        let kind = if self.branches == 0 { self.random.below(9) } else { self.random.below(15) };
        match kind {
            0..=2 => {
                let target = self.random.pick(&["y", "v", "z", "d", "*q", "p.f", "p.g", "p.h"]);
                let op = self.random.pick(&["=", "+=", "-=", "^=", "*=", "|=", "&="]);
                self.line(depth, &format!("{target} {op} {value};"));
            }
            3 => {
                let target = self.place();
                self.line(depth, &format!("{target} = {value};"));
            }
            4 => {
                let target = self.random.pick(&["&y", "&a[1]", "&a[3]", "q"]);
                self.line(depth, &format!("bump({target}, (short)({value}));"));
            }
            5 => self.line(depth, &format!("p = turn(p, (int)({value}));")),
            6 => {
                let index = self.index(4);
                // A sanitizer would complain about `&a[9]`, though only an access is an error here.
                self.line(depth, &format!("q = first + ({index});"));
            }
            7 => self.line(depth, "memmove(t + 1, t, 4);"),
            8 => self.line(depth, &format!("printf(\"%d,\", (int)({value}));")),
            9..=11 => {
                self.branches -= 1;
                let condition = self.condition();
                self.line(depth, &format!("if ({condition}) {{"));
                self.statement(size, depth + 1);
                self.line(depth, "} else {");
                self.statement(size, depth + 1);
                self.line(depth, "}");
            }
            12 => {
                self.branches -= 1;
                self.line(depth, &format!("switch (({value}) & 7) {{"));
                for case in [0, 3, 4] {
                    self.line(depth, &format!("case {case}:"));
                    self.statement(1, depth + 1);
                    if self.random.below(3) > 0 {
                        self.line(depth + 1, "break;");
                    }
                }
                self.line(depth, "default:");
                self.statement(1, depth + 1);
                self.line(depth, "}");
            }
            _ => {
                self.branches -= 1;
                let name = format!("i{}", self.loops);
                self.loops += 1;
                let bound = self.expression(1);
                self.line(
                    depth,
                    &format!("for (int {name} = 0; {name} < (int)(({bound}) & 3); {name}++) {{"),
                );
                self.statement(size, depth + 1);
                if self.random.below(3) == 0 {
                    let condition = self.condition();
                    let leave = self.random.pick(&["break", "continue"]);
                    self.line(depth + 1, &format!("if ({condition}) {leave};"));
                    self.branches = self.branches.saturating_sub(1);
                }
                self.line(depth, "}");
            }
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(1), self.expression(0));
        let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.random.below(6) {
            0 => format!("({a}) & {}", 1 << self.random.below(6)),
            1 => {
                let c = self.expression(0);
                let join = self.random.pick(&["&&", "||"]);
                format!("({a}) {op} ({b}) {join} ({c}) > 3")
            }
            _ => format!("({a}) {op} ({b})"),
        }
    }

    /// An index of an array of `elements` elements, which is a power of two; sometimes out of
    /// bounds if errors are allowed.
    fn index(&mut self, elements: u64) -> String {
        let value = self.expression(1);
        if self.errors && self.random.below(4) == 0 {
            format!("({value}) & {}", 2 * elements - 1)
        } else {
            format!("({value}) & {}", elements - 1)
        }
    }

    fn place(&mut self) -> String {
        let (name, elements) = self.random.pick(&[("a", 4), ("t", 8), ("w", 2)]);
        format!("{name}[{}]", self.index(elements))
    }

    fn expression(&mut self, size: u32) -> String {
        if size == 0 || self.random.below(5) == 0 {
            return match self.random.below(10) {
                0..=4 => self.random.pick(&INPUTS).name.to_owned(),
                5 => self
                    .random
                    .pick(&["y", "v", "z", "d", "p.f", "p.g", "p.h", "global"])
                    .to_owned(),
                6 => "*q".to_owned(),
                7 => self.place(),
                _ => match self.random.below(3) {
                    0 => format!("{}", self.random.below(20) as i64 - 8),
                    1 => format!("{}u", self.random.below(1 << 32)),
                    _ => format!("{:#x}l", self.random.value() >> 1),
                },
            };
        }
        let (a, b) = (self.expression(size - 1), self.expression(size - 1));
        match self.random.below(16) {
            0..=5 => {
                let op = self.random.pick(&["+", "-", "&", "|", "^", "+"]);
                format!("({a}) {op} ({b})")
            }
            6 => format!("({a}) * {}", self.random.below(9) as i64 - 4),
            7 => {
                let op = self.random.pick(&["<<", ">>"]);
                format!("({a}) {op} (({b}) & 7)")
            }
            8 => {
                let op = self.random.pick(&["/", "%"]);
                if self.errors && self.random.below(3) == 0 {
                    format!("(int)({a}) {op} (int)({b})")
                } else {
                    format!("({a}) {op} ((({b}) & 15) + 1)")
                }
            }
            9 | 10 => {
                let casts = [
                    "signed char",
                    "unsigned char",
                    "short",
                    "unsigned short",
                    "int",
                    "unsigned",
                    "long",
                    "unsigned long",
                    "_Bool",
                ];
                format!("({})({a})", self.random.pick(&casts))
            }
            11 => format!("{}({a})", self.random.pick(&["-", "~", "!"])),
            12 => format!("mix((int)({a}), {b})"),
            13 => {
                let op = self.random.pick(&["<", "==", ">="]);
                format!("(({a}) {op} ({b})) * 5")
            }
            14 => {
                let condition = self.condition();
                if self.branches == 0 {
                    return a;
                }
                self.branches -= 1;
                format!("({condition}) ? ({a}) : ({b})")
            }
            _ => format!("({a}) * ({b}) + 1"),
        }
    }
}
