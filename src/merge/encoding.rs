//! Sources and diffs as text, whatever their encoding.
//!
//! The merge works on `str`, but old sources have comments and string literals in Latin-1 and the
//! like. So each byte that is not part of UTF-8 text becomes one private character, and the same
//! byte again when the text is written for a compiler. Bytes that are the UTF-8 of such a private
//! character are handled in the same way. So different bytes always make different texts, and
//! [`encode`] gives back exactly what [`decode`] was given. Both work on each line alone, so texts
//! may be cut at line ends and at tokens, and put together again.

use std::{borrow::Cow, ops::RangeInclusive};

/// The characters that stand for bytes, from 0x80 to 0xff.
const PRIVATE: RangeInclusive<u32> = 0x10_f780..=0x10_f7ff;

fn is_private(character: char) -> bool {
    PRIVATE.contains(&(character as u32))
}

/// The character that stands for a byte, which is not ASCII.
fn stand_in(byte: u8) -> char {
    char::from_u32(PRIVATE.start() - 0x80 + u32::from(byte)).expect("a private character")
}

/// A text that stands for these bytes, which are the content of a file.
pub fn decode(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if !text.contains(is_private) => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match is_private(character) {
                true => text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(stand_in)),
                false => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(stand_in));
    }
    text
}

/// The bytes that a text stands for.
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.contains(is_private) {
        return text.as_bytes().into();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for character in text.chars() {
        match is_private(character) {
            true => bytes.push((character as u32 - PRIVATE.start() + 0x80) as u8),
            false => bytes.extend(character.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    bytes.into()
}

/// The text as people are shown it: with U+FFFD for what is not UTF-8.
pub fn shown(text: &str) -> String {
    String::from_utf8_lossy(&encode(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_utf8_stays_as_it_is() {
        let text = "/* \u{e4} \u{fffd} \u{10ffff} */";
        assert_eq!(decode(text.into()), text);
        assert_eq!(&*encode(text), text.as_bytes());
        assert_eq!(shown(text), text);
    }

    #[test]
    fn latin_1_is_carried_through() {
        let bytes = b"\"f\xfcr\" /* \xc3\xa4 \xe4 */";
        let text = decode(bytes.to_vec());
        assert_eq!(&*encode(&text), bytes);
        assert_eq!(text.chars().count(), bytes.len() - 1);
        assert_eq!(shown(&text), "\"f\u{fffd}r\" /* \u{e4} \u{fffd} */");
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        // Often what a private character begins with.
        let byte = prop_oneof![any::<u8>(), Just(0xf4), Just(0x8f), Just(0x9e), Just(0x80)];
        prop::collection::vec(byte, 0..40)
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in bytes()) {
            let text = decode(bytes.clone());
            prop_assert_eq!(&*encode(&text), &bytes[..]);
        }

        #[test]
        fn lines_are_decoded_alone(a in bytes(), b in bytes()) {
            let both = [&a[..], b"\n", &b[..]].concat();
            prop_assert_eq!(decode(both), format!("{}\n{}", decode(a), decode(b)));
        }
    }
}
