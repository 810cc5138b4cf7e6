//! The models of the reading half of `<stdio.h>` (C11 7.21.6.2, 7.21.7).

use super::{
    access::{EOF, concrete_string, is_among},
    allocation::reallocated,
    format::{
        flags::Flags,
        is_space,
        number::NumberFormat,
        scanf::{self, Conversion, Directive, InputKind, IntegerSyntax},
    },
    read,
    scan::{self, Source, at_end},
    stdin::Taken,
    strings::write as write_bytes,
    variadic::{ArgumentKind, Variadic},
};
use crate::{
    env::{
        Machine, Stop,
        call::{Arguments, Model},
    },
    errors::Error,
    expr::float::Format,
    memory::{Byte, Value},
};

pub(in crate::env) const MODELS: &[(&str, Model)] = &[
    ("scanf", |m, a| scan_stdin(m, a.get(0), &mut Variadic::direct(a, 1))),
    ("__isoc99_scanf", |m, a| scan_stdin(m, a.get(0), &mut Variadic::direct(a, 1))),
    ("vscanf", |m, a| scan_stdin(m, a.get(0), &mut Variadic::list(a.get(1)))),
    ("fscanf", |m, a| {
        require_stdin(m, a.get(0))?;
        scan_stdin(m, a.get(1), &mut Variadic::direct(a, 2))
    }),
    ("__isoc99_fscanf", |m, a| {
        require_stdin(m, a.get(0))?;
        scan_stdin(m, a.get(1), &mut Variadic::direct(a, 2))
    }),
    ("sscanf", scan_string),
    ("__isoc99_sscanf", scan_string),
    ("getchar", |m, _| get(m)),
    ("fgetc", get_from),
    ("getc", get_from),
    ("ungetc", |m, a| {
        require_stdin(m, a.get(1))?;
        let value = m.free_of_revision(a.get(0), 32)?;
        let eof = m.exprs().eq(value, m.exprs().constant(32, u64::from(u32::MAX)));
        if m.branch(eof)? {
            return Ok(Some(EOF));
        }
        let byte = m.exprs().extract(value, 0, 8);
        let byte = Byte::of(m.exprs(), byte);
        read::unread(m, byte);
        Ok(Some(as_character(m, byte)))
    }),
    ("gets", gets),
    ("fgets", fgets),
    ("getline", getline),
    ("getdelim", getdelim),
    ("__getdelim", getdelim),
    ("fread", fread),
    ("feof", |m, a| {
        require_stdin(m, a.get(0))?;
        Ok(Some(Value::Int(u64::from(m.world().stdin.has_ended()))))
    }),
    ("ferror", |_, _| Ok(Some(Value::Int(0)))),
];

fn require_stdin(machine: &mut dyn Machine, file: Value) -> Result<(), Stop> {
    let file = machine.concretise(file, 64, "stream")?;
    match file {
        0 => Err(Error::NullDereference.into()),
        file if file == machine.world().files.stdin => Ok(()),
        _ => Err(Stop::unsupported("reading from a stream other than stdin")),
    }
}

fn as_character(machine: &dyn Machine, byte: Byte) -> Value {
    match byte {
        Byte::Concrete(value) => Value::Int(u64::from(value)),
        Byte::Symbolic(expr) => Value::from_expr(machine.exprs(), machine.exprs().zext(expr, 32)),
        Byte::Uninitialised => Value::Undefined,
    }
}

fn get(machine: &mut dyn Machine) -> Result<Option<Value>, Stop> {
    let byte = read::byte(machine)?;
    Ok(Some(byte.map_or(EOF, |byte| as_character(machine, byte))))
}

fn get_from(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    require_stdin(machine, arguments.get(0))?;
    get(machine)
}

/// Reads at most `most` bytes, up to and including the first that is `end`, or up to the end of the
/// file.
fn line(machine: &mut dyn Machine, end: u8, most: usize) -> Result<Vec<Byte>, Stop> {
    let mut line = Vec::new();
    while line.len() < most {
        let Some(byte) = read::byte(machine)? else { break };
        line.push(byte);
        if is_among(machine, byte, |byte| byte == end)? {
            break;
        }
    }
    Ok(line)
}

/// `gets(buffer)`: reads a line of any length, and drops its newline.
fn gets(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let mut line = line(machine, b'\n', usize::MAX)?;
    if line.is_empty() {
        return Ok(Some(Value::Int(0)));
    }
    // Unless the file has ended, the last byte is the newline.
    if !machine.world().stdin.has_ended() {
        line.pop();
    }
    line.push(Byte::Concrete(0));
    write_bytes(machine, arguments.get(0), &line)?;
    Ok(Some(arguments.get(0)))
}

/// `fgets(buffer, size, stream)`: reads a line of at most `size - 1` bytes.
fn fgets(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    require_stdin(machine, arguments.get(2))?;
    let size = machine.concretise(arguments.get(1), 32, "size of a buffer")? as u32 as i32;
    if size <= 0 {
        return Ok(Some(Value::Int(0)));
    }
    let mut line = line(machine, b'\n', size as usize - 1)?;
    // A buffer with room for only the NUL is valid: nothing is read, and the call succeeds.
    if line.is_empty() && size > 1 {
        return Ok(Some(Value::Int(0)));
    }
    line.push(Byte::Concrete(0));
    write_bytes(machine, arguments.get(0), &line)?;
    Ok(Some(arguments.get(0)))
}

/// `getdelim(&buffer, &size, delimiter, stream)` (POSIX.1-2017): reads a line that ends with
/// `delimiter`.
fn getdelim(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    require_stdin(machine, arguments.get(3))?;
    let end = machine.concretise(arguments.get(2), 32, "delimiter")?;
    read_line(machine, arguments, end as u8)
}

/// `getline(&buffer, &size, stream)` (POSIX.1-2017): reads a line.
fn getline(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    require_stdin(machine, arguments.get(2))?;
    read_line(machine, arguments, b'\n')
}

/// Reads a line that ends with the byte `end` into a buffer that grows as glibc's does. The buffer
/// has 120 bytes at first; then its size is doubled, or set to the size needed if that is more.
/// Returns the length of the line, or -1 at the end of the file.
fn read_line(
    machine: &mut dyn Machine,
    arguments: Arguments<'_>,
    end: u8,
) -> Result<Option<Value>, Stop> {
    const FIRST: u64 = 120;
    let place = Value::Int(machine.concretise(arguments.get(0), 64, "place of a buffer")?);
    let size_place = Value::Int(machine.concretise(arguments.get(1), 64, "place of a size")?);
    if [place, size_place].contains(&Value::Int(0)) {
        return Err(Stop::unsupported("a line read without a place for its buffer or its size"));
    }
    let buffer = machine.load(place, 64)?;
    let buffer = machine.concretise(buffer, 64, "buffer")?;
    let size = machine.load(size_place, 64)?;
    let size = machine.concretise(size, 64, "size of a buffer")?;
    let mut line = line(machine, end, usize::MAX)?;
    let (length, needed) = (line.len() as u64, line.len() as u64 + 1);
    let given = if buffer == 0 || size == 0 { FIRST } else { size };
    let wanted = if needed > given { needed.max(2 * given) } else { given };
    let mut at = Value::Int(buffer);
    if wanted != size || buffer == 0 {
        at = reallocated(machine, at, wanted)?;
        machine.store(place, 64, at)?;
        machine.store(size_place, 64, Value::Int(wanted))?;
    }
    if line.is_empty() {
        return Ok(Some(Value::Int(u64::MAX)));
    }
    line.push(Byte::Concrete(0));
    write_bytes(machine, at, &line)?;
    Ok(Some(Value::Int(length)))
}

fn fread(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    require_stdin(machine, arguments.get(3))?;
    let each = machine.concretise(arguments.get(1), 64, "size of an element")?;
    let count = machine.concretise(arguments.get(2), 64, "number of elements")?;
    let mut bytes = Vec::new();
    while (bytes.len() as u64) < each.saturating_mul(count) {
        let Some(byte) = read::byte(machine)? else { break };
        bytes.push(byte);
    }
    write_bytes(machine, arguments.get(0), &bytes)?;
    Ok(Some(Value::Int((bytes.len() as u64).checked_div(each).unwrap_or(0))))
}

fn parse(machine: &mut dyn Machine, format: Value) -> Result<Vec<Directive>, Stop> {
    let format = concrete_string(machine, format, "a format")?;
    scanf::parse(&format).map_err(|error| Stop::unsupported(format!("scanf: {error}")))
}

fn scan_stdin(
    machine: &mut dyn Machine,
    format: Value,
    arguments: &mut Variadic<'_>,
) -> Result<Option<Value>, Stop> {
    let directives = parse(machine, format)?;
    if directives.first().is_some_and(Directive::skips_space) {
        read::skip_unread_space(machine);
    }
    Ok(Some(match read::reads_tokens(machine) {
        true => scan_typed(machine, &directives, arguments)?,
        false => scan::scan(machine, &directives, Source::Stdin, arguments)?,
    }))
}

fn scan_string(machine: &mut dyn Machine, arguments: Arguments<'_>) -> Result<Option<Value>, Stop> {
    let directives = parse(machine, arguments.get(1))?;
    let text = Source::Text(arguments.get(0));
    let mut rest = Variadic::direct(arguments, 2);
    Ok(Some(scan::scan(machine, &directives, text, &mut rest)?))
}

/// Carries out the directives on typed input: makes the tokens that they ask for, and stores them.
/// Returns the number of values stored, or EOF.
fn scan_typed(
    machine: &mut dyn Machine,
    directives: &[Directive],
    arguments: &mut Variadic<'_>,
) -> Result<Value, Stop> {
    let mut assigned = 0u64;
    for directive in directives {
        let literal = match directive {
            Directive::Whitespace => {
                read::skip_space(machine)?;
                continue;
            }
            Directive::Literal(byte) => Some(*byte),
            Directive::Conversion(conversion) => {
                if conversion.skips_space() {
                    read::typed(machine).skip_newline();
                }
                (conversion.kind == InputKind::Percent).then_some(b'%')
            }
        };
        if let Directive::Conversion(conversion) = directive
            && conversion.kind == InputKind::ReadCount
        {
            // It is not known how much white space there is.
            return Err(Stop::unsupported("scanf %n"));
        }
        if literal.is_some_and(|byte| read::typed(machine).is_excluded(byte)) {
            break;
        }
        let is_taken = |byte| match directive {
            Directive::Conversion(conversion) => conversion.begins(byte),
            _ => literal == Some(byte),
        };
        if literal.is_some() && read::is_malformed(machine, is_taken)? {
            break;
        }
        let ended = match literal {
            Some(byte) => !read::expect(machine, byte)?,
            None => !read::typed(machine).newline_is_next() && read::ends(machine)?,
        };
        if ended {
            return Ok(at_end(assigned));
        }
        if let (Directive::Conversion(conversion), None) = (directive, literal) {
            // A number is followed by a newline, whatever this conversion reads.
            let is_newline = read::typed(machine).newline_is_next();
            if !is_newline && read::is_malformed(machine, is_taken)? {
                break;
            }
            if !read_token(machine, conversion, arguments)? {
                break;
            }
            assigned += u64::from(!conversion.suppress);
        }
    }
    Ok(Value::Int(assigned))
}

/// Makes and stores one token; returns `false` if the input cannot match.
fn read_token(
    machine: &mut dyn Machine,
    conversion: &Conversion,
    arguments: &mut Variadic<'_>,
) -> Result<bool, Stop> {
    if conversion.allocate {
        return Err(Stop::unsupported("scanf with the modifier m"));
    }
    let bits = conversion.value_bits();
    let bytes: Vec<Byte> = match &conversion.kind {
        InputKind::Integer(syntax) => {
            let format = match syntax {
                IntegerSyntax::Signed => NumberFormat::decimal(true),
                // The number is written in decimal, as for `%d`. But `%i` also reads octal and
                // hexadecimal text, which means something else to `%d`. A flag without effect
                // makes the format a different one, so that the two reads are not comparable.
                IntegerSyntax::Prefixed => NumberFormat {
                    flags: Flags { alternative: true, ..Flags::default() },
                    ..NumberFormat::decimal(true)
                },
                IntegerSyntax::Unsigned(radix) => {
                    NumberFormat { radix: *radix, ..NumberFormat::decimal(false) }
                }
            };
            let value = read::number(machine, format, bits);
            if let Some(width) = conversion.width {
                assume_length(machine, value, format, width)?;
            }
            if !conversion.suppress {
                let target = arguments.next(machine, ArgumentKind::Integer(64))?;
                machine.store(target, bits, Value::Expr(value))?;
            }
            return Ok(true);
        }
        InputKind::Float => {
            let format = Format::of(bits).expect("of a type that C has");
            if conversion.width.is_some() {
                return Err(Stop::unsupported("scanf of a floating-point number of limited width"));
            }
            let value = read::real(machine, format)?;
            if !conversion.suppress {
                let target = arguments.next(machine, ArgumentKind::Integer(64))?;
                machine.store(target, bits, Value::Expr(value))?;
            }
            return Ok(true);
        }
        InputKind::Char if bits == 8 => {
            let mut bytes = Vec::new();
            for _ in 0..conversion.width.unwrap_or(1) {
                // At the end of the file, fewer bytes than asked for are taken.
                let Some(byte) = read::byte(machine)? else { break };
                bytes.push(byte);
            }
            bytes
        }
        InputKind::String if bits == 8 => {
            let bytes = word(machine, conversion.width, &|byte| !is_space(byte) && byte != 0)?;
            if let Some(width) = conversion.width {
                note_taken(machine, &bytes, Taken::Bytes(width));
            }
            bytes
        }
        InputKind::Set(set) if bits == 8 => {
            if read::typed(machine).sees_newline() {
                if set.contains(b'\n') {
                    return Err(Stop::unsupported("scanf %[ that accepts a newline"));
                }
                return Ok(false);
            }
            let bytes = word(machine, conversion.width, &|byte| {
                set.contains(byte) && byte != 0 && byte != b'\n'
            })?;
            note_taken(machine, &bytes, Taken::Set);
            bytes
        }
        kind => return Err(Stop::unsupported(format!("scanf {kind}"))),
    };
    if !conversion.suppress {
        let target = arguments.next(machine, ArgumentKind::Integer(64))?;
        write_bytes(machine, target, &bytes)?;
    }
    Ok(true)
}

/// Reads a new word of at most `width` bytes that `accepts` allows; returns it with a NUL at its
/// end.
fn word(
    machine: &mut dyn Machine,
    width: Option<u32>,
    accepts: &dyn Fn(u8) -> bool,
) -> Result<Vec<Byte>, Stop> {
    let word = read::word(machine, width, accepts)?;
    let mut bytes: Vec<Byte> = word.iter().map(|byte| Byte::of(machine.exprs(), *byte)).collect();
    bytes.push(Byte::Concrete(0));
    Ok(bytes)
}

fn note_taken(machine: &mut dyn Machine, word: &[Byte], taken: Taken) {
    if let Some(Byte::Symbolic(first)) = word.first() {
        read::typed(machine).taken.push((*first, taken));
    }
}

/// Expects that the text of a number has at most `width` bytes, the width of its conversion.
fn assume_length(
    machine: &mut dyn Machine,
    value: crate::expr::ExprId,
    format: NumberFormat,
    width: u32,
) -> Result<(), Stop> {
    let exprs = machine.exprs();
    let length = format.length(exprs, value, exprs.width(value));
    let bits = exprs.width(length);
    let short = exprs.ule(length, exprs.constant(bits, u64::from(width)));
    machine.expect(short)?;
    read::typed(machine).taken.push((value, Taken::Bytes(width)));
    Ok(())
}
