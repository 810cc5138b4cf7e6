//! The beginning of a run on a known input.

use super::inputs::{self, Inputs};
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
        times: of_subject.times.with(|name| input.object(name)),
    };
    let mut given = Assignment::default();
    for (name, bytes) in &input.objects {
        give_object(&program.exprs, name, bytes, &mut given);
    }
    Ok((start, given))
}

/// How a program starts on any input that its subject describes.
pub(super) fn symbolic_beginning(program: &Program, subject: &Subject) -> anyhow::Result<Start> {
    let Inputs { args, env, stdin, files, times } = inputs::of_subject(&program.exprs, subject)?;
    let revisions = RevisionSet::from_iter([Revision::ORIGINAL]);
    Ok(Start { entry: program.entry().into(), revisions, args, env, stdin, files, times })
}
