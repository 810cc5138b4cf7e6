//! Which parameters of an entry function are numbers, and of what kind, judged by its signature.

use std::collections::{BTreeMap, BTreeSet};

use super::signature::{Parameter, Type, signature};

/// The output of a harness with the floating-point number that a revision returns if the original
/// returns a number of another type.
pub(super) const REAL_RETURN: &str = "return as a real number";

/// The objects and outputs of a [`harness()`](super::harness()) that hold `float` or `double`
/// numbers: names of parameters of `entry`, and `return`. Empty if the signature cannot be read.
pub fn real_numbers(source: &str, entry: &str) -> BTreeSet<String> {
    let Ok(signature) = signature(source, entry) else { return BTreeSet::new() };
    let is_real = |ty: &Type| match ty {
        Type::Scalar(text) | Type::Pointer { element: text, .. } => {
            text.split_whitespace().any(|word| word == "double" || word == "float")
                && !text.split_whitespace().any(|word| word == "long")
        }
        Type::Void | Type::Other(_) => false,
    };
    let returned = Some("return".to_owned()).filter(|_| is_real(&signature.returns));
    let returned = returned.into_iter().chain([REAL_RETURN.to_owned()]);
    let parameters = signature.parameters.into_iter().filter(|parameter| is_real(&parameter.ty));
    parameters.map(|parameter| parameter.name).chain(returned).collect()
}

/// The parameters of `entry` that are integers, and whether each is signed. Types whose names do
/// not say this are left out. Empty if the signature cannot be read.
pub fn integers(source: &str, entry: &str) -> BTreeMap<String, bool> {
    let Ok(signature) = signature(source, entry) else { return BTreeMap::new() };
    let is_signed = |parameter: Parameter| match &parameter.ty {
        Type::Scalar(text) => Some((parameter.name, is_signed(text)?)),
        Type::Void | Type::Pointer { .. } | Type::Other(_) => None,
    };
    signature.parameters.into_iter().filter_map(is_signed).collect()
}

/// Whether an integer type of C, on x86-64, is signed; `None` if its name does not say so.
fn is_signed(ty: &str) -> Option<bool> {
    let is_keyword =
        |word: &str| matches!(word, "signed" | "unsigned" | "char" | "short" | "int" | "long");
    match ty {
        "_Bool" | "bool" | "size_t" | "uintptr_t" | "uintmax_t" => Some(false),
        "ssize_t" | "ptrdiff_t" | "intptr_t" | "intmax_t" => Some(true),
        _ if ty.split_whitespace().all(is_keyword) => {
            Some(!ty.split_whitespace().any(|word| word == "unsigned"))
        }
        _ => {
            let (is_unsigned, rest) = match ty.strip_prefix('u') {
                Some(rest) => (true, rest),
                None => (false, ty),
            };
            let bits = rest.strip_prefix("int")?.strip_suffix("_t")?;
            matches!(bits, "8" | "16" | "32" | "64").then_some(!is_unsigned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_whose_names_say_whether_they_are_signed() {
        let source = "typedef unsigned word; int f(char a, unsigned b, long unsigned int c, \
                      signed char d, const uint8_t e, int16_t g, size_t h, _Bool i, word j, \
                      enum k k, double l, int *m, unsigned __int128 n) { return 0; }";
        let signed = ["a", "d", "g"].map(|name| (name.to_owned(), true));
        let unsigned = ["b", "c", "e", "h", "i", "j"].map(|name| (name.to_owned(), false));
        assert_eq!(integers(source, "f"), signed.into_iter().chain(unsigned).collect());
        assert_eq!(integers("int g(void) { return 0; }", "f"), BTreeMap::new());
    }

    #[test]
    fn real_numbers_are_floats_and_doubles() {
        let source =
            "double f(float a, int b, const double *c, long double d, char *e) { return a; }";
        let names = ["a", "c", "return", REAL_RETURN].map(str::to_owned);
        assert_eq!(real_numbers(source, "f"), BTreeSet::from(names));
        assert_eq!(real_numbers("int g(void) { return 0; }", "f"), BTreeSet::new());
    }
}
