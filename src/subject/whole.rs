//! A program without a build of its own that is run whole (`build.whole`): one command builds it.

use std::path::{Path, PathBuf};

use super::{
    Form, SubjectConfig,
    fault::{Fault, fault},
    setup::quoted,
};

/// Checks the other settings of a program that is run whole.
pub(super) fn check(config: &SubjectConfig) -> Result<(), Fault> {
    let build = &config.build;
    for (key, is_given) in [
        ("program", build.program.is_some()),
        ("configure", build.configure.is_some()),
        ("make", build.make.is_some()),
    ] {
        if is_given {
            let message =
                format!("build.{key} is for a program with a build of its own, not whole");
            return Err(fault(key, message));
        }
    }
    if config.entry != "main" {
        return Err(fault("entry", "entry is not for build.whole: the program is run whole"));
    }
    if config.revisions > 0 {
        let message = "a meta program written by hand is not run whole: leave build.whole out";
        return Err(fault("revisions", message));
    }
    Ok(())
}

/// Adds the build that a program with these `sources` in the tree at `root` would have: one command
/// that compiles and links them.
pub(super) fn complete(config: &mut SubjectConfig, root: &Path) -> Result<(), Fault> {
    if config.sources.iter().any(|source| Form::of(source) == Form::Module) {
        return Err(fault("whole", "build.whole is for C files: a module is compiled already"));
    }
    let program = program(&config.sources, root);
    let words = config.sources.iter().map(|source| quoted(&source.to_string_lossy()));
    let words: Vec<String> = words.collect();
    // The program is named by a path, so that no name looks like an option.
    let made = quoted(&format!("./{}", program.display()));
    let build = &mut config.build;
    build.make = Some(format!("$CC $CFLAGS $LDFLAGS -o {made} {}", words.join(" ")));
    // Nothing is configured, even if there is a script of that name.
    build.configure = Some(":".into());
    build.program = Some(program);
    Ok(())
}

/// The name of the program: that of the first source without its ending. If there is such a file
/// already, `.out` is added.
fn program(sources: &[PathBuf], root: &Path) -> PathBuf {
    let stem = sources.first().and_then(|source| source.file_stem()).unwrap_or_default();
    let mut name = PathBuf::from(stem);
    while root.join(&name).exists() {
        name.as_mut_os_string().push(".out");
    }
    name
}
