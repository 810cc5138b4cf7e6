//! Links the static Bitwuzla that `scripts/bitwuzla.sh` leaves in the cache.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=PSYCHIC_CACHE");
    let cache = env::var_os("PSYCHIC_CACHE").map_or_else(
        || PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo")).join(".cache"),
        PathBuf::from,
    );
    let lib = cache.join("bitwuzla/lib");
    println!("cargo:rerun-if-changed={}", lib.display());
    if !lib.join("libbitwuzla.a").exists() {
        println!(
            "cargo:warning=no {}: run `make setup` first (it builds Bitwuzla)",
            lib.join("libbitwuzla.a").display()
        );
    }
    println!("cargo:rustc-link-search=native={}", lib.display());
    for library in ["bitwuzla", "bitwuzlabb", "bitwuzlals", "bitwuzlabv", "cadical"] {
        println!("cargo:rustc-link-lib=static={library}");
    }
    println!("cargo:rustc-link-lib=gmp");
    println!("cargo:rustc-link-lib=stdc++");
}
