//! Functions of musl as bitcode, as `scripts/musl.sh` leaves them: one module for each function.
//!
//! Mathematical functions have no single right result: libraries differ in the last bit. So native
//! runs link musl's functions, too, compiled from the same modules that the engine runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::BuildError;

/// Functions for memory. A C library that is linked dynamically uses those of the program, if it
/// has any. For all other functions it uses its own.
pub(super) const ALLOCATORS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "memalign",
    "aligned_alloc",
    "posix_memalign",
    "valloc",
    "pvalloc",
    "malloc_usable_size",
];

/// Folders of modules that native runs link, too.
const NATIVE: &[&str] = &["math", "complex", "ctype"];

/// The modules of a [`Libc`] that a program needs.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// The files of the modules, sorted.
    pub modules: Vec<PathBuf>,
    /// The symbols that the program itself needs from them.
    pub wanted: Vec<String>,
    /// The functions of the program with names that the modules define or need.
    pub overridden: Vec<String>,
}

impl Closure {
    /// The functions of the program that no C library calls in place of its own in native runs.
    pub(super) fn unused_natively(&self) -> BTreeSet<&str> {
        let all = self.overridden.iter().map(String::as_str);
        all.filter(|name| !ALLOCATORS.contains(name)).collect()
    }

    /// The files of the modules that native runs link, too.
    pub fn native(&self) -> impl Iterator<Item = &PathBuf> {
        self.modules.iter().filter(|module| {
            let folder = module.parent().and_then(Path::file_name);
            folder.is_some_and(|folder| NATIVE.iter().any(|native| folder == *native))
        })
    }
}

/// The modules below `CACHE/musl`.
#[derive(Clone, Debug)]
pub struct Libc {
    directory: PathBuf,
    /// The module that defines a symbol.
    definitions: BTreeMap<String, String>,
    /// The symbols that a module needs from elsewhere.
    needs: BTreeMap<String, Vec<String>>,
}

impl Libc {
    /// Reads the index of modules; `None` where the cache has none.
    ///
    /// # Errors
    /// [`BuildError::Io`] if the index cannot be read.
    pub fn find(cache: &Path) -> Result<Option<Self>, BuildError> {
        let directory = cache.join("musl");
        let index = directory.join("symbols.csv");
        if !index.exists() {
            return Ok(None);
        }
        let fail = |error: csv::Error| BuildError::Io { path: index.clone(), error: error.into() };
        let mut libc = Self { directory, definitions: BTreeMap::new(), needs: BTreeMap::new() };
        let mut reader = csv::Reader::from_path(&index).map_err(fail)?;
        for row in reader.deserialize() {
            let (module, symbol, kind): (String, String, String) = row.map_err(fail)?;
            match kind.as_str() {
                "undefined" => libc.needs.entry(module).or_default().push(symbol),
                "defined" => {
                    libc.definitions.insert(symbol, module);
                }
                _ => {
                    libc.definitions.entry(symbol).or_insert(module);
                }
            }
        }
        Ok(Some(libc))
    }

    /// The modules that define the `wanted` symbols and everything that these need in turn. Symbols
    /// that are `provided` otherwise are left out. `defined` are the symbols that the program
    /// defines itself.
    pub fn closure<'a>(
        &'a self,
        wanted: impl IntoIterator<Item = &'a str>,
        defined: impl IntoIterator<Item = &'a str>,
        provided: impl Fn(&str) -> bool,
    ) -> Closure {
        let module = |symbol: &str| self.definitions.get(symbol).filter(|_| !provided(symbol));
        let mut open: Vec<&str> = wanted.into_iter().filter(|s| module(s).is_some()).collect();
        let wanted = open.iter().map(|symbol| (*symbol).to_owned()).collect();
        let mut modules = BTreeSet::new();
        while let Some(symbol) = open.pop() {
            let Some(module) = module(symbol) else { continue };
            if modules.insert(module) {
                open.extend(self.needs.get(module).into_iter().flatten().map(String::as_str));
            }
        }
        let needs = modules.iter().filter_map(|module| self.needs.get(*module)).flatten();
        let needed: BTreeSet<&str> = needs.map(String::as_str).collect();
        let is_in_them = |symbol: &&str| {
            needed.contains(*symbol)
                || self.definitions.get(*symbol).is_some_and(|name| modules.contains(name))
        };
        let overridden = defined.into_iter().filter(is_in_them).map(str::to_owned).collect();
        let file = |module: &String| self.directory.join("bitcode").join(format!("{module}.bc"));
        Closure { modules: modules.into_iter().map(file).collect(), wanted, overridden }
    }
}
