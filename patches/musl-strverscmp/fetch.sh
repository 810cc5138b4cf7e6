#!/usr/bin/env bash
# Fills PSYCHIC_SOURCE with the one file of musl 1.2.3 that the patches change.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
"$top/scripts/source.sh" musl 1.2.3 "$cache/musl/source"
for file in COPYRIGHT src/string/strverscmp.c; do
    mkdir -p "$(dirname "$PSYCHIC_SOURCE/$file")"
    cp "$cache/musl/source/$file" "$PSYCHIC_SOURCE/$file"
done
