#!/usr/bin/env bash
# Runs the fuzz targets of tests/fuzz: each for the SECONDS given, or only the TARGETS named.
# usage: fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: fuzz.sh SECONDS [TARGET...]}
shift
cargo fuzz --version >/dev/null 2>&1 || cargo install --locked cargo-fuzz
# Coverage is measured by flags that the stable compiler has, but does not offer.
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$PWD/target/fuzz
# The text of modules is a product of a compiler, which the repository does not keep.
modules=target/fuzz/corpus/module
mkdir -p "$modules"
clang=${PSYCHIC_CLANG:-clang-19}
"$clang" --version >/dev/null
for source in tests/fuzz/src/original.c tests/cases/symbolic/*.c; do
    name=$modules/$(basename "$source" .c)
    for level in 0 1 2; do
        "$clang" -I src/compile/runtime -w "-O$level" -S -emit-llvm "$source" -o "$name.$level.ll"
    done
done
mapfile -t all < <(sed -n 's/^name = "\([a-z]*\)"$/\1/p' tests/fuzz/Cargo.toml)
[ $# -gt 0 ] || set -- "${all[@]}"
for target in "$@"; do
    mkdir -p "target/fuzz/corpus/$target" "tests/fuzz/seeds/$target"
    cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none "$target" "target/fuzz/corpus/$target" \
        "tests/fuzz/seeds/$target" -- -max_total_time="$seconds" -rss_limit_mb=4096 -timeout=20 \
        -artifact_prefix="target/fuzz/$target-" -print_final_stats=1
done
