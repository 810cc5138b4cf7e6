#!/usr/bin/env bash
# Builds a static Bitwuzla from the sources in the crate bitwuzla-sys into CACHE/bitwuzla
# (CACHE is .cache by default). Does nothing if that is done already.
# Needs meson, ninja, and Debian's libcadical-dev, libsymfpu-dev and libgmp-dev.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/scripts/logged.sh"
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
crate=$(cd "$top" && cargo metadata --format-version 1 --locked |
    python3 -c 'import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "bitwuzla-sys":
        print(os.path.dirname(package["manifest_path"]))')
stamp=$(basename "$crate")
# One at a time; the lock goes with this process.
mkdir -p "$cache"
exec {lock}>"$cache/bitwuzla.lock"
flock "$lock"
if [ "$(cat "$cache/bitwuzla/stamp" 2>/dev/null)" = "$stamp" ]; then
    exit 0
fi
echo "building Bitwuzla ($stamp; about a minute, once)"
work=$cache/bitwuzla.build
trap 'rm -rf "$work"' EXIT
rm -rf "$work" "$cache/bitwuzla"
mkdir -p "$work/pkgconfig" "$cache/bitwuzla/lib"
cp -a "$crate/bitwuzla" "$work/source"
# Debian has no symfpu.pc, and its GMP 6.2.1 is sufficient although meson asks for 6.3.
printf 'Name: symfpu\nDescription: SymFPU\nVersion: 1.0\nCflags: -I/usr/include\n' \
    >"$work/pkgconfig/symfpu.pc"
printf 'Name: gmp\nDescription: GMP\nVersion: 6.3.0\nLibs: -lgmp\n' >"$work/pkgconfig/gmp.pc"
printf 'Name: gmpxx\nDescription: GMP C++\nVersion: 6.3.0\nLibs: -lgmpxx -lgmp\n' \
    >"$work/pkgconfig/gmpxx.pc"
# A dozen files are compiled as one, which halves the time: most of it goes into headers. Then some
# headers are included twice.
build() {
    cd "$work/source"
    export PKG_CONFIG_PATH=$work/pkgconfig
    find src -name '*.h' -print0 | xargs -0 grep -LZE '^#(ifndef .*INCLUDED|pragma once)' |
        xargs -0 -r sed -i '1i #pragma once'
    meson setup build --buildtype release -Ddefault_library=static --wrap-mode=nofallback \
        --unity on --unity-size 12
    ninja -C build src/libbitwuzla.a src/lib/libbitwuzla{bb,bv,ls}.a
}
logged "$cache/bitwuzla.log" "Bitwuzla could not be built" build
find "$work/source/build" -name 'libbitwuzla*.a' -exec cp {} "$cache/bitwuzla/lib/" \;
cadical=$(find /usr/lib /usr/local/lib -name libcadical.a 2>/dev/null | head -n 1)
cp "$cadical" "$cache/bitwuzla/lib/"
echo "$stamp" >"$cache/bitwuzla/stamp"
