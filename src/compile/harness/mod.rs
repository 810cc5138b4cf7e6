//! Writes the `main` of a subject whose entry is not `main`.

mod body;
mod error;

use std::path::Path;

use self::body::Body;
pub use self::error::HarnessError;
use crate::{
    compile::signature::{NUMBERS, Parameter, Type, Unreadable, in_keywords, signature},
    subject::config::{InputsConfig, NanConfig},
};

/// A `main` that runs an entry function on symbolic arguments: C text to put before the source that
/// has the function, and text to put behind it.
#[derive(Clone, Debug)]
pub struct Harness {
    before: String,
    after: String,
}

impl Harness {
    /// A C file that includes the source as `source`, which is written as it is in a directive.
    pub fn including(&self, source: &str) -> String {
        format!("{}#include {source}\n{}", self.before, self.after)
    }

    /// A C file, `name`, that contains the `text` of `source`. What the text says of its own file,
    /// such as `__FILE__` and `__INCLUDE_LEVEL__`, is what it says in `source`.
    pub fn around(&self, source: &Path, text: &[u8], name: &str) -> Vec<u8> {
        let source = source.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
        let begin = format!("{}#line 1 \"{source}\"\n", self.before);
        // The last line may have no end, or go on in the next one.
        let end = format!("\n\n#line 1 \"{name}\"\n{}", self.after);
        [begin.as_bytes(), text, end.as_bytes()].concat()
    }
}

/// Makes the `main` that runs `entry` on symbolic arguments.
///
/// `text` is the text of `source`, which should have the function. Every argument is an object with
/// the name of its parameter. The return value is the output `return`, and a buffer that the entry
/// may write to is an output with the name of its parameter. A returned pointer into the buffer `v`
/// is the output `return in v`, its offset in bytes. For any other returned pointer, what it points
/// to is shown.
///
/// `callers` know the original alone. A number of another type than the original returns is shown
/// in the original's type. If that changes the number, it is also shown as it is: callers in C see
/// numbers, not their bytes. Parameters are matched by position. They have the names that they have
/// in the original, and its types, where every revision knows these.
///
/// # Errors
/// [`HarnessError`] says which setting of `subject.toml` to change.
pub fn harness(
    text: &str,
    source: &Path,
    entry: &str,
    inputs: &InputsConfig,
    callers: &Callers,
    show: Show,
) -> Result<Harness, HarnessError> {
    let mut signature = signature(text, entry).map_err(|error| match error {
        Unreadable::NotFound { functions } => HarnessError::NoEntry {
            entry: entry.to_owned(),
            file: source.display().to_string(),
            // Functions that merging added are not the author's.
            functions: functions.into_iter().filter(|f| !f.starts_with("psychic_")).collect(),
        },
        Unreadable::OldStyle => HarnessError::OldStyle { entry: entry.to_owned() },
        Unreadable::Several => HarnessError::Several { entry: entry.to_owned() },
    })?;
    for (index, parameter) in signature.parameters.iter_mut().enumerate() {
        match callers.parameters.get(index) {
            Some(known) => {
                parameter.name.clone_from(&known.name);
                parameter.ty = passed(&known.ty, &parameter.ty);
            }
            None if callers.parameters.iter().any(|known| known.name == parameter.name) => {
                parameter.name = format!("arg{}", index + 1);
            }
            None => {}
        }
    }
    if let Some(parameter) =
        inputs.params.keys().find(|name| signature.parameters.iter().all(|p| p.name != **name))
    {
        return Err(HarnessError::UnknownParameter {
            entry: entry.to_owned(),
            parameter: parameter.clone(),
            known: signature.parameters.iter().map(|p| p.name.clone()).collect(),
        });
    }
    let mut body = Body::new(entry, inputs);
    let mut arguments = Vec::new();
    for (index, parameter) in signature.parameters.iter().enumerate() {
        let known = callers.parameters.get(index);
        arguments.push(body.parameter(parameter, known.and_then(KnownParameter::is_shown))?);
    }
    let call = body.call(&signature, &arguments.join(", "), callers.returns.as_deref())?;
    let Body { before, after, buffers, .. } = body;
    let show = show.definition();
    let most = buffers.into_iter().map(|buffer| buffer.declaration);
    let most: String = most.map(|declaration| format!(" {declaration};")).collect();
    // A program may ask whether `main` is a macro.
    let [renamed, named] = match text.contains("main") {
        true => ["#define main psychic_subject_main\n", "#undef main\n"],
        false => [""; 2],
    };
    // Behind the source, these may be macros.
    let words = [entry].into_iter().chain(NUMBERS).chain(KEYWORDS);
    let words: String = words.map(|word| format!("#undef {word}\n")).collect();
    let ty = &signature.ty;
    let begin = format!("/* Runs {entry} on symbolic arguments. */\n{renamed}");
    let end = format!(
        "{named}{words}#include \"psychic.h\"\n\
         \n\
         __extension__ _Static_assert(__builtin_types_compatible_p(__typeof__({entry}), __typeof__({ty})),\n\
         \x20 \"a macro or an attribute gives `{entry}` another type than `{ty}`: \"\n\
         \x20 \"write a function that calls it, and name it as entry\");\n\
         \n\
         union psychic_buffers {{ char psychic_none;{most} }};\n\
         {APART}{SIZE}{TEXT}{TRUTH}{show}\
         \n\
         int main(void)\n\
         {{\n\
         \x20 PSYCHIC_GUARD(first);\n\
         {before}\x20 PSYCHIC_GUARD(last);\n\
         {call}{after}  return 0;\n\
         }}\n"
    );
    Ok(Harness { before: begin, after: end })
}

/// The keywords that a harness uses, beside those of numbers.
const KEYWORDS: [&str; 11] = [
    "const", "else", "enum", "for", "if", "return", "sizeof", "struct", "union", "void", "volatile",
];

/// What the callers of an entry know: its signature in the original, whatever a revision calls its
/// parameters.
#[derive(Clone, Debug, Default)]
pub struct Callers {
    /// The type of the number that the entry returns, in keywords alone, so that all revisions know
    /// it; `None` if it returns none, or one whose type depends on the source.
    pub returns: Option<String>,
    /// The parameters, in order.
    pub parameters: Vec<KnownParameter>,
}

/// A parameter as callers know it.
#[derive(Clone, Debug)]
pub struct KnownParameter {
    /// Its name.
    pub name: String,
    /// Its type.
    ty: Type,
}

impl KnownParameter {
    /// Whether what the parameter points to is shown after the call; `None` if it is no pointer.
    fn is_shown(&self) -> Option<bool> {
        match self.ty {
            Type::Pointer { constant, .. } => Some(!constant),
            Type::Void | Type::Scalar(_) | Type::Other(_) => None,
        }
    }
}

/// The type of the argument that callers pass if they know a parameter as `known` and the revision
/// declares it as `own`. Calls in C convert numbers, and arrays are as large as the original says.
fn passed(known: &Type, own: &Type) -> Type {
    let (own_element, own_constant) = match own {
        Type::Pointer { element, constant, .. } => (Some(element), Some(*constant)),
        Type::Other(_) => (None, None),
        Type::Scalar(_) | Type::Void => match known {
            Type::Scalar(number) if known != own && *own != Type::Void => {
                let number = in_keywords(number);
                return number.map_or(own.clone(), |number| Type::Scalar(number.to_owned()));
            }
            _ => return own.clone(),
        },
    };
    match known {
        Type::Pointer { element, dimensions, constant, length } => {
            let is_own = Some(element) == own_element;
            let element = if is_own { Some(element.as_str()) } else { in_keywords(element) };
            let Some(element) = element.map(str::to_owned) else { return own.clone() };
            let dimensions = dimensions.clone();
            let constant = own_constant.unwrap_or(*constant);
            Type::Pointer { element, dimensions, constant, length: *length }
        }
        _ => own.clone(),
    }
}

/// What the callers of `entry` know; `None` if the source has no such function.
pub fn callers(source: &str, entry: &str) -> Option<Callers> {
    let signature = signature(source, entry).ok()?;
    let returns = match signature.returns {
        Type::Scalar(text) => in_keywords(&text).map(str::to_owned),
        _ => None,
    };
    let parameters = signature.parameters.into_iter();
    let known = |Parameter { name, ty }| KnownParameter { name, ty };
    Some(Callers { returns, parameters: parameters.map(known).collect() })
}

/// Keeps arguments apart on the stack. Usually less lies between them than an index out of bounds
/// may skip, and the end of one may be the beginning of another. If all are aligned to more than
/// the size of the largest one, neither happens. AddressSanitizer watches the space before the
/// first and behind the last argument, up to guards. These guards are arrays, as it leaves out what
/// could be a register. (Before the first of large arguments there is only a redzone, as
/// AddressSanitizer orders variables by their alignment.)
const APART: &str = "#define PSYCHIC_APART __attribute__((aligned(\\\n\
    \x20 sizeof(union psychic_buffers) < 1 << 16 ? 1 << 16 : 1 << 20)))\n\
    #define PSYCHIC_GUARD(name) __attribute__((aligned(1 << 16))) \\\n\
    \x20 char psychic_ ## name[2]; psychic_ ## name[1] = 0\n";

/// The size in bytes of a value of type `type` if it is a number, else 0.
const SIZE: &str = "#define PSYCHIC_SIZE(type) _Generic((type *)0, \\\n\
    \x20 _Bool *: 1, char *: 1, signed char *: 1, unsigned char *: 1, short *: 2, \\\n\
    \x20 unsigned short *: 2, int *: 4, unsigned *: 4, long *: 8, unsigned long *: 8, \\\n\
    \x20 long long *: 8, unsigned long long *: 8, float *: 4, double *: 8, long double *: 10, \\\n\
    \x20 default: 0)\n";

/// Whether the type `type` is one of characters.
const TEXT: &str = "#define PSYCHIC_TEXT(type) _Generic((type *)0, \\\n\
    \x20 char *: 1, signed char *: 1, unsigned char *: 1, default: 0)\n";

/// Assumes that every byte of a value of type `type` is 0 or 1 if the type is `_Bool`.
const TRUTH: &str = "#define PSYCHIC_TRUTH(type, value) \\\n\
    \x20 if (_Generic((type *)0, _Bool *: 1, default: 0)) \\\n\
    \x20   for (__SIZE_TYPE__ psychic_i = 0; psychic_i < sizeof value; psychic_i++) \\\n\
    \x20     psychic_assume(((const unsigned char *)&value)[psychic_i] <= 1)\n";

/// How a harness shows values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Show {
    /// By the calls that make outputs. The configuration says which NaNs are told apart.
    Outputs(NanConfig),
    /// For people. First notes in `psychic_kind` what a value consists of (`i` integers, `t` text,
    /// `f` floating-point numbers, 0 anything else), and in `psychic_each` the size of each
    /// element.
    Legibly,
}

impl Show {
    /// The macro that gives the function to call for a type.
    fn definition(self) -> &'static str {
        match self {
            Self::Outputs(NanConfig::One) => {
                "#define PSYCHIC_SHOW(type) _Generic((type *)0, \\\n\
                 \x20 float *: psychic_output_float, double *: psychic_output_double, \\\n\
                 \x20 long double *: psychic_output_long_double, default: psychic_output)\n"
            }
            Self::Outputs(NanConfig::Bits) => "#define PSYCHIC_SHOW(type) psychic_output\n",
            Self::Legibly => {
                "#define PSYCHIC_SHOW(type) (psychic_each = sizeof(type), \\\n\
                 \x20 psychic_kind = _Generic((type *)0, \\\n\
                 \x20 char *: 't', signed char *: 't', unsigned char *: 't', _Bool *: 'i', \\\n\
                 \x20 short *: 'i', unsigned short *: 'i', int *: 'i', unsigned *: 'i', \\\n\
                 \x20 long *: 'i', unsigned long *: 'i', long long *: 'i', \\\n\
                 \x20 unsigned long long *: 'i', float *: 'f', double *: 'f', \\\n\
                 \x20 long double *: 'f', default: 0), psychic_output)\n"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, process::Command};

    use super::*;
    use crate::{
        compile::{Compilation, Toolchain},
        errors::Sanitizer,
        subject::config::ParamConfig,
    };

    fn inputs(params: &[(&str, ParamConfig)]) -> InputsConfig {
        let params = params.iter().map(|(name, p)| ((*name).to_owned(), p.clone()));
        InputsConfig { params: params.collect::<BTreeMap<_, _>>(), ..InputsConfig::default() }
    }

    fn error(source: &str, entry: &str, params: &[(&str, ParamConfig)]) -> String {
        let inputs = inputs(params);
        harness(
            source,
            Path::new("m.c"),
            entry,
            &inputs,
            &Callers::default(),
            Show::Outputs(NanConfig::One),
        )
        .unwrap_err()
        .to_string()
    }

    /// Compiles the harness of `f` and runs it on zeros only. Returns whether it finished, and its
    /// outputs.
    fn run(source: &str, params: &[(&str, ParamConfig)], sanitizer: Sanitizer) -> (bool, Vec<u8>) {
        let inputs = inputs(params);
        let harness = harness(
            source,
            Path::new("m.c"),
            "f",
            &inputs,
            &Callers::default(),
            Show::Outputs(NanConfig::One),
        )
        .unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let text = harness.around(Path::new("m.c"), source.as_bytes(), "harness.c");
        fs::write(path("harness.c"), text).unwrap();
        let compilation = Compilation {
            directory: directory.path().to_owned(),
            sources: vec!["harness.c".into()],
            flags: vec!["-Wall".into(), "-Werror".into(), "-Wno-unused".into()],
            ..Compilation::default()
        };
        let clang = Toolchain::find().unwrap();
        clang.bitcode(&compilation, &path("a.bc")).unwrap();
        clang.native(&compilation, sanitizer, &path("a.out")).unwrap();
        let run = Command::new(path("a.out")).env("PSYCHIC_OUTPUTS", path("outputs")).output();
        (run.unwrap().status.success(), fs::read(path("outputs")).unwrap_or_default())
    }

    #[test]
    fn errors_say_what_to_write() {
        let source = "int middle(int a, char *text, int *data) { return 0; } int other(void) {}";
        assert!(error(source, "midle", &[]).contains("did you mean `middle`?"));
        assert!(error("", "f", &[]).contains("there are none"));
        assert!(error(source, "middle", &[]).contains("text = { string = 4 }"));
        let text = ("text", ParamConfig { string: Some(2), ..ParamConfig::default() });
        assert!(
            error(source, "middle", std::slice::from_ref(&text))
                .contains("data = { elements = 4 }")
        );
        let typo = ("txt", ParamConfig::default());
        assert!(error(source, "middle", &[typo]).contains("did you mean `text`?"));
        let a = ("a", ParamConfig { elements: Some(2), ..ParamConfig::default() });
        assert!(error(source, "middle", &[a]).contains("`a`: `string` and `elements` are"));
        let data = ("data", ParamConfig { string: Some(2), ..ParamConfig::default() });
        assert!(error(source, "middle", &[text, data]).contains("use `elements`"));
        assert!(error("int f(a) int a; {}", "f", &[]).contains("K&R"));
        assert!(error("int f(struct s s) {}", "f", &[]).contains("`struct s`"));
        assert!(error("struct s f(void) {}", "f", &[]).contains("psychic_output"));
    }

    #[test]
    fn a_harness_compiles_and_shows_what_the_entry_returned_and_wrote() {
        let source = "#include <stddef.h>\n\
            unsigned f(const char *s, short a[2][2], unsigned char c, double, long v, int m) {\n\
              a[1][0] = v; return s[0] + c + m; }\n\
            int main(int argc, char **argv) { return f(0, 0, 0, 0, 0, 0); }\n";
        let params = [
            ("s", ParamConfig { string: Some(3), max: Some(90), ..ParamConfig::default() }),
            ("a", ParamConfig { min: Some(-5), ..ParamConfig::default() }),
            ("c", ParamConfig { min: Some(-1), max: Some(300), ..ParamConfig::default() }),
            ("v", ParamConfig { value: Some(i64::from(i16::MIN)), ..ParamConfig::default() }),
            ("m", ParamConfig { min: Some(i64::MIN), max: Some(0), ..ParamConfig::default() }),
        ];
        let (finished, outputs) = run(source, &params, Sanitizer::None);
        assert!(finished);
        let mut expected = b"return\0\x04\0\0\0\0\0\0\0\0\0\0\0".to_vec();
        expected.extend(b"a\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\x80\0\0");
        assert_eq!(outputs, expected);
    }

    #[test]
    fn no_index_gets_from_one_argument_into_another() {
        let first = "char f(char *a, short *b, int c) { return a[c]; }\n";
        // Behind the last argument are the harness's own variables.
        let last = "char f(int c, short *b, char *a) { return a[c]; }\n";
        let mut params = vec![
            ("a", ParamConfig { elements: Some(2), ..ParamConfig::default() }),
            ("b", ParamConfig { elements: Some(40), ..ParamConfig::default() }),
        ];
        params.push(("c", ParamConfig::default()));
        for source in [first, last] {
            for index in [0, 1, 2, 16, -1, -16, 124, 900, 5000, -5000, 60_000, -60_000] {
                params[2].1.value = Some(index);
                let (finished, _) = run(source, &params, Sanitizer::AddressUndefined);
                assert_eq!(finished, (0..2).contains(&index), "{source}{index}");
            }
        }
    }

    #[test]
    fn a_returned_string_is_shown_by_its_text() {
        for (value, length) in [("\"ab\"", 3), ("\"\"", 1), ("(void *)0", 0)] {
            let source = format!("const char *f(void) {{ return {value}; }}\n");
            let (finished, outputs) = run(&source, &[], Sanitizer::None);
            assert!(finished);
            assert_eq!(outputs[7], length);
        }
    }

    #[test]
    fn a_returned_pointer_is_shown_by_the_parameter_it_points_into() {
        let params = [
            ("v", ParamConfig { elements: Some(3), ..ParamConfig::default() }),
            ("w", ParamConfig { elements: Some(4), ..ParamConfig::default() }),
        ];
        let long = |place: u8| [&[8, 0, 0, 0, 0, 0, 0, 0, place][..], &[0; 7]].concat();
        let within = |name: &str, place| [name.as_bytes(), b"\0", &long(place)].concat();
        let places = [
            ("v + 2", within("return in v", 8)),
            ("v + 3", within("return in v", 12)),
            ("w", within("return in w", 0)),
            ("w + 4", within("return in w", 16)),
            ("0", b"return\0\0\0\0\0\0\0\0\0".to_vec()),
            ("&other", b"return\0\x04\0\0\0\0\0\0\0\x07\0\0\0".to_vec()),
        ];
        for (pointer, expected) in places {
            let source = format!(
                "static int other = 7;\n\
                 const int *f(const int *v, const int *w) {{ return {pointer}; }}\n"
            );
            assert_eq!(run(&source, &params, Sanitizer::None), (true, expected), "{pointer}");
        }
    }

    #[test]
    fn text_is_read_no_further_than_the_end_of_its_buffer() {
        let params = [("s", ParamConfig { elements: Some(2), ..ParamConfig::default() })];
        let source = "char *f(char *s) { s[0] = s[1] = 'a'; return s + 1; }\n";
        let (finished, outputs) = run(source, &params, Sanitizer::AddressUndefined);
        assert!(finished);
        let text = b"return\0\x01\0\0\0\0\0\0\0a";
        assert!(outputs.windows(text.len()).any(|window| window == text));
    }

    #[test]
    fn every_nan_counts_as_the_same_one() {
        let source = "double f(float *v, long double *w) {\n\
              v[0] = -__builtin_nanf(\"3\"); w[0] = -__builtin_nanl(\"5\"); w[1] = 1;\n\
              return -__builtin_nan(\"7\"); }\n";
        let params = [
            ("v", ParamConfig { elements: Some(1), ..ParamConfig::default() }),
            ("w", ParamConfig { elements: Some(2), ..ParamConfig::default() }),
        ];
        let (finished, outputs) = run(source, &params, Sanitizer::None);
        assert!(finished);
        let mut expected = b"return\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\xf8\x7f".to_vec();
        expected.extend(b"v\0\x04\0\0\0\0\0\0\0\0\0\xc0\x7f");
        expected.extend(b"w\0\x14\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc0\xff\x7f");
        expected.extend(b"\0\0\0\0\0\0\0\x80\xff\x3f");
        assert_eq!(outputs, expected);
    }
}
