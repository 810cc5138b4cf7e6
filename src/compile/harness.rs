//! Writes the `main` of a subject whose entry is not `main`.

use std::{fmt::Write, path::Path};

use super::signature::{Parameter, Signature, Type, Unreadable, is_char, signature};
use crate::subject::config::{InputsConfig, NanConfig, ParamConfig};

/// Why no harness can be written for an entry function.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HarnessError {
    /// The source has no definition of the entry.
    #[error("no function `{entry}` is defined in {file}{}", suggestion(entry, functions))]
    NoEntry {
        /// The entry asked for.
        entry: String,
        /// The source file.
        file: String,
        /// The functions it does define.
        functions: Vec<String>,
    },
    /// The entry has an old-style (K&R) definition, from before C89.
    #[error(
        "`{entry}` has an old-style (K&R) definition, whose parameters cannot be read: \
         write it as `{entry}(int a, ...)`"
    )]
    OldStyle {
        /// The entry.
        entry: String,
    },
    /// A parameter is a pointer, and nobody has stated how much it points to.
    #[error(
        "parameter `{parameter}` of `{entry}` is a pointer: say how much it points to in \
         subject.toml, under [inputs.params]: {example}"
    )]
    NoSize {
        /// The entry.
        entry: String,
        /// The parameter.
        parameter: String,
        /// A line for `subject.toml`.
        example: String,
    },
    /// A parameter has a type for which no symbolic value can be made.
    #[error(
        "parameter `{parameter}` of `{entry}` has type `{ty}`, which cannot be made symbolic: \
         write a function that takes scalars or buffers and calls `{entry}`, and name it as entry"
    )]
    UnsupportedParameter {
        /// The entry.
        entry: String,
        /// The parameter.
        parameter: String,
        /// Its type.
        ty: String,
    },
    /// The entry returns a type of which no output can be made.
    #[error(
        "`{entry}` returns `{ty}`, whose bytes cannot be compared (padding, pointers): write a \
         function that calls it and passes what matters to psychic_output, and name it as entry"
    )]
    UnsupportedReturn {
        /// The entry.
        entry: String,
        /// Its return type.
        ty: String,
    },
    /// `[inputs.params]` names something the entry does not have.
    #[error(
        "[inputs.params] names `{parameter}`, which `{entry}` does not have{}",
        suggestion(parameter, known)
    )]
    UnknownParameter {
        /// The entry.
        entry: String,
        /// The name.
        parameter: String,
        /// The parameters it has.
        known: Vec<String>,
    },
    /// A setting does not fit the parameter's type.
    #[error("[inputs.params] `{parameter}`: {problem}")]
    Misfit {
        /// The parameter.
        parameter: String,
        /// What does not fit.
        problem: &'static str,
    },
}

/// Writes a C file that includes the meta program and runs `entry` on symbolic arguments.
///
/// `source` is the text of the meta program, and `include` the path by which it is included. Every
/// argument is an object with the name of its parameter. The return value is the output `return`,
/// and a buffer that the entry may write to is an output with the name of its parameter. A returned
/// pointer into the buffer `v` is the output `return in v`, its offset in bytes; of any other
/// returned pointer, what it points to is shown.
///
/// # Errors
/// [`HarnessError`] says which setting of `subject.toml` to change.
pub fn harness(
    source: &str,
    include: &Path,
    entry: &str,
    inputs: &InputsConfig,
    show: Show,
) -> Result<String, HarnessError> {
    let signature = signature(source, entry).map_err(|error| match error {
        Unreadable::NotFound { functions } => HarnessError::NoEntry {
            entry: entry.to_owned(),
            file: include.display().to_string(),
            // Functions that merging added are not the author's.
            functions: functions.into_iter().filter(|f| !f.starts_with("psychic_")).collect(),
        },
        Unreadable::OldStyle => HarnessError::OldStyle { entry: entry.to_owned() },
    })?;
    if let Some(parameter) =
        inputs.params.keys().find(|name| signature.parameters.iter().all(|p| p.name != **name))
    {
        return Err(HarnessError::UnknownParameter {
            entry: entry.to_owned(),
            parameter: parameter.clone(),
            known: signature.parameters.iter().map(|p| p.name.clone()).collect(),
        });
    }
    let mut body =
        Body { entry, inputs, buffers: Vec::new(), before: String::new(), after: String::new() };
    let mut arguments = Vec::new();
    for parameter in &signature.parameters {
        arguments.push(body.parameter(parameter)?);
    }
    let call = body.call(&signature, &arguments.join(", "))?;
    let include = include.display().to_string().replace('\\', "\\\\").replace('"', "\\\"");
    let Body { before, after, buffers, .. } = body;
    let show = show.definition();
    let most = buffers.into_iter().map(|buffer| buffer.declaration);
    let most: String = most.map(|declaration| format!(" {declaration};")).collect();
    Ok(format!(
        "/* Runs {entry} on symbolic arguments. */\n\
         #define main psychic_subject_main\n\
         #include \"{include}\"\n\
         #undef main\n\
         #include \"psychic.h\"\n\
         \n\
         union psychic_buffers {{ char none;{most} }};\n\
         {APART}{SIZE}{show}\
         \n\
         int main(void)\n\
         {{\n\
         \x20 PSYCHIC_GUARD(first);\n\
         {before}\x20 PSYCHIC_GUARD(last);\n\
         {call}{after}  return 0;\n\
         }}\n"
    ))
}

/// Keeps arguments apart on the stack. Usually less lies between them than an index that is out of
/// bounds may skip, and the end of one may be the beginning of another. Aligned to more than the
/// size of the largest one, they do neither. AddressSanitizer watches what lies before the first
/// and behind the last argument up to guards. These are arrays, as it leaves out what could be a
/// register. (Before the first of large arguments there is only a redzone, as AddressSanitizer
/// orders variables by their alignment.)
const APART: &str = "#define PSYCHIC_APART __attribute__((aligned(\\\n\
    \x20 sizeof(union psychic_buffers) < 1 << 16 ? 1 << 16 : 1 << 20)))\n\
    #define PSYCHIC_GUARD(name) __attribute__((aligned(1 << 16))) \\\n\
    \x20 char psychic_ ## name[2]; psychic_ ## name[1] = 0\n";

/// The size in bytes of a value of type `type` if that is a number, else 0.
const SIZE: &str = "#define PSYCHIC_SIZE(type) _Generic((type *)0, \\\n\
    \x20 _Bool *: 1, char *: 1, signed char *: 1, unsigned char *: 1, short *: 2, \\\n\
    \x20 unsigned short *: 2, int *: 4, unsigned *: 4, long *: 8, unsigned long *: 8, \\\n\
    \x20 long long *: 8, unsigned long long *: 8, float *: 4, double *: 8, long double *: 10, \\\n\
    \x20 default: 0)\n";

/// How a harness shows values.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Show {
    /// By the calls that make outputs. Numbers are told apart as this says.
    Outputs(NanConfig),
    /// For people: first notes in `psychic_kind` what a value consists of (`i` integers, `t` text,
    /// `f` floating-point numbers, 0 anything else), and in `psychic_each` the size of each.
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

struct Body<'a> {
    entry: &'a str,
    inputs: &'a InputsConfig,
    buffers: Vec<Buffer>,
    before: String,
    after: String,
}

/// A parameter that points to something.
struct Buffer {
    name: String,
    declaration: String,
}

impl Body<'_> {
    /// Declares and fills one argument; returns the expression to pass.
    fn parameter(&mut self, parameter: &Parameter) -> Result<String, HarnessError> {
        let default = ParamConfig::default();
        let config = self.inputs.params.get(&parameter.name).unwrap_or(&default);
        match &parameter.ty {
            Type::Scalar(ty) => self.scalar(&parameter.name, ty, config),
            Type::Pointer { element, dimensions, constant, length } => {
                let element = bytes_of(element);
                let size = self.size(&parameter.name, element, config, *length)?;
                self.buffer(&parameter.name, element, dimensions, size, config);
                let argument = argument(&parameter.name);
                if !constant {
                    let name = &parameter.name;
                    emit(
                        &mut self.after,
                        1,
                        &output(element, name, &argument, &format!("sizeof {argument}")),
                    );
                }
                Ok(argument)
            }
            Type::Void => Err(self.unsupported(&parameter.name, "void")),
            Type::Other(ty) => Err(self.unsupported(&parameter.name, ty)),
        }
    }

    fn scalar(
        &mut self,
        name: &str,
        ty: &str,
        config: &ParamConfig,
    ) -> Result<String, HarnessError> {
        if config.string.is_some() || config.elements.is_some() {
            return Err(misfit(name, "`string` and `elements` are for pointers"));
        }
        let argument = argument(name);
        if let Some(value) = config.value {
            emit(
                &mut self.before,
                1,
                &format!("PSYCHIC_APART {ty} {argument} = {};", literal(value)),
            );
        } else {
            emit(&mut self.before, 1, &format!("PSYCHIC_APART {ty} {argument};"));
            emit(&mut self.before, 1, &symbolic(&argument, &format!("sizeof {argument}"), name));
            for assumption in bounds(&argument, config) {
                emit(&mut self.before, 1, &assumption);
            }
        }
        Ok(argument)
    }

    fn size(
        &self,
        name: &str,
        element: &str,
        config: &ParamConfig,
        length: Option<u32>,
    ) -> Result<Size, HarnessError> {
        if config.value.is_some() {
            return Err(misfit(name, "`value` is for scalars"));
        }
        match (config.string, config.elements.or(length)) {
            (Some(_), Some(_)) if config.elements.is_some() => {
                Err(misfit(name, "`string` and `elements` exclude each other"))
            }
            (Some(_), _) if !is_char(element) => {
                Err(misfit(name, "`string` is for char pointers: use `elements`"))
            }
            (Some(bytes), _) => Ok(Size::String(bytes)),
            (None, Some(0)) => Err(misfit(name, "`elements` must be at least 1")),
            (None, Some(elements)) => Ok(Size::Elements(elements)),
            (None, None) => Err(HarnessError::NoSize {
                entry: self.entry.to_owned(),
                parameter: name.to_owned(),
                example: if is_char(element) {
                    format!("{name} = {{ string = 4 }}")
                } else {
                    format!("{name} = {{ elements = 4 }}")
                },
            }),
        }
    }

    fn buffer(
        &mut self,
        name: &str,
        element: &str,
        dimensions: &str,
        size: Size,
        config: &ParamConfig,
    ) {
        let argument = argument(name);
        let before = &mut self.before;
        let (count, symbolic_bytes) = match size {
            Size::String(bytes) => (u64::from(bytes) + 1, bytes.to_string()),
            Size::Elements(elements) => (u64::from(elements), format!("sizeof {argument}")),
        };
        let declaration = format!("{element} {argument}[{count}]{dimensions}");
        emit(before, 1, &format!("PSYCHIC_APART {declaration};"));
        self.buffers.push(Buffer { name: name.to_owned(), declaration });
        // An object without bytes would be another way to have no input.
        if !matches!(size, Size::String(0)) {
            emit(before, 1, &symbolic(&argument, &symbolic_bytes, name));
        }
        if let Size::String(bytes) = size {
            emit(before, 1, &format!("{argument}[{bytes}] = 0;"));
        }
        if config.min.is_none() && config.max.is_none() {
            return;
        }
        let (elements, pointer) = match size {
            Size::String(bytes) => (bytes.to_string(), argument.clone()),
            Size::Elements(_) => (
                format!("sizeof {argument} / sizeof({element})"),
                format!("(({element} *){argument})"),
            ),
        };
        emit(before, 1, &format!("for (size_t i = 0; i < {elements}; i++) {{"));
        for assumption in bounds(&format!("{pointer}[i]"), config) {
            emit(before, 2, &assumption);
        }
        emit(before, 1, "}");
    }

    /// Calls the entry and shows what it returns.
    fn call(&self, signature: &Signature, arguments: &str) -> Result<String, HarnessError> {
        let call = format!("{}({arguments})", self.entry);
        let mut text = String::new();
        match &signature.returns {
            Type::Void => emit(&mut text, 1, &format!("{call};")),
            Type::Scalar(ty) => {
                emit(&mut text, 1, &format!("{ty} result = {call};"));
                // Only ten bytes of an x87 number have a meaning; the others are padding.
                let size = if ty.contains("long double") || ty.contains("double long") {
                    "10"
                } else {
                    "sizeof result"
                };
                emit(&mut text, 1, &output(ty, "return", "&result", size));
            }
            Type::Pointer { element, .. } => self.show_pointer(&mut text, element, &call),
            Type::Other(ty) => {
                let (entry, ty) = (self.entry.to_owned(), ty.clone());
                return Err(HarnessError::UnsupportedReturn { entry, ty });
            }
        }
        Ok(text)
    }

    /// Calls the entry and shows where the returned pointer points to. Its address would mean
    /// nothing to a person.
    fn show_pointer(&self, text: &mut String, element: &str, call: &str) {
        let is_text = is_char(element);
        emit(text, 1, &format!("const {element} *result = {call};"));
        emit(text, 1, "size_t length = 0, room = 0;");
        emit(text, 1, "long place;");
        emit(text, 1, "(void)length, (void)room, (void)place;");
        emit(text, 1, "if (!result)");
        emit(text, 2, "psychic_output(\"return\", \"\", 0);");
        for Buffer { name, .. } in &self.buffers {
            let argument = argument(name);
            let place = format!("place = psychic_offset(result, {argument}, sizeof {argument})");
            emit(text, 1, &format!("else if (({place}) >= 0) {{"));
            emit(text, 2, &format!("psychic_output(\"return in {name}\", &place, sizeof place);"));
            if is_text {
                emit(text, 2, &format!("room = sizeof {argument} - (size_t)place;"));
            }
            emit(text, 1, "}");
        }
        if is_text {
            emit(text, 1, "else");
            emit(text, 2, "room = (size_t)-1;");
            emit(text, 1, "if (result) {");
            emit(text, 2, "while (length < room && result[length++]);");
            emit(text, 2, "psychic_output(\"return\", result, length);");
            emit(text, 1, "}");
            return;
        }
        emit(text, 1, &format!("else if (PSYCHIC_SIZE({element}))"));
        emit(text, 2, &output(element, "return", "result", &format!("PSYCHIC_SIZE({element})")));
        emit(text, 1, "else");
        emit(text, 2, "psychic_unknown(\"a returned pointer outside all arguments\");");
    }

    fn unsupported(&self, parameter: &str, ty: &str) -> HarnessError {
        HarnessError::UnsupportedParameter {
            entry: self.entry.to_owned(),
            parameter: parameter.to_owned(),
            ty: ty.to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
enum Size {
    String(u32),
    Elements(u32),
}

/// A name that shadows neither the entry nor `psychic_rev`.
fn argument(name: &str) -> String {
    format!("argument_{name}")
}

fn emit(text: &mut String, depth: usize, line: &str) {
    let _ = writeln!(text, "{}{line}", "  ".repeat(depth));
}

fn symbolic(argument: &str, size: &str, name: &str) -> String {
    let address = if size == format!("sizeof {argument}") { "&" } else { "" };
    format!("psychic_symbolic({address}{argument}, {size}, \"{name}\");")
}

fn output(ty: &str, name: &str, data: &str, size: &str) -> String {
    format!("PSYCHIC_SHOW({ty})(\"{name}\", {data}, {size});")
}

/// The type of the elements of a buffer; a buffer of `void` has bytes.
fn bytes_of(element: &str) -> &str {
    if element == "void" { "unsigned char" } else { element }
}

/// `psychic_assume`s for `min` and `max`. A negative bound must not be converted to an unsigned
/// type: as `min` it excludes nothing there, and as `max` everything.
fn bounds(value: &str, config: &ParamConfig) -> Vec<String> {
    let unsigned = format!("(__typeof__({value}))-1 > 0");
    let bound = |limit: i64, operator: &str, when_negative: &str| {
        let comparison = format!("{value} {operator} {}", literal(limit));
        if limit < 0 {
            format!("psychic_assume({unsigned} ? {when_negative} : {comparison});")
        } else {
            format!("psychic_assume({comparison});")
        }
    };
    let min = config.min.map(|min| bound(min, ">=", "1"));
    let max = config.max.map(|max| bound(max, "<=", "0"));
    min.into_iter().chain(max).collect()
}

fn literal(value: i64) -> String {
    match value {
        // C has no negative literals, and the absolute value of this number does not fit.
        i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        value => format!("{value}LL"),
    }
}

fn misfit(parameter: &str, problem: &'static str) -> HarnessError {
    HarnessError::Misfit { parameter: parameter.to_owned(), problem }
}

/// "; did you mean `x`?", or the names to choose from.
fn suggestion(wanted: &str, known: &[String]) -> String {
    let near = known.iter().map(|name| (distance(wanted, name), name)).min();
    match near {
        Some((distance, name)) if distance <= 2.max(wanted.len() / 3) => {
            format!("; did you mean `{name}`? (there are: {})", known.join(", "))
        }
        Some(_) => format!(" (there are: {})", known.join(", ")),
        None => " (there are none)".to_owned(),
    }
}

/// Levenshtein's distance.
fn distance(a: &str, b: &str) -> usize {
    let mut row = (0..=b.chars().count()).collect::<Vec<_>>();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.chars().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, fs, process::Command};

    use super::*;
    use crate::{
        compile::{Compilation, Toolchain},
        errors::Sanitizer,
    };

    fn inputs(params: &[(&str, ParamConfig)]) -> InputsConfig {
        let params = params.iter().map(|(name, p)| ((*name).to_owned(), p.clone()));
        InputsConfig { params: params.collect::<BTreeMap<_, _>>(), ..InputsConfig::default() }
    }

    fn error(source: &str, entry: &str, params: &[(&str, ParamConfig)]) -> String {
        let inputs = inputs(params);
        harness(source, Path::new("m.c"), entry, &inputs, Show::Outputs(NanConfig::One))
            .unwrap_err()
            .to_string()
    }

    /// Compiles the harness of `f` and runs it on zeros only. Returns whether it finished, and its
    /// outputs.
    fn run(source: &str, params: &[(&str, ParamConfig)], sanitizer: Sanitizer) -> (bool, Vec<u8>) {
        let inputs = inputs(params);
        let text =
            harness(source, Path::new("m.c"), "f", &inputs, Show::Outputs(NanConfig::One)).unwrap();
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("m.c"), source).unwrap();
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
