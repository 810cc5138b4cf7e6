//! The models of the writing half of `<stdio.h>` (C11 7.21.6, 7.21.7). As the native runtime does,
//! they leave streams unbuffered, whatever the program asks for, so that text written before an error
//! is seen.

use super::{
    access::{EOF, byte_at, concrete_string, note_address, refuse_overlap, string_at},
    format::{
        number::NumberFormat,
        printf::{self, Conversion, ConversionKind, Count, Directive},
        real::RealFormat,
    },
    stream::{Piece, Stream},
    strings::write as write_bytes,
    variadic::{ArgumentKind, Variadic},
};
use crate::{
    env::{
        Halt, Machine, Stop, World,
        call::{Arguments, Model},
    },
    errors::Error,
    expr::{ExprId, Rounding},
    memory::{Byte, Value},
};

/// The models of this file that show nothing to the outside.
pub(in crate::env) const SILENT: [&str; 7] =
    ["fflush", "setbuf", "setvbuf", "snprintf", "sprintf", "vsnprintf", "vsprintf"];

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("printf", |m, a| formatted(m, Sink::Stdout, a.get(0), &mut Variadic::direct(a, 1))),
    ("vprintf", |m, a| formatted(m, Sink::Stdout, a.get(0), &mut Variadic::list(a.get(1)))),
    ("fprintf", |m, a| {
        let sink = sink(m, a.get(0))?;
        formatted(m, sink, a.get(1), &mut Variadic::direct(a, 2))
    }),
    ("vfprintf", |m, a| {
        let sink = sink(m, a.get(0))?;
        formatted(m, sink, a.get(1), &mut Variadic::list(a.get(2)))
    }),
    ("sprintf", |m, a| {
        let sink = Sink::Memory { address: a.get(0), size: None };
        formatted(m, sink, a.get(1), &mut Variadic::direct(a, 2))
    }),
    ("vsprintf", |m, a| {
        let sink = Sink::Memory { address: a.get(0), size: None };
        formatted(m, sink, a.get(1), &mut Variadic::list(a.get(2)))
    }),
    ("snprintf", |m, a| {
        let size = m.concretise(a.get(1), 64, "size of a buffer")?;
        let sink = Sink::Memory { address: a.get(0), size: Some(size) };
        formatted(m, sink, a.get(2), &mut Variadic::direct(a, 3))
    }),
    ("vsnprintf", |m, a| {
        let size = m.concretise(a.get(1), 64, "size of a buffer")?;
        let sink = Sink::Memory { address: a.get(0), size: Some(size) };
        formatted(m, sink, a.get(2), &mut Variadic::list(a.get(3)))
    }),
    ("puts", |m, a| {
        let mut bytes = string_at(m, a.get(0), None)?;
        bytes.push(Byte::Concrete(b'\n'));
        put_all(m, Sink::Stdout, &bytes)?;
        // The standard allows any nonnegative value; glibc returns this one.
        Ok(Some(Value::Int(bytes.len() as u64)))
    }),
    ("fputs", |m, a| {
        let sink = sink(m, a.get(1))?;
        let bytes = string_at(m, a.get(0), None)?;
        put_all(m, sink, &bytes)
    }),
    ("putchar", |m, a| put(m, Sink::Stdout, a.get(0))),
    ("fputc", put_to),
    ("putc", put_to),
    ("_IO_putc", put_to),
    ("fwrite", |m, a| {
        let sink = sink(m, a.get(3))?;
        let each = m.concretise(a.get(1), 64, "size of an element")?;
        let count = m.concretise(a.get(2), 64, "number of elements")?;
        let mut bytes = Vec::new();
        for index in 0..each.saturating_mul(count) {
            bytes.push(byte_at(m, a.get(0), index).map_err(|stop| match stop {
                // What lies behind is printed, or not, before anybody notices.
                Stop::Halt(Halt::Error(Error::OutOfBounds)) if index > 0 => {
                    Stop::unsupported("fwrite of more bytes than there are")
                }
                stop => stop,
            })?);
        }
        put_all(m, sink, &bytes)?;
        Ok(Some(Value::Int(if each == 0 { 0 } else { count })))
    }),
    ("fflush", success),
    ("setvbuf", |m, a| {
        let mode = m.free_of_revision(a.get(2), 32)?;
        let is_known = m.exprs().ult(mode, m.exprs().constant(32, BUFFERING_MODES));
        Ok(Some(if m.branch(is_known)? { Value::Int(0) } else { EOF }))
    }),
    ("setbuf", |_, _| Ok(None)),
];

/// The modes of `setvbuf` are the numbers below this one.
const BUFFERING_MODES: u64 = 3;

/// Where formatted text goes.
#[derive(Clone, Copy, Debug)]
enum Sink {
    Stdout,
    Stderr,
    Memory { address: Value, size: Option<u64> },
}

#[allow(clippy::unnecessary_wraps)]
fn success(_: &mut dyn Machine, _: Arguments<'_>) -> Result<Option<Value>, Stop> {
    Ok(Some(Value::Int(0)))
}

fn put_to(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let sink = sink(machine, arguments.get(1))?;
    put(machine, sink, arguments.get(0))
}

fn sink(machine: &mut dyn Machine, file: Value) -> Result<Sink, Stop> {
    let file = machine.concretise(file, 64, "stream")?;
    let files = machine.world().files;
    match file {
        0 => Err(Error::NullDereference.into()),
        file if file == files.stdout => Ok(Sink::Stdout),
        file if file == files.stderr => Ok(Sink::Stderr),
        _ => Err(Stop::unsupported("writing to a stream other than stdout and stderr")),
    }
}

/// Writes one character and returns it as an unsigned char.
fn put(machine: &mut dyn Machine, sink: Sink, character: Value) -> Result<Option<Value>, Stop> {
    let value = machine.free_of_revision(character, 32)?;
    let byte = machine.exprs().extract(value, 0, 8);
    let mut text = Stream::default();
    text.push_byte(machine.exprs(), byte);
    emit(machine, sink, &text, &[])?;
    Ok(Some(Value::from_expr(machine.exprs(), machine.exprs().zext(byte, 32))))
}

fn put_all(machine: &mut dyn Machine, sink: Sink, bytes: &[Byte]) -> Result<Option<Value>, Stop> {
    let mut text = Stream::default();
    push_all(machine, &mut text, bytes);
    emit(machine, sink, &text, &[])?;
    Ok(Some(Value::Int(1)))
}

fn push_all(machine: &dyn Machine, text: &mut Stream, bytes: &[Byte]) {
    for byte in bytes {
        match byte {
            Byte::Concrete(value) => text.push_bytes(&[*value]),
            Byte::Symbolic(expr) => text.push_byte(machine.exprs(), *expr),
            Byte::Uninitialised => unreachable!("`byte_at` refuses these"),
        }
    }
}

/// `printf` and its kind: writes the text to `sink`. Returns the length of the whole text in bytes
/// if the program reads it.
fn formatted(
    machine: &mut dyn Machine,
    sink: Sink,
    format: Value,
    arguments: &mut Variadic<'_>,
) -> Result<Option<Value>, Stop> {
    let letters = concrete_string(machine, format, "a format")?;
    let directives =
        printf::parse(&letters).map_err(|error| Stop::unsupported(format!("printf: {error}")))?;
    let mut text = Stream::default();
    let mut read = vec![(format, letters.len() as u64 + 1)];
    for directive in directives {
        match directive {
            Directive::Literal(bytes) => text.push_bytes(&bytes),
            Directive::Conversion(conversion) => {
                convert(machine, &conversion, arguments, (&mut text, &mut read))?;
            }
        }
    }
    // The length is rarely read, and it is a long expression if the text has numbers.
    let length = if machine.result_is_read() {
        let length = text
            .len(machine.exprs(), 64)
            .ok_or_else(|| Stop::unsupported("the length of a printed floating-point number"))?;
        let exprs = machine.exprs();
        if exprs.bounds(length).1 > i32::MAX as u64 {
            return Err(Stop::unsupported("a printed text whose length is no int"));
        }
        Some(exprs.extract(length, 0, 32))
    } else {
        None
    };
    emit(machine, sink, &text, &read)?;
    Ok(length.map(|length| Value::from_expr(machine.exprs(), length)))
}

fn count(
    machine: &mut dyn Machine,
    count: Count,
    arguments: &mut Variadic<'_>,
) -> Result<Option<i32>, Stop> {
    let star = match count {
        Count::Star => {
            let value = arguments.next(machine, ArgumentKind::Integer(32))?;
            machine.concretise(value, 32, "width or precision")? as i32
        }
        Count::None | Count::Fixed(_) => 0,
    };
    Ok(count.resolve(|| star))
}
/// The conversion as a format has it, without flags, width and precision.
fn name(conversion: &Conversion) -> &'static str {
    match conversion.kind {
        ConversionKind::SignedInt | ConversionKind::UnsignedInt(_) => "of an integer",
        ConversionKind::Char if conversion.length.is_wide() => "%lc",
        ConversionKind::Char => "%c",
        ConversionKind::String if conversion.length.is_wide() => "%ls",
        ConversionKind::String => "%s",
        ConversionKind::Pointer => "%p",
        ConversionKind::Float(..) => "of a floating-point number",
        ConversionKind::WriteCount => "%n",
        ConversionKind::ErrnoText => "%m",
    }
}

fn convert(
    machine: &mut dyn Machine,
    conversion: &Conversion,
    arguments: &mut Variadic<'_>,
    (text, read): (&mut Stream, &mut Vec<(Value, u64)>),
) -> Result<(), Stop> {
    let width = count(machine, conversion.width, arguments)?;
    let precision = count(machine, conversion.precision, arguments)?;
    let unsupported =
        || Stop::unsupported(format!("the conversion {} of printf", name(conversion)));
    match conversion.kind {
        ConversionKind::SignedInt | ConversionKind::UnsignedInt(_) => {
            let format = conversion.number_format(width, precision).ok_or_else(unsupported)?;
            let argument = conversion.argument_bits();
            let value = arguments.next(machine, ArgumentKind::Integer(argument))?;
            if machine.memory().addresses_in(machine.exprs(), value).first().is_some() {
                note_address(machine);
            }
            let value = machine.free_of_revision(value, argument)?;
            let value = machine.exprs().extract(value, 0, conversion.value_bits());
            text.push_number(machine.exprs(), value, format);
        }
        ConversionKind::Char if !conversion.length.is_wide() => {
            let value = arguments.next(machine, ArgumentKind::Integer(32))?;
            let value = machine.free_of_revision(value, 32)?;
            let byte = machine.exprs().extract(value, 0, 8);
            let (flags, width) = conversion.field(width);
            padded(machine, text, width, flags.left, 1, |machine, text| {
                text.push_byte(machine.exprs(), byte);
            });
        }
        ConversionKind::String if !conversion.length.is_wide() => {
            let address = arguments.next(machine, ArgumentKind::Integer(64))?;
            let limit = precision.and_then(|count| u64::try_from(count).ok());
            let address = machine.free_of_revision(address, 64)?;
            let exprs = machine.exprs();
            let is_null = exprs.eq(address, exprs.constant(64, 0));
            let bytes = if machine.branch(is_null)? {
                null_text(limit).iter().map(|b| Byte::Concrete(*b)).collect()
            } else {
                let address = Value::from_expr(machine.exprs(), address);
                let bytes = string_at(machine, address, limit)?;
                read.push((address, bytes.len() as u64 + 1));
                bytes
            };
            let (flags, width) = conversion.field(width);
            padded(machine, text, width, flags.left, bytes.len(), |machine, text| {
                push_all(machine, text, &bytes);
            });
        }
        ConversionKind::Pointer => {
            let value = arguments.next(machine, ArgumentKind::Integer(64))?;
            let value = machine.concretise(value, 64, "pointer to print")?;
            if value != 0 {
                note_address(machine);
            }
            text.push_bytes(&conversion.format_pointer(value, width, precision));
        }
        ConversionKind::Float(..) => {
            let bits = conversion.value_bits();
            let value = arguments.next(machine, ArgumentKind::Float(bits))?;
            let value = machine.free_of_revision(value, bits)?;
            let notation = conversion.notation(width, precision).ok_or_else(unsupported)?;
            // A C library also rounds the printed digits in the current rounding mode.
            if machine.world().rounding != Rounding::NearestEven {
                return Err(Stop::unsupported("printing a number in this rounding mode"));
            }
            if machine.world().is_whole {
                machine.world_mut().raise_unknown("printing a number");
            }
            text.push_real(machine.exprs(), value, RealFormat::Printed(notation));
        }
        ConversionKind::Char
        | ConversionKind::String
        | ConversionKind::WriteCount
        | ConversionKind::ErrnoText => {
            return Err(unsupported());
        }
    }
    Ok(())
}

/// The text that glibc writes for a null `%s`: `(null)`, or nothing if the precision leaves no room
/// for all of it.
fn null_text(limit: Option<u64>) -> &'static [u8] {
    const TEXT: &[u8] = b"(null)";
    if limit.is_none_or(|limit| limit >= TEXT.len() as u64) { TEXT } else { b"" }
}

fn padded(
    machine: &dyn Machine,
    text: &mut Stream,
    width: usize,
    left: bool,
    length: usize,
    push: impl FnOnce(&dyn Machine, &mut Stream),
) {
    let blanks = vec![b' '; width.saturating_sub(length)];
    if !left {
        text.push_bytes(&blanks);
    }
    push(machine, text);
    if left {
        text.push_bytes(&blanks);
    }
}

/// Writes text to a sink. `read` are the places where it was read, as addresses and numbers of bytes.
fn emit(
    machine: &mut dyn Machine,
    sink: Sink,
    text: &Stream,
    read: &[(Value, u64)],
) -> Result<(), Stop> {
    match sink {
        Sink::Stdout => append(machine, |world| &mut world.stdout, text),
        Sink::Stderr => append(machine, |world| &mut world.stderr, text),
        Sink::Memory { size: Some(0), .. } => {}
        Sink::Memory { address, size } => {
            let mut bytes = Vec::new();
            for piece in text.pieces() {
                match piece {
                    Piece::Literal(literal) => {
                        bytes.extend(literal.iter().map(|byte| Byte::Concrete(*byte)));
                    }
                    Piece::Byte(byte) => bytes.push(Byte::Symbolic(*byte)),
                    Piece::Real { .. } => {
                        let what = "the digits of a symbolic floating-point number";
                        return Err(Stop::unsupported(what));
                    }
                    Piece::Number { value, format } => {
                        for digit in digits(machine, *value, *format)? {
                            bytes.push(match machine.exprs().as_u64(digit) {
                                Some(value) => Byte::Concrete(value as u8),
                                None => Byte::Symbolic(digit),
                            });
                        }
                    }
                }
            }
            let room = size.map_or(usize::MAX, |size| size as usize - 1);
            bytes.truncate(room);
            bytes.push(Byte::Concrete(0));
            for place in read {
                refuse_overlap(machine, (address, bytes.len() as u64), *place)?;
            }
            write_bytes(machine, address, &bytes)?;
        }
    }
    Ok(())
}

fn append(machine: &mut dyn Machine, stream: fn(&mut World) -> &mut Stream, text: &Stream) {
    machine.commit();
    let mut whole = std::mem::take(stream(machine.world_mut()));
    for piece in text.pieces() {
        whole.push(machine.exprs(), piece);
    }
    *stream(machine.world_mut()) = whole;
}

/// The bytes of a number in text; forks over the shapes (sign and length) that the text can have.
fn digits(
    machine: &mut dyn Machine,
    value: ExprId,
    format: NumberFormat,
) -> Result<Vec<ExprId>, Stop> {
    let width = machine.exprs().width(value);
    for layout in format.layouts(width) {
        let exprs = machine.exprs();
        let guard = layout.guard(exprs, value, format.signed);
        if machine.branch(guard)? {
            return Ok(layout.bytes(machine.exprs(), value, format.radix));
        }
    }
    Err(Stop::unsupported("a number whose text has an unknown shape"))
}
