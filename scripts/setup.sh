#!/usr/bin/env bash
# Installs the Debian packages that this machine lacks, and compiles musl to bitcode. A second run
# changes nothing.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/scripts/packages.sh"
packages=(
    # compilers, and LLVM as a library
    clang-19 lld-19 llvm-19-dev libpolly-19-dev libclang-rt-19-dev libzstd-dev zlib1g-dev
    # Bitwuzla
    libcadical-dev libsymfpu-dev libgmp-dev meson ninja-build pkg-config
    # scripts, and sources of Debian packages
    patch dpkg-dev python3 python3-pytest
    # random programs for the tests
    csmith libcsmith-dev
)

# Says which packages a person has to install, and exits.
ask() {
    echo "$1; please install these packages (named as in Debian 12), then run make setup again:" >&2
    echo "  ${2}" >&2
    exit 2
}

if ! command -v cargo >/dev/null; then
    echo "cargo is missing: install Rust 1.95 or later, for instance from https://rustup.rs" >&2
    exit 2
fi

if is_debian; then
    mapfile -t missing < <(missing "${packages[@]}")
    if [ ${#missing[@]} -gt 0 ]; then
        why=$(install "${missing[@]}") || ask "$why" "${missing[*]}"
    fi
else
    missing=()
    for tool in clang-19 ld.lld-19 llvm-link-19 meson ninja pkg-config patch python3; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    [ ${#missing[@]} = 0 ] || ask "this is not Debian, and ${missing[*]} cannot be found" "${packages[*]}"
fi

"$top/scripts/musl.sh"
