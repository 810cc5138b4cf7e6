#!/usr/bin/env bash
# Installs and builds what this machine lacks to build Psychic, and nothing else: Debian packages, a
# static Bitwuzla, and musl as bitcode. A second run changes nothing.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
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

if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
    missing=()
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null || true)
    # pkgconf also provides pkg-config, so the tool may exist without the package of that name.
    for package in "${packages[@]}"; do
        if ! grep -qx "$package installed" <<<"$installed" &&
            ! { [ "$package" = pkg-config ] && command -v pkg-config >/dev/null; }; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -gt 0 ]; then
        if [ "$(id -u)" = 0 ]; then
            root=(env)
        elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
            root=(sudo -n env)
        else
            ask "packages are missing, and installing them needs root" "${missing[*]}"
        fi
        echo "installing ${missing[*]}"
        apt() {
            "${root[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
                -o Dpkg::Options::=--force-confold --no-install-recommends "$@" </dev/null
        }
        # This may fail because of an unrelated archive that does not answer.
        apt update || true
        apt install "${missing[@]}" >/dev/null || ask "apt-get failed" "${missing[*]}"
    fi
else
    missing=()
    for tool in clang-19 ld.lld-19 llvm-link-19 meson ninja pkg-config patch python3; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    [ ${#missing[@]} = 0 ] || ask "this is not Debian, and ${missing[*]} cannot be found" "${packages[*]}"
fi

"$top/scripts/bitwuzla.sh"
"$top/scripts/musl.sh"
