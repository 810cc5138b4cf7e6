#!/usr/bin/env bash
# Fills PSYCHIC_SOURCE with coreutils and busybox, as Debian's source packages have them, and with the makefile that
# is given.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
for package in coreutils=9.1 busybox=1.35.0; do
    name=${package%=*} version=${package#*=}
    "$top/scripts/source.sh" "$name" "$version" "$cache/programs/source/$name-$version"
    cp -a "$cache/programs/source/$name-$version" "$PSYCHIC_SOURCE/$name"
done
cp "$1" "$PSYCHIC_SOURCE/Makefile"
