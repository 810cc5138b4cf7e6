//! The input of a program that is given as a file, from options like KLEE's.

use std::{collections::BTreeMap, path::PathBuf};

use anyhow::Context;
use clap::Args;

use crate::{
    env::libc::stdin::Stdin,
    exec::{Arguments, Variable},
    expr::Exprs,
    session::inputs::{Inputs, PROGRAM, concrete, ordered, read, together, typed},
    subject::{
        MOST_BYTES, Times,
        config::{MOST_ARGUMENTS, StdinConfig},
        given_files, is_variable,
    },
};

/// KLEE's options for symbolic input, and options for input that is known.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub(super) struct SymbolicInputArgs {
    /// A symbolic argument of up to N bytes, for a file; may be repeated
    #[arg(long, value_name = "N")]
    sym_arg: Vec<u32>,
    /// From MIN to MAX symbolic arguments of up to N bytes each, for a file; may be repeated
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "N"])]
    sym_args: Vec<u32>,
    /// Files A, B and so on, each of SIZE symbolic bytes, for a file
    #[arg(long, num_args = 2, value_names = ["COUNT", "SIZE"])]
    sym_files: Vec<u32>,
    /// An environment variable, for a file; may be repeated
    #[arg(long, value_name = "NAME=TEXT")]
    env: Vec<String>,
    /// A symbolic environment variable of up to N bytes, for a file; may be repeated
    #[arg(long, num_args = 2, value_names = ["NAME", "N"])]
    sym_env: Vec<String>,
    /// What a program with its libc finds in the directory it starts in, for a file: everything
    /// below DIR
    #[arg(long, value_name = "DIR")]
    files: Option<PathBuf>,
    /// Standard input of N symbolic bytes, for a file [default: typed tokens that reads call for;
    /// none for a program with its libc]
    #[arg(long, value_name = "N")]
    sym_stdin: Option<u32>,
    /// Standard input from this file, for a file; - is that of psychic
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
}

impl SymbolicInputArgs {
    /// The input of a program that is given as a file. `line` is its command line, which may itself
    /// contain these options; the arguments from the options in `self` come after it. Unless an
    /// option says otherwise, a program with its libc (`whole`) has empty standard input, and
    /// others read typed tokens.
    ///
    /// # Errors
    /// An option lacks a number or has one out of range, options exclude each other, or given files
    /// cannot be read.
    pub fn inputs(&self, exprs: &Exprs, line: &[String], whole: bool) -> anyhow::Result<Inputs> {
        let mut args = vec![Arguments::Text(PROGRAM.to_vec())];
        let (mut sizes, mut stdin) = (self.sym_files.clone(), self.sym_stdin);
        let mut words = line.iter();
        while let Some(word) = words.next() {
            let mut numbers = |count: usize| -> anyhow::Result<Vec<u32>> {
                let numbers = words.by_ref().take(count).map(|number| number.parse::<u32>());
                let numbers: Vec<u32> = numbers.collect::<Result<_, _>>().unwrap_or_default();
                anyhow::ensure!(
                    numbers.len() == count,
                    "{word} on the program's command line takes numbers, {count} of them"
                );
                Ok(numbers)
            };
            match word.as_str() {
                "--sym-arg" | "-sym-arg" => args.push(symbolic(1, 1, numbers(1)?[0])?),
                "--sym-args" | "-sym-args" => {
                    let numbers = numbers(3)?;
                    args.push(symbolic(numbers[0], numbers[1], numbers[2])?);
                }
                "--sym-files" | "-sym-files" => sizes.extend(numbers(2)?),
                "--sym-stdin" | "-sym-stdin" => stdin = Some(numbers(1)?[0]),
                _ => args.push(Arguments::Text(word.clone().into_bytes())),
            }
        }
        for size in &self.sym_arg {
            args.push(symbolic(1, 1, *size)?);
        }
        for numbers in self.sym_args.chunks(3) {
            args.push(symbolic(numbers[0], numbers[1], numbers[2])?);
        }
        for group in sizes.chunks(2) {
            check_size("--sym-files", group[1])?;
        }
        let sizes = sizes.chunks(2).flat_map(|group| (0..group[0]).map(|_| group[1]));
        let sizes: Vec<u32> = sizes.take(27).collect();
        anyhow::ensure!(sizes.len() <= 26, "--sym-files: at most 26 files, A to Z");
        let symbolic = ('A'..='Z').zip(sizes).map(|(name, size)| (name.into(), size));
        let given = match &self.files {
            Some(_) if !whole => anyhow::bail!("--files: only a program with its libc has files"),
            Some(directory) => given_files(directory).context("--files")?,
            None => Vec::new(),
        };
        let files = together(given, symbolic)?;
        let stdin = match (stdin, &self.stdin) {
            (Some(_), Some(_)) => anyhow::bail!("--stdin and --sym-stdin exclude each other"),
            (Some(count), None) => {
                check_size("--sym-stdin", count)?;
                Stdin::symbolic(exprs, count)
            }
            (None, Some(file)) => concrete(&read(file)?),
            (None, None) if whole => Stdin::bytes(Vec::new()),
            (None, None) => typed(&StdinConfig::default()),
        };
        Ok(Inputs { args, env: self.environment()?, stdin, files, times: Times::default() })
    }

    fn environment(&self) -> anyhow::Result<Vec<Variable>> {
        let mut variables = BTreeMap::new();
        let mut add = |name: &str, value| -> anyhow::Result<()> {
            anyhow::ensure!(is_variable(name), "{name:?} cannot be the name of a variable");
            anyhow::ensure!(
                variables.insert(name.to_owned(), value).is_none(),
                "the variable {name} is set twice"
            );
            Ok(())
        };
        for word in &self.env {
            let (name, text) =
                word.split_once('=').with_context(|| format!("--env {word} is not NAME=TEXT"))?;
            add(name, Arguments::Text(text.into()))?;
        }
        for words in self.sym_env.chunks(2) {
            let size = words[1]
                .parse()
                .with_context(|| format!("--sym-env {}: N is not a number", words.join(" ")))?;
            add(&words[0], symbolic(1, 1, size)?)?;
        }
        Ok(ordered(variables))
    }
}

fn symbolic(least: u32, most: u32, size: u32) -> anyhow::Result<Arguments> {
    anyhow::ensure!(
        least <= most && most <= MOST_ARGUMENTS,
        "--sym-args {least} {most} {size}: MAX has to be from MIN to {MOST_ARGUMENTS}"
    );
    check_size("a symbolic text", size)?;
    Ok(Arguments::Symbolic { least, most, prefix: Vec::new(), size })
}

fn check_size(what: &str, size: u32) -> anyhow::Result<()> {
    anyhow::ensure!(size <= MOST_BYTES, "{what}: {size} bytes are too many: at most {MOST_BYTES}");
    Ok(())
}
