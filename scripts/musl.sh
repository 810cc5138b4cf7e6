#!/usr/bin/env bash
# Compiles the pure C functions of musl 1.2.3 to bitcode for the engine. There is one module per
# source file, so that a program links only what it calls:
#   CACHE/musl/include          the headers that programs are compiled against
#   CACHE/musl/bitcode/FOLDER/NAME.bc  from src/FOLDER/NAME.c
#   CACHE/musl/symbols.csv      module,symbol,kind (defined, weak or undefined)
# Functions that allocate, talk to the system or keep a stream are modelled by the engine, and left
# out here. Does nothing if everything is built already.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/scripts/logged.sh"
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
musl=$cache/musl
version=1.2.3
stamp=$(cat "$0" "$top/scripts/musl_modules.py" $(find "$top/scripts/musl" -type f | sort) | cksum)
if [ "$(cat "$musl/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
"$top/scripts/source.sh" musl "$version" "$musl/source"
if [ "$(cat "$musl/source/VERSION")" != "$version" ]; then
    echo "$musl/source is not musl $version: remove it and try again" >&2
    exit 2
fi
echo "compiling musl $version to bitcode (seconds, once)"
work=$musl/build
# The table goes first and is written last: what is half built is no libc.
rm -rf "$musl/symbols.csv" "$work" "$musl/include" "$musl/bitcode" "$musl/stamp"
mkdir -p "$work" "$musl/bitcode"
headers() {
    cd "$work"
    CC=clang-19 ../source/configure --target=x86_64 --disable-shared --prefix="$musl" \
        --includedir="$musl/include"
    make obj/include/bits/alltypes.h obj/include/bits/syscall.h
    make install-headers
}
logged "$musl/log" "musl could not be configured" headers
logged "$musl/modules.log" "musl could not be compiled" \
    python3 "$top/scripts/musl_modules.py" "$musl" "$(getconf _NPROCESSORS_ONLN)"
rm -rf "$work"
echo "$stamp" >"$musl/stamp"
