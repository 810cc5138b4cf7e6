//! Which definition of each symbol the linker takes, as lld records it (`--save-temps=resolution`).
//!
//! A patch can change that for files that it does not touch: a definition replaces a weak or a common
//! one, or keeps a member of an archive out of the program.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// How the linker resolved the symbols of a program's modules.
#[derive(Debug, Default)]
pub(super) struct Resolution {
    /// The members of the program's own archives that are part of it.
    members: BTreeSet<String>,
    symbols: BTreeMap<String, Symbol>,
    /// A symbol that the linker takes from elsewhere than its definition (`--wrap`, say).
    redefined: Option<String>,
}

/// A symbol in the modules that define or need it.
#[derive(Debug, Default)]
struct Symbol {
    /// The module whose definition counts; `None` if there is none.
    prevails: Option<String>,
    /// For each module, whether it gets a definition of this program.
    is_defined: BTreeMap<String, bool>,
}

impl Resolution {
    /// Reads lld's record of the link of a program in `tree`. The modules in `libc` are those of the
    /// C library.
    pub(super) fn new(text: &str, tree: &Path, libc: &Path) -> Self {
        let (tree, libc) = (tree.display().to_string(), libc.display().to_string());
        let mut resolution = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("-r=")) {
            let mut parts = line.rsplitn(3, ',');
            let (Some(how), Some(name), Some(module)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if how.contains('r') {
                resolution.redefined.get_or_insert_with(|| name.to_owned());
            }
            // All of the C library counts as one module: what it has is the same in every program.
            let module = match module.starts_with(&libc) {
                true => String::new(),
                false => plain(&module.replace(&tree, "")).to_owned(),
            };
            if module.ends_with(')') {
                resolution.members.insert(module.clone());
            }
            let symbol = resolution.symbols.entry(name.to_owned()).or_default();
            if how.contains('p') {
                symbol.prevails = Some(module.clone());
            }
            *symbol.is_defined.entry(module).or_default() |= how.contains('l');
        }
        resolution
    }

    /// The name of a symbol that the linker does not take from a module that defines it, if there is
    /// one.
    pub(super) fn redefined(&self) -> Option<&str> {
        self.redefined.as_deref()
    }

    /// Whether two links take the same definitions of all symbols that both know, from the same
    /// members of archives.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        let is_same = |(name, symbol): (&String, &Symbol)| {
            other.symbols.get(name).is_none_or(|known| {
                let mut both = symbol.is_defined.iter();
                symbol.prevails == known.prevails
                    && both.all(|(module, is_defined)| {
                        known.is_defined.get(module).is_none_or(|known| known == is_defined)
                    })
            })
        };
        self.members == other.members && self.symbols.iter().all(is_same)
    }
}

/// The name of a module without its place in an archive, which depends on the sizes of others.
fn plain(module: &str) -> String {
    match module.rsplit_once(" at ") {
        Some((member, place)) if place.ends_with(')') => format!("{member})"),
        _ => module.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Resolution {
        Resolution::new(text, Path::new("/tree"), Path::new("/libc"))
    }

    const PLAIN: &str = "a.o\n-r=a.o,main,plx\n-r=a.o,work,l\n-r=a.o,hook,\n/tree/b.o\n\
                         -r=/tree/b.o,work,pl\n-r=/libc/l.a(x.o at 8),puts,pl\n\
                         -r=l.a(c.o at 8),c,pl\n";

    #[test]
    fn a_symbol_that_an_option_redefines_is_found() {
        assert_eq!(read(PLAIN).redefined(), None);
        let redefined = read(&PLAIN.replace("a.o,work,l\n", "a.o,work,lr\n"));
        assert_eq!(redefined.redefined(), Some("work"));
    }

    #[test]
    fn programs_that_take_other_definitions_do_not_agree() {
        let agrees = |more: &str| {
            let (one, other) = (read(PLAIN), read(&format!("{PLAIN}{more}")));
            assert_eq!(one.agrees(&other), other.agrees(&one));
            one.agrees(&other)
        };
        assert!(agrees(""));
        assert!(agrees("-r=a.o,helper,pl\n"));
        assert!(agrees("-r=a.o,strlen,l\n-r=/libc/l.a(y.o at 9),strlen,pl\n"));
        // A weak reference has a definition now.
        assert!(!agrees("-r=a.o,hook,l\n-r=/tree/b.o,hook,pl\n"));
        assert!(!agrees("-r=a.o,puts,pl\n"));
        assert!(!agrees("-r=l.a(d.o at 9),d,pl\n"));
        let places = PLAIN.replace("c.o at 8", "c.o at 90");
        assert!(read(PLAIN).agrees(&read(&places)));
    }
}
