//! The reference for the tests of this module: glibc itself, asked through a small C program.

use std::io::Write;
use std::process::{Command, Stdio};

const PRINTF: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CALL(value) \
    (stars == 0 ? snprintf(out, sizeof out, format, value) \
     : stars == 1 ? snprintf(out, sizeof out, format, a, value) \
     : snprintf(out, sizeof out, format, a, b, value))
static char out[1 << 16];
int main(void) {
    char format[256], kind;
    int stars, a, b;
    unsigned long bits[2];
    while (scanf(" %255[^\n]\n%c %d %d %d %lx %lx", format, &kind, &stars, &a, &b,
                 &bits[0], &bits[1]) == 7) {
        double d;
        long double l = 0;
        memcpy(&d, bits, 8);
        memcpy(&l, bits, 10);
        int n = kind == 'i' ? CALL(bits[0]) : kind == 'd' ? CALL(d) : CALL(l);
        printf("%d\n", n);
        fwrite(out, 1, n, stdout);
    }
}
"#;

/// The value to print.
#[derive(Clone, Copy, Debug)]
pub enum PrintedValue {
    /// An integer, passed as a `long`, which can be read as any shorter integer, too.
    Integer(u64),
    /// A `double`.
    Double(f64),
    /// The 80 bits of a `long double`: mantissa, sign and exponent.
    LongDouble(u64, u16),
}

/// One call of `printf` with one conversion.
#[derive(Clone, Debug)]
pub struct Case {
    pub format: String,
    pub stars: Vec<i32>,
    pub argument: PrintedValue,
}

impl Case {
    pub fn new(format: &str, stars: &[i32], argument: PrintedValue) -> Self {
        Self { format: format.to_owned(), stars: stars.to_vec(), argument }
    }
}

/// The text that `printf` writes in each case.
pub fn printf(cases: &[Case]) -> Vec<Vec<u8>> {
    let mut input = String::new();
    for Case { format, stars, argument } in cases {
        let (kind, low, high) = match *argument {
            PrintedValue::Integer(value) => ('i', value, 0),
            PrintedValue::Double(value) => ('d', value.to_bits(), 0),
            PrintedValue::LongDouble(mantissa, top) => ('l', mantissa, u64::from(top)),
        };
        let (count, a) = (stars.len(), stars.first().unwrap_or(&0));
        let b = stars.get(1).unwrap_or(&0);
        input += &format!("{format}\n{kind} {count} {a} {b} {low:x} {high:x}\n");
    }
    let output = run(PRINTF, input.into_bytes());
    let mut rest = &output[..];
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let line = rest.iter().position(|&b| b == b'\n').expect("a length line");
        let length: usize = std::str::from_utf8(&rest[..line]).unwrap().parse().unwrap();
        texts.push(rest[line + 1..line + 1 + length].to_vec());
        rest = &rest[line + 1 + length..];
    }
    assert_eq!(texts.len(), cases.len());
    texts
}

/// Compiles a C program, and returns its standard output for the given standard input.
pub fn run(source: &str, input: Vec<u8>) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let (file, program) = (directory.path().join("oracle.c"), directory.path().join("oracle"));
    std::fs::write(&file, source).unwrap();
    let compiled =
        Command::new("cc").args(["-w", "-std=gnu11", "-o"]).args([&program, &file]).status();
    assert!(compiled.expect("a C compiler named cc").success());
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    output.stdout
}
