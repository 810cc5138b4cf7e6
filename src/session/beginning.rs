//! The beginning of a run on a known input.

use super::inputs;
use crate::{
    env::libc::{intrinsics::give_object, stdin::Stdin},
    exec::{Arguments, Program, Start},
    expr::Assignment,
    memory::Byte,
    replay::TestInput,
    subject::{Revision, RevisionSet, Subject},
};

/// How a program starts on a known input, and the values of what it asks for.
pub(super) fn beginning(
    program: &Program,
    subject: &Subject,
    input: &TestInput,
) -> anyhow::Result<(Start, Assignment)> {
    let of_subject = inputs::of_subject(&program.exprs, subject)?;
    let text = input.stdin.iter().flatten().copied().map(Byte::Concrete).collect();
    let start = Start {
        entry: program.entry().into(),
        revisions: RevisionSet::from_iter([Revision::ORIGINAL]),
        args: input.command_line().into_iter().map(Arguments::Text).collect(),
        stdin: Stdin::bytes(text),
        env: of_subject.env,
        files: of_subject.files,
    };
    let mut given = Assignment::default();
    for (name, bytes) in &input.objects {
        give_object(&program.exprs, name, bytes, &mut given);
    }
    Ok((start, given))
}
