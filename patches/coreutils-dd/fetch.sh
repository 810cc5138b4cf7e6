#!/usr/bin/env bash
# Fills PSYCHIC_SOURCE with dd of coreutils 9.1 that has the old bug, and with the headers that it
# needs, some of which configure makes: fetch.sh BUG SURROUNDINGS
set -euo pipefail
bug=$PWD/$1 surroundings=$PWD/$2
top=$(cd "$(dirname "$0")/../.." && pwd)
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
tree=$cache/programs/source/coreutils-9.1
"$top/scripts/source.sh" coreutils 9.1 "$tree"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -a "$tree/." "$work"
cd "$work"
patch -p1 <"$bug"
FORCE_UNSAFE_CONFIGURE=1 ./configure --disable-nls --disable-threads CC=clang-19
printf 'include Makefile\nheaders: $(BUILT_SOURCES)\n' | make -f - headers
mkdir "$PSYCHIC_SOURCE/src"
cp -a COPYING lib "$PSYCHIC_SOURCE"
cp -a src/*.h src/dd.c "$PSYCHIC_SOURCE/src"
find "$PSYCHIC_SOURCE/lib" -type f ! -name '*.h' ! -name 'xstrto*.c' -delete
cp "$surroundings" "$PSYCHIC_SOURCE"
