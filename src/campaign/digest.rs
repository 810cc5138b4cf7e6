//! Tells whether a subject has changed.

use std::{fs, path::Path};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::names::real;
use crate::subject::{CONFIG_FILE, config::SubjectConfig};

/// A digest of what the comparison reads: the configuration, and the names, sizes and times of
/// files. These are all files beside the configuration, all in the directory that it builds, and
/// files elsewhere that it names. Such files are patches in `../patches/*.diff`, say, or the script
/// in `setup = "sh ../fetch.sh"`. Commits and versions of packages are part of the configuration.
/// What such a source contains is not looked at: once fetched, it stays.
pub(super) fn digest(subject: &Path) -> String {
    let mut hash = Sha256::new();
    let text = fs::read_to_string(subject.join(CONFIG_FILE)).unwrap_or_default();
    hash.update(&text);
    let config: Option<SubjectConfig> = toml::from_str(&text).ok();
    let built = config.and_then(|config| config.build.directory);
    let places = built.map(|directory| subject.join(directory));
    for place in std::iter::once(subject.to_owned()).chain(places) {
        let entries = WalkDir::new(&place).follow_links(true).sort_by_file_name();
        for entry in entries.into_iter().flatten() {
            let name = entry.path().strip_prefix(&place).unwrap_or(entry.path());
            add(&mut hash, name, entry.path());
        }
    }
    let mut words = Vec::new();
    if let Ok(table) = toml::from_str::<toml::Table>(&text) {
        table.values().for_each(|value| collect(value, &mut words));
    }
    let home = real(subject);
    for word in &words {
        // Files below the subject's directory have been added already.
        let escaped = glob::Pattern::escape(&subject.display().to_string());
        let pattern = Path::new(&escaped).join(word);
        let Ok(paths) = glob::glob(&pattern.display().to_string()) else { continue };
        let files = paths.flatten().filter(|path| path.is_file());
        for file in files.filter(|path| !real(path).starts_with(&home)) {
            add(&mut hash, Path::new(word), &file);
        }
    }
    format!("{:x}", hash.finalize())
}

fn add(hash: &mut Sha256, name: &Path, file: &Path) {
    let Ok(metadata) = fs::metadata(file) else { return };
    let time = metadata.modified().ok().filter(|_| metadata.is_file());
    let size = if time.is_some() { metadata.len() } else { 0 };
    hash.update(name.as_os_str().as_encoded_bytes());
    hash.update(format!("\0{size} {time:?}\n"));
}

/// The words of all texts that may name a file elsewhere.
fn collect(value: &toml::Value, words: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => {
            let outside = |word: &&str| word.contains("../") || word.starts_with('/');
            words.extend(text.split_whitespace().filter(outside).map(str::to_owned));
        }
        toml::Value::Array(values) => values.iter().for_each(|value| collect(value, words)),
        toml::Value::Table(table) => table.values().for_each(|value| collect(value, words)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_elsewhere_and_versions_count() {
        let scratch = tempfile::tempdir().unwrap();
        let subject = scratch.path().join("bug");
        let write = |name: &str, text: &str| {
            let file = scratch.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let config = |version: &str| {
            let text = format!(
                "name = \"bug\"\npatches = [\"../fixes/*.diff\"]\n[build]\n\
                 setup = \"sh ../fetch.sh {version}\"\n"
            );
            write("bug/subject.toml", &text);
            digest(&subject)
        };
        let mut seen = vec![config("1")];
        let mut is_new = |digest: String| {
            let is_new = !seen.contains(&digest);
            seen.push(digest);
            is_new
        };
        assert!(!is_new(digest(&subject)));
        write("fixes/1.diff", "1");
        assert!(is_new(digest(&subject)));
        write("fixes/2.diff", "2");
        assert!(is_new(digest(&subject)));
        write("fetch.sh", "curl");
        assert!(is_new(digest(&subject)));
        write("fetch.sh", "fetch x");
        assert!(is_new(digest(&subject)));
        write("bug/a.c", "int x;");
        assert!(is_new(digest(&subject)));
        assert!(is_new(config("2")));
        write("other.sh", "nothing of it");
        assert!(!is_new(digest(&subject)));
    }
}
