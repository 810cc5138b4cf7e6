#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| psychic_fuzz::module(bytes));
