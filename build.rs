//! Links the static Bitwuzla that `scripts/bitwuzla.sh` leaves in the cache, and says by
//! `PSYCHIC_SOURCES` what this build is made from.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
};

fn main() {
    if env::var_os("CARGO_FEATURE_ENGINE").is_some() {
        link_bitwuzla();
    }
    let mut hasher = DefaultHasher::new();
    for sources in ["src", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={sources}");
        hash(Path::new(sources), &mut hasher);
    }
    println!("cargo:rustc-env=PSYCHIC_SOURCES={:016x}", hasher.finish());
}

fn link_bitwuzla() {
    println!("cargo:rerun-if-env-changed=PSYCHIC_CACHE");
    let cache = env::var_os("PSYCHIC_CACHE").map_or_else(
        || PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join(".cache"),
        PathBuf::from,
    );
    let lib = cache.join("bitwuzla/lib");
    // Where `make release` builds it at the same time.
    let is_coming = cache.join("bitwuzla.build").exists();
    if !is_coming && !lib.join("libbitwuzla.a").exists() {
        println!("cargo:rerun-if-changed={}", lib.display());
        println!(
            "cargo:warning=no {}: run `make setup` first (it builds Bitwuzla)",
            lib.join("libbitwuzla.a").display()
        );
    }
    println!("cargo:rustc-link-search=native={}", lib.display());
    for library in ["bitwuzla", "bitwuzlabb", "bitwuzlals", "bitwuzlabv", "cadical"] {
        // Left to whoever links a program, so that the library can be compiled without it.
        println!("cargo:rustc-link-lib=static:-bundle={library}");
    }
    println!("cargo:rustc-link-lib=gmp");
    println!("cargo:rustc-link-lib=stdc++");
}

/// A file, or all of a directory.
fn hash(path: &Path, hasher: &mut DefaultHasher) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a readable directory");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.sort();
        paths.iter().for_each(|path| hash(path, hasher));
    } else {
        path.hash(hasher);
        fs::read(path).expect("a readable file").hash(hasher);
    }
}
