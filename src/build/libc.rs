//! Functions of musl as bitcode, as `scripts/musl.sh` leaves them: one module a function.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::BuildError;

/// What the standard leaves so open that this libc and the one of a native run differ on it.
const UNSPECIFIED: &[&str] =
    &["rand", "srand", "rand_r", "random", "srandom", "initstate", "setstate"];

/// The modules and headers below `CACHE/musl`.
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

    /// The directory of its headers.
    pub fn include(&self) -> PathBuf {
        self.directory.join("include")
    }

    /// The modules that define the wanted symbols and everything that those need in turn;
    /// symbols that are `provided` otherwise are left alone.
    pub fn modules<'a>(
        &'a self,
        wanted: impl IntoIterator<Item = &'a str>,
        provided: impl Fn(&str) -> bool,
    ) -> Vec<PathBuf> {
        let mut open: Vec<&str> = wanted.into_iter().collect();
        let mut modules = BTreeSet::new();
        while let Some(symbol) = open.pop() {
            if provided(symbol) || UNSPECIFIED.contains(&symbol) {
                continue;
            }
            let Some(module) = self.definitions.get(symbol) else { continue };
            if modules.insert(module) {
                open.extend(self.needs.get(module).into_iter().flatten().map(String::as_str));
            }
        }
        let file = |module: &String| self.directory.join("bitcode").join(format!("{module}.bc"));
        modules.into_iter().map(file).collect()
    }
}
