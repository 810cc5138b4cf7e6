//! The statements of a harness: its arguments, the call of the entry, and the code that shows
//! values ([`Body`]).

use std::fmt::Write;

use super::error::HarnessError;
use crate::{
    compile::{
        numbers::REAL_RETURN,
        signature::{Parameter, Signature, Type, in_keywords, is_char, is_plain},
    },
    subject::config::{InputsConfig, ParamConfig},
};

/// The contents of a harness's `main`.
pub(super) struct Body<'a> {
    entry: &'a str,
    inputs: &'a InputsConfig,
    pub(super) buffers: Vec<Buffer>,
    /// What comes before the call of the entry.
    pub(super) before: String,
    /// What comes after it.
    pub(super) after: String,
}

/// A parameter that points to something.
pub(super) struct Buffer {
    name: String,
    pub(super) declaration: String,
}

impl<'a> Body<'a> {
    /// The body of a harness that runs `entry` on no arguments yet.
    pub(super) fn new(entry: &'a str, inputs: &'a InputsConfig) -> Self {
        Self { entry, inputs, buffers: Vec::new(), before: String::new(), after: String::new() }
    }

    /// Declares and fills one argument, and returns the expression to pass. `shown` says whether
    /// callers expect to see what the argument points to afterwards. If they do not, it is shown
    /// only if the entry has changed it.
    pub(super) fn parameter(
        &mut self,
        parameter: &Parameter,
        shown: Option<bool>,
    ) -> Result<String, HarnessError> {
        let default = ParamConfig::default();
        let config = self.inputs.params.get(&parameter.name).unwrap_or(&default);
        match &parameter.ty {
            Type::Scalar(ty) => self.scalar(&parameter.name, ty, config),
            Type::Pointer { element, dimensions, constant, length } => {
                let element = bytes_of(element);
                let size = self.size(&parameter.name, element, config, *length)?;
                self.buffer(&parameter.name, element, dimensions, size, config);
                let argument = argument(&parameter.name);
                let (name, size) = (&parameter.name, format!("sizeof {argument}"));
                let show = output(element, name, &argument, &size);
                match (shown.unwrap_or(!constant), constant) {
                    (true, _) => emit(&mut self.after, 1, &show),
                    (false, true) => {}
                    (false, false) => {
                        let before = format!("psychic_before_{name}");
                        emit(&mut self.before, 1, &format!("char {before}[{size}];"));
                        let copy = format!("__builtin_memcpy({before}, {argument}, {size});");
                        emit(&mut self.before, 1, &copy);
                        let same = format!("__builtin_memcmp({before}, {argument}, {size})");
                        emit(&mut self.after, 1, &format!("if ({same})"));
                        emit(&mut self.after, 2, &show);
                    }
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
            emit_truth(&mut self.before, ty, &argument);
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
        emit_truth(before, element, &argument);
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
        emit(
            before,
            1,
            &format!("for (__SIZE_TYPE__ psychic_i = 0; psychic_i < {elements}; psychic_i++) {{"),
        );
        for assumption in bounds(&format!("{pointer}[psychic_i]"), config) {
            emit(before, 2, &assumption);
        }
        emit(before, 1, "}");
    }

    /// Calls the entry and shows what it returns.
    pub(super) fn call(
        &self,
        signature: &Signature,
        arguments: &str,
        returns: Option<&str>,
    ) -> Result<String, HarnessError> {
        // A macro with the name is not the function.
        let call = format!("({})({arguments})", self.entry);
        let mut text = String::new();
        match &signature.returns {
            Type::Void => emit(&mut text, 1, &format!("{call};")),
            Type::Scalar(ty) => match returns.filter(|other| is_another(ty, other)) {
                Some(other) => self.show_converted(&mut text, (ty, other), &call),
                None => {
                    emit(&mut text, 1, &format!("{ty} psychic_result = {call};"));
                    emit(&mut text, 1, &number(ty, "return", "psychic_result"));
                }
            },
            Type::Pointer { element, .. } => self.show_pointer(&mut text, element, &call),
            Type::Other(ty) => {
                let (entry, ty) = (self.entry.to_owned(), ty.clone());
                return Err(HarnessError::UnsupportedReturn { entry, ty });
            }
        }
        Ok(text)
    }

    /// Calls the entry and shows the number that it returns in the type of the original, `other`.
    /// If the conversion changes the number, it is also shown as it is, in one way for all of its
    /// own types.
    fn show_converted(&self, text: &mut String, (ty, other): (&str, &str), call: &str) {
        emit(text, 1, &format!("{ty} psychic_own = {call};"));
        emit(text, 1, &format!("{other} psychic_result = ({other})psychic_own;"));
        emit(text, 1, &number(other, "return", "psychic_result"));
        let differ = if is_real(ty) || is_real(other) {
            // Bytes also tell apart zeros and NaNs.
            let size = if is_wide(ty) { "10".to_owned() } else { format!("sizeof({ty})") };
            emit(text, 1, &format!("{ty} psychic_back = ({ty})psychic_result;"));
            format!("__builtin_memcmp(&psychic_back, &psychic_own, {size})")
        } else {
            "(__int128)psychic_own != psychic_result".to_owned()
        };
        emit(text, 1, &format!("if ({differ}) {{"));
        if is_real(ty) {
            let full = if is_wide(ty) { "long double" } else { "double" };
            emit(text, 2, &format!("{full} psychic_full = psychic_own;"));
            emit(text, 2, &number(full, REAL_RETURN, "psychic_full"));
        } else {
            emit(text, 2, "long long psychic_full = psychic_own;");
            emit(text, 2, "if ((__int128)psychic_own == psychic_full)");
            emit(text, 3, &number("long long", "return in full", "psychic_full"));
            emit(text, 2, "else");
            emit(text, 3, &number("long long", "return in full, unsigned", "psychic_full"));
        }
        emit(text, 1, "}");
    }

    /// Calls the entry and shows what the returned pointer points to. Its address would mean
    /// nothing to a person.
    fn show_pointer(&self, text: &mut String, element: &str, call: &str) {
        // The name of a type does not say what it is, so that is left to C.
        let is_text = is_char(element) || !is_plain(element);
        emit(text, 1, &format!("const {element} *psychic_result = {call};"));
        emit(text, 1, "__SIZE_TYPE__ psychic_length = 0, psychic_room = 0;");
        emit(text, 1, "long psychic_place = -1;");
        emit(text, 1, "(void)psychic_length, (void)psychic_room, (void)psychic_place;");
        emit(text, 1, "if (!psychic_result)");
        emit(text, 2, "psychic_output(\"return\", \"\", 0);");
        for Buffer { name, .. } in &self.buffers {
            let argument = argument(name);
            let place = format!(
                "psychic_place = psychic_offset(psychic_result, {argument}, sizeof {argument})"
            );
            emit(text, 1, &format!("else if (({place}) >= 0) {{"));
            emit(
                text,
                2,
                &format!(
                    "psychic_output(\"return in {name}\", &psychic_place, sizeof psychic_place);"
                ),
            );
            if is_text {
                emit(
                    text,
                    2,
                    &format!("psychic_room = sizeof {argument} - (__SIZE_TYPE__)psychic_place;"),
                );
            }
            emit(text, 1, "}");
        }
        if is_text {
            emit(text, 1, "else");
            emit(text, 2, "psychic_room = (__SIZE_TYPE__)-1;");
            emit(text, 1, &format!("if (psychic_result && PSYCHIC_TEXT({element})) {{"));
            emit(text, 2, "const char *psychic_text = (const char *)psychic_result;");
            emit(
                text,
                2,
                "while (psychic_length < psychic_room && psychic_text[psychic_length++]);",
            );
            emit(text, 2, "psychic_output(\"return\", psychic_text, psychic_length);");
            emit(text, 1, "}");
        }
        if is_char(element) {
            return;
        }
        let is_number = format!("PSYCHIC_SIZE({element}) && !PSYCHIC_TEXT({element})");
        emit(text, 1, "if (!psychic_result || psychic_place >= 0)");
        emit(text, 2, ";");
        emit(text, 1, &format!("else if ({is_number})"));
        emit(
            text,
            2,
            &output(element, "return", "psychic_result", &format!("PSYCHIC_SIZE({element})")),
        );
        emit(text, 1, &format!("else if (!PSYCHIC_TEXT({element}))"));
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
    format!("psychic_argument_{name}")
}

fn emit(text: &mut String, depth: usize, line: &str) {
    let _ = writeln!(text, "{}{line}", "  ".repeat(depth));
}

/// Whether the type of a number is known, and differs from `other`, which consists of keywords.
fn is_another(ty: &str, other: &str) -> bool {
    in_keywords(ty).is_some_and(|ty| ty != other)
}

/// Assumes that an argument of `_Bool`s has nothing but zeros and ones: compilers may take other
/// bytes for anything. The name of a type does not say what it is, so that is left to C.
fn emit_truth(text: &mut String, ty: &str, argument: &str) {
    if ty == "_Bool" || !is_plain(ty) {
        emit(text, 1, &format!("PSYCHIC_TRUTH({ty}, {argument});"));
    }
}

fn symbolic(argument: &str, size: &str, name: &str) -> String {
    let address = if size == format!("sizeof {argument}") { "&" } else { "" };
    format!("psychic_symbolic({address}{argument}, {size}, \"{name}\");")
}

/// Shows a variable of the type of a number.
fn number(ty: &str, name: &str, variable: &str) -> String {
    // Only ten bytes of an x87 number have a meaning; the others are padding.
    let size = if is_wide(ty) { "10".to_owned() } else { format!("sizeof {variable}") };
    output(ty, name, &format!("&{variable}"), &size)
}

/// Whether a type is the `long double` of the x87.
fn is_wide(ty: &str) -> bool {
    ty.contains("long double") || ty.contains("double long")
}

fn is_real(ty: &str) -> bool {
    ty.split_whitespace().any(|word| matches!(word, "float" | "double"))
}

fn output(ty: &str, name: &str, data: &str, size: &str) -> String {
    format!("PSYCHIC_SHOW({ty})(\"{name}\", {data}, {size});")
}

/// The type of the elements of a buffer; a buffer of `void` has bytes.
fn bytes_of(element: &str) -> &str {
    if element == "void" { "unsigned char" } else { element }
}

/// The `psychic_assume`s for `min` and `max`. A negative bound must not be converted to an unsigned
/// type: there, as `min` it excludes nothing, and as `max` it excludes everything.
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
