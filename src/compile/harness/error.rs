//! Why no harness can be written ([`HarnessError`]).

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
    /// Definitions of the entry have different signatures, of which the preprocessor takes one.
    #[error(
        "`{entry}` has several definitions with different types or parameters, in branches of `#if`: \
         write one that calls it, and name it as entry"
    )]
    Several {
        /// The entry.
        entry: String,
    },
    /// A parameter is a pointer, and nothing states how much it points to.
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
    /// The entry returns a type that cannot be an output.
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
