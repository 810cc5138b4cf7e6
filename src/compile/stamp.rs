//! Remembers what a product was built from, so that the build is skipped when nothing changed.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What a product was made from. It is stored beside the product as `PRODUCT.stamp`.
#[derive(Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct Stamp {
    /// Hash of everything except the files that were read: compiler, flags, names.
    key: String,
    /// Every file read (sources and the headers they include) and its hash.
    files: BTreeMap<PathBuf, String>,
}

impl Stamp {
    pub(super) fn new(key: String, files: impl IntoIterator<Item = PathBuf>) -> io::Result<Self> {
        let files = files
            .into_iter()
            .map(|file| fs::read(&file).map(|bytes| (file, hash([&bytes]))))
            .collect::<io::Result<_>>()?;
        Ok(Self { key, files })
    }

    /// Whether `product` exists and was made with `key` from files that have not changed.
    pub(super) fn is_fresh(product: &Path, key: &str) -> bool {
        let stamp = || -> Option<Self> {
            serde_json::from_slice(&fs::read(Self::beside(product)).ok()?).ok()
        };
        product.exists()
            && stamp().is_some_and(|stamp| {
                stamp.key == key
                    && stamp
                        .files
                        .iter()
                        .all(|(file, old)| fs::read(file).is_ok_and(|bytes| hash([&bytes]) == *old))
            })
    }

    pub(super) fn write(&self, product: &Path) -> io::Result<()> {
        fs::write(Self::beside(product), serde_json::to_vec(self)?)
    }

    /// Removes a stamp before its product is replaced, so that an interrupted build is redone.
    pub(super) fn remove(product: &Path) -> io::Result<()> {
        match fs::remove_file(Self::beside(product)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn beside(product: &Path) -> PathBuf {
        let mut name = product.file_name().unwrap_or_default().to_owned();
        name.push(".stamp");
        product.with_file_name(name)
    }
}

/// SHA-256 over the parts, each with its length, as hexadecimal digits.
pub(super) fn hash<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.as_ref().len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files in a dependency rule as `clang -MMD` writes it.
pub(super) fn dependencies(rule: &str) -> Vec<PathBuf> {
    let joined = rule.replace("\\\n", " ");
    let files = joined.split_once(": ").map_or("", |(_, files)| files);
    let mut found = vec![String::new()];
    let mut escaped = false;
    for c in files.trim_end().chars() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            c if c.is_whitespace() && !escaped => found.push(String::new()),
            '$' if found.last().is_some_and(|file| file.ends_with('$')) => {}
            c => found.last_mut().expect("starts with one").push(c),
        }
        escaped = false;
    }
    found.into_iter().filter(|file| !file.is_empty()).map(PathBuf::from).collect()
}

/// A path without `.` and `..`. Paths of compile commands contain no links.
pub(super) fn normal(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => _ = found.pop(),
            other => found.push(other),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependency_rules_are_read() {
        let rule = "out.o: a.c \\\n  dir/b\\ c.h d$$e.h\n";
        let files = ["a.c", "dir/b c.h", "d$e.h"].map(PathBuf::from);
        assert_eq!(dependencies(rule), files);
    }

    #[test]
    fn a_stamp_notices_a_changed_file_a_changed_key_and_a_lost_product() {
        let directory = tempfile::tempdir().unwrap();
        let (source, product) = (directory.path().join("a.c"), directory.path().join("a.bc"));
        fs::write(&source, "1").unwrap();
        fs::write(&product, "").unwrap();
        Stamp::new("k".into(), [source.clone()]).unwrap().write(&product).unwrap();
        assert!(Stamp::is_fresh(&product, "k"));
        assert!(!Stamp::is_fresh(&product, "other"));
        fs::write(&source, "2").unwrap();
        assert!(!Stamp::is_fresh(&product, "k"));
        fs::write(&source, "1").unwrap();
        fs::remove_file(&product).unwrap();
        assert!(!Stamp::is_fresh(&product, "k"));
    }
}
