//! Tests of the operations against the processor, and against Bitwuzla's theory.

use std::{io::Write, process::Stdio};

use super::*;
use crate::expr::arena::mix;

mod hardware;
mod theory;

/// Encodings at which something changes: ends of ranges, ties, limits of integers, NaNs.
fn corners(format: Format) -> Vec<u128> {
    let fraction = format.fraction();
    let lowest = 1 << format.exponent_low();
    let exponent = |power: u32| format.power_of_two(power, false);
    let normal = lowest | format.integer_bit();
    let infinity = format.infinity();
    let half = format.power_of_two(0, false).expect("one") - lowest;
    let mut found = vec![
        0,
        1,
        2,
        fraction >> 1,
        fraction,
        normal,
        normal | 1,
        normal | fraction,
        normal + lowest,
        half - lowest,
        half,
        half | 1,
        half | format.quiet(),
        (half - lowest) | fraction,
        (infinity - lowest) | fraction,
        infinity - lowest,
        infinity,
        infinity | format.quiet(),
        infinity | format.quiet() | 5,
        infinity | 1,
        infinity | format.quiet() >> 1,
        infinity | fraction,
    ];
    for power in
        [0, 1, 2, 6, 7, 8, 10, 11, 22, 23, 24, 30, 31, 32, 52, 53, 62, 63, 64, 65, 127, 128]
    {
        let Some(bits) = exponent(power) else { continue };
        found.extend([bits, bits | 1, bits | format.quiet(), bits | fraction]);
        found.extend([bits | format.quiet() | 1, bits | fraction & !1]);
    }
    if format.has_integer_bit() {
        let integer = format.integer_bit();
        found.extend([integer, integer | 5, half & !integer, half & !integer | 9]);
        found.extend([infinity & !integer, infinity & !integer | 7]);
    }
    let negative: Vec<u128> = found.iter().map(|bits| bits | format.sign()).collect();
    found.extend(negative);
    found
}

/// A random encoding; in three of four, the exponent is near that of 1.
fn random(format: Format, seed: u64) -> u128 {
    let word = |n: u64| u128::from(mix(mix(seed, format.width().into()), n));
    let all = (word(1) << 64 | word(2)) & (u128::MAX >> (128 - format.width()));
    let bits = if word(3) % 4 == 0 {
        all
    } else {
        let bias = (1 << (format.exponent_bits() - 1)) - 1;
        let exponent = (bias + word(4) % 40).saturating_sub(20).clamp(1, 2 * bias);
        let short = if word(5) % 3 == 0 { format.fraction() >> 3 } else { 0 };
        all & (format.sign() | format.fraction() & !short) | exponent << format.exponent_low()
    };
    // The integer bit is made canonical, except in one encoding of sixteen.
    let exponent = bits >> format.exponent_low() & ((1 << format.exponent_bits()) - 1);
    let canonical =
        if exponent == 0 { bits & !format.integer_bit() } else { bits | format.integer_bit() };
    if word(6) % 16 == 0 { bits } else { canonical }
}
