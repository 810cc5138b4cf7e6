//! From an assignment of the variables to a concrete input that a person can run.

use std::collections::{BTreeMap, BTreeSet};

use super::variants::{Limits, Token};
use crate::{
    env::{
        Argument, World,
        libc::{
            format::radix::Radix,
            given,
            intrinsics::give_object,
            stdin::{Stdin, Taken},
            stream::Atom,
        },
    },
    exec::{HaltState, State},
    expr::{Assignment, Bv, ExprId, Exprs, VariableId},
    memory::Byte,
    replay::TestInput,
    subject::{Revision, Times},
};

/// The values that the given inputs assign to the variables of a program. An input contributes only
/// if it fits what is symbolic in one of the first states. Typed standard input has [two
/// readings](given::readings), so such an input contributes twice. Surplus bytes of an input are
/// dropped, and missing ones are zero: the result is only a place to start from.
pub fn seeds<'i>(
    exprs: &Exprs,
    first: &[State],
    inputs: impl IntoIterator<Item = &'i TestInput>,
) -> Vec<Assignment> {
    let of_one = |input| first.iter().find_map(|state| readings(exprs, state, input));
    inputs.into_iter().filter_map(of_one).flatten().collect()
}

fn readings(exprs: &Exprs, first: &State, input: &TestInput) -> Option<Vec<Assignment>> {
    let (world, mut known) = (&first.world, (*first.model).clone());
    // The clock and the ages of files have values already. Those of the input replace them.
    for object in world.objects.iter().filter(|object| Times::is_object(&object.name)) {
        let Some(given) = input.object(&object.name) else { continue };
        give_object(exprs, &object.name, given, &mut known);
    }
    let is_met = |condition: &ExprId| !exprs.evaluate(*condition, &known).is_zero();
    if !first.path_condition.iter().all(is_met) {
        return None;
    }
    let text = input.stdin.as_deref().unwrap_or_default();
    let stdin = match &world.stdin {
        Stdin::Bytes(stdin) => &stdin.bytes[..],
        Stdin::Typed(_) => &[],
    };
    // The first known value of a byte counts: the number of arguments comes before the arguments.
    let mut give = |variable: ExprId, byte: Option<&u8>| {
        if let Some(variable) = exprs.as_variable(variable) {
            let byte = byte.copied().unwrap_or_default();
            known.0.entry(variable).or_insert_with(|| Bv::new(8, byte.into()));
        }
    };
    if world.arguments.len() != input.args.len() {
        return None;
    }
    let mut symbolic = 0;
    // The name by which the program is called makes no difference.
    for (argument, given) in world.arguments.iter().zip(&input.args).skip(1) {
        match argument {
            Argument::Text(text) if text == given => {}
            Argument::Text(_) => return None,
            Argument::Symbolic { prefix, .. } => {
                let rest = given.strip_prefix(&prefix[..])?;
                let name = format!("arg{symbolic:02}");
                symbolic += 1;
                let object = world.objects.iter().find(|object| object.name == name)?;
                object.bytes.iter().enumerate().for_each(|(at, byte)| give(*byte, rest.get(at)));
            }
        }
    }
    for object in world.objects.iter() {
        let given = input.object(&object.name).unwrap_or_default();
        object.bytes.iter().enumerate().for_each(|(at, byte)| give(*byte, given.get(at)));
    }
    for (at, byte) in stdin.iter().enumerate() {
        if let Byte::Symbolic(byte) = byte {
            give(*byte, text.get(at));
        }
    }
    // Objects that the program asks for only once it runs.
    let is_there = |name: &str| world.objects.iter().any(|object| object.name == name);
    for (name, bytes) in input.objects.iter().filter(|(name, _)| !is_there(name)) {
        give_object(exprs, name, bytes, &mut known);
    }
    let (Some(most), Some(text)) = (world.stdin.most_tokens(), &input.stdin) else {
        return Some(vec![known]);
    };
    let with = |reading: Assignment| {
        let mut all = known.clone();
        all.0.extend(reading.0);
        all
    };
    Some(given::readings(exprs, text, most).map(with).into())
}

/// Whether two states read their input in the same way: the tokens of typed standard input that
/// both have read are the same, and objects with the same name have the same size.
pub(super) fn comparable(a: &World, b: &World) -> bool {
    let stdin = match (&a.stdin, &b.stdin) {
        (Stdin::Typed(x), Stdin::Typed(y)) => {
            let (x, y) = (x.file(), y.file());
            let (mut x, mut y) = (x.atoms(), y.atoms());
            loop {
                match (x.next(), y.next()) {
                    (Some(left), Some(right)) if left == right => {}
                    (Some(_), Some(_)) => break false,
                    _ => break true,
                }
            }
        }
        _ => true,
    };
    stdin
        && a.objects
            .iter()
            .all(|x| b.objects.iter().all(|y| x.name != y.name || x.bytes.len() == y.bytes.len()))
}

/// The input that an assignment stands for. `states` are the halt states that it reaches, over all
/// revisions: the test holds what each of them reads.
pub(super) fn concrete(
    exprs: &Exprs,
    arguments: &[Argument],
    states: &[&HaltState],
    model: &Assignment,
) -> TestInput {
    let mut input = TestInput::default();
    for object in states.iter().flat_map(|state| state.world.objects.iter()) {
        let bytes: Vec<u8> =
            object.bytes.iter().map(|byte| value(exprs, Byte::Symbolic(*byte), model)).collect();
        match input.objects.iter_mut().find(|(name, _)| *name == object.name) {
            Some((_, known)) if known.len() < bytes.len() => *known = bytes,
            Some(_) => {}
            None => input.objects.push((object.name.clone(), bytes)),
        }
    }
    let mut symbolic = 0;
    for argument in arguments {
        input.args.push(match argument {
            Argument::Text(text) => text.clone(),
            Argument::Symbolic { prefix, .. } => {
                let name = format!("arg{symbolic:02}");
                symbolic += 1;
                let bytes = input.object(&name).unwrap_or_default();
                let bytes = bytes.iter().copied().take_while(|byte| *byte != 0);
                prefix.iter().copied().chain(bytes).collect()
            }
        });
    }
    input.stdin = text(exprs, states, model).filter(|text| !text.is_empty());
    input
}

/// Standard input that suits as many revisions as possible: the longest of the texts that continue
/// what the largest number of revisions read. A revision that reads its input in another way (a
/// byte where others read a number) gets a text that the engine did not intend for it.
fn text(exprs: &Exprs, states: &[&HaltState], model: &Assignment) -> Option<Vec<u8>> {
    let reads = |state: &&&HaltState| !state.halt.is_excluded();
    let readers: Vec<&HaltState> = states.iter().filter(reads).copied().collect();
    let states = if readers.is_empty() { states } else { &readers };
    let texts: Vec<(Vec<u8>, usize)> = states
        .iter()
        .map(|state| (stdin(exprs, state, model), state.revisions.iter().count()))
        .collect();
    let served = |text: &[u8]| -> usize {
        texts.iter().filter(|(other, _)| text.starts_with(other)).map(|(_, count)| count).sum()
    };
    let best = texts.iter().max_by_key(|(text, _)| (served(text), text.len()))?;
    let mut best = best.0.clone();
    let mut ends = states.iter().zip(&texts).filter(|(_, (text, _))| *text == best);
    if ends.any(|(state, _)| expects_more(&state.world)) {
        best.extend(ANY_TOKEN);
    }
    Some(best)
}

/// The text of a token that no state has read.
const ANY_TOKEN: &[u8] = b"0\n";

fn expects_more(world: &World) -> bool {
    matches!(&world.stdin, Stdin::Typed(typed) if typed.expects_more())
}

/// Whether a program on the path of `state` reads from the test `input` what the state read under
/// the assignment. It does not if another revision reads its input in another way and the test was
/// written for that revision.
pub(super) fn fits(
    exprs: &Exprs,
    state: &HaltState,
    model: &Assignment,
    input: &TestInput,
) -> bool {
    let objects = state.world.objects.iter().all(|object| {
        let bytes = object.bytes.iter().map(|byte| value(exprs, Byte::Symbolic(*byte), model));
        let known = input.object(&object.name).unwrap_or_default();
        known.len() >= object.bytes.len() && bytes.zip(known).all(|(a, b)| a == *b)
    });
    let text = stdin(exprs, state, model);
    let given = input.stdin.as_deref().unwrap_or_default();
    let ended = state.world.stdin.has_ended();
    objects && if ended { given == text } else { given.starts_with(&text) }
}

/// Spare tokens for revisions that may read more than any of the states did, so that they do not
/// meet an end of file that the bounds exclude.
pub(super) fn spare_tokens(states: &[&HaltState]) -> Vec<u8> {
    let spare = states.iter().map(|state| match &state.world.stdin {
        Stdin::Typed(typed) => typed.left(),
        Stdin::Bytes(_) => 0,
    });
    ANY_TOKEN.repeat(spare.min().unwrap_or(0) as usize)
}

/// Whether typed standard input was read one character at a time and in no other way. Also true if
/// standard input is not typed.
pub(super) fn is_text(world: &World) -> bool {
    let Stdin::Typed(typed) = &world.stdin else { return true };
    typed.file().atoms().all(|atom| matches!(atom, Atom::Literal(_) | Atom::Byte(_)))
}

/// The least that any path takes of each number or word, for those that some path does not take in
/// full ([`TypedInput::taken`](crate::env::libc::stdin::TypedInput::taken)). For what the original
/// reads, only paths of the original count.
pub(super) fn taken<'s>(
    states: impl Iterator<Item = &'s HaltState> + Clone,
) -> BTreeMap<ExprId, Taken> {
    let is_of_original = |state: &&HaltState| state.revisions.contains(Revision::ORIGINAL);
    let read = |state: &'s HaltState| match &state.world.stdin {
        Stdin::Typed(typed) => typed.file().atoms().filter_map(Atom::value).collect(),
        Stdin::Bytes(_) => Vec::new(),
    };
    let by_original: BTreeSet<ExprId> =
        states.clone().filter(is_of_original).flat_map(read).collect();
    let mut least = BTreeMap::new();
    for state in states {
        let Stdin::Typed(typed) = &state.world.stdin else { continue };
        let counts = |part: &ExprId| is_of_original(&state) || !by_original.contains(part);
        for (part, taken) in typed.taken().iter().filter(|(part, _)| counts(part)) {
            let known = least.entry(*part).or_insert(*taken);
            *known = (*known).min(*taken);
        }
    }
    least
}

/// The limits that keep variants of `input` within the bounds, and within what every path
/// [takes](taken). `input` is an input of a path that ended in `world`.
pub(super) fn limits(
    exprs: &Exprs,
    world: &World,
    input: &TestInput,
    taken: &BTreeMap<ExprId, Taken>,
) -> Limits {
    let typed = match &world.stdin {
        Stdin::Typed(typed) => typed,
        Stdin::Bytes(all) => {
            let fixed = |byte: &Byte| match byte {
                Byte::Concrete(byte) => Some(*byte),
                _ => None,
            };
            let bytes = Some(all.bytes.iter().map(fixed).collect());
            return Limits { bytes, tokens: Vec::new(), further: Token::Word(usize::MAX) };
        }
    };
    let longest_word = typed.longest_word().max(1);
    let (mut tokens, mut is_inside) = (Vec::new(), false);
    for atom in typed.file().atoms() {
        let token = match atom {
            Atom::Literal(byte) if byte.is_ascii_whitespace() => {
                is_inside = false;
                continue;
            }
            Atom::Literal(_) => Token::Word(longest_word),
            Atom::Byte(first) => match taken.get(&first) {
                Some(Taken::Set) => Token::Fixed,
                Some(Taken::Bytes(most)) => Token::Word(longest_word.min(*most as usize)),
                None => Token::Word(longest_word),
            },
            Atom::Number { value, format } if format.radix == Radix::Decimal => {
                let width = exprs.width(value).min(64);
                let half = 1_i128 << (width - 1);
                let (low, high) = if format.signed { (-half, half - 1) } else { (0, 2 * half - 1) };
                // More digits than a 64-bit number has are no limit.
                let tens = |digits: u32| 10_i128.pow(digits.min(20));
                Token::Integer(match taken.get(&value) {
                    Some(Taken::Bytes(most)) => {
                        low.max(1 - tens(most.saturating_sub(1)))..=high.min(tens(*most) - 1)
                    }
                    Some(Taken::Set) | None => low..=high,
                })
            }
            Atom::Number { .. } => Token::Fixed,
            Atom::Real { .. } => Token::Real,
        };
        if !std::mem::replace(&mut is_inside, true) {
            tokens.push(token);
        }
    }
    // Characters are tokens, too, and their number is fixed.
    let is_fixed = is_text(world) && !typed.has_words();
    let length = input.stdin.as_ref().map_or(0, Vec::len);
    // It is not known here how further tokens are read. If all tokens so far were read alike,
    // further ones most likely are, too. Otherwise a 32-bit number is an allowed word, too.
    let are_alike = tokens.iter().all(|token| *token == tokens[0]) && longest_word >= 11;
    let further = match tokens.first() {
        Some(Token::Integer(range)) if are_alike => Token::Integer(range.clone()),
        _ if is_text(world) => Token::Word(longest_word),
        _ => Token::Fixed,
    };
    Limits { bytes: is_fixed.then(|| vec![None; length]), tokens, further }
}

/// The text of standard input that a state read.
pub(super) fn stdin(exprs: &Exprs, state: &HaltState, model: &Assignment) -> Vec<u8> {
    match &state.world.stdin {
        Stdin::Typed(typed) => typed.file().render(exprs, model),
        Stdin::Bytes(fixed) => fixed.bytes.iter().map(|byte| value(exprs, *byte, model)).collect(),
    }
}

/// The variables in the text of standard input and in the objects.
pub(super) fn variables(exprs: &Exprs, world: &World) -> Vec<VariableId> {
    let mut parts: Vec<ExprId> =
        world.objects.iter().flat_map(|object| object.bytes.iter().copied()).collect();
    match &world.stdin {
        Stdin::Typed(typed) => parts.extend(typed.file().atoms().filter_map(Atom::value)),
        Stdin::Bytes(fixed) => parts.extend(fixed.bytes.iter().filter_map(|byte| match byte {
            Byte::Symbolic(expr) => Some(*expr),
            Byte::Concrete(_) | Byte::Uninitialised => None,
        })),
    }
    let all: BTreeSet<VariableId> =
        parts.into_iter().flat_map(|part| exprs.variables(part).iter().copied()).collect();
    all.into_iter().collect()
}

fn value(exprs: &Exprs, byte: Byte, model: &Assignment) -> u8 {
    match byte {
        Byte::Concrete(value) => value,
        Byte::Symbolic(expr) => exprs.evaluate(expr, model).to_u64().expect("8 bits") as u8,
        Byte::Uninitialised => 0,
    }
}
