#!/usr/bin/env bash
# Puts the source of a Debian package at DIR: scripts/source.sh PACKAGE VERSION DIR
# VERSION is the upstream version that is wanted. Does nothing if DIR is not empty, so
# sources from elsewhere can be put there by hand. Leaves the machine's own apt set-up and
# lists alone: what is needed for source packages is kept in the cache.
set -euo pipefail
if [ $# != 3 ]; then
    echo "usage: scripts/source.sh PACKAGE VERSION DIR" >&2
    exit 2
fi
package=$1 version=$2 target=$3
if [ -n "$(ls -A "$target" 2>/dev/null)" ]; then
    exit 0
fi
top=$(cd "$(dirname "$0")/.." && pwd)
cache=$(realpath -m "${PSYCHIC_CACHE:-$top/.cache}")
for tool in apt-get dpkg-source python3; do
    if ! command -v "$tool" >/dev/null; then
        echo "no $tool here: unpack the source of $package $version at $target by hand" >&2
        exit 2
    fi
done

apt=$cache/apt
mkdir -p "$apt/sources.list.d" "$apt/lists/partial" "$apt/archives/partial" "$(dirname "$target")"
python3 "$top/scripts/deb_src.py" "$apt/sources.list.d"
options=(
    -qq
    -o Dir::Etc::sourcelist=/dev/null
    -o Dir::Etc::sourceparts="$apt/sources.list.d"
    -o Dir::State::lists="$apt/lists"
    -o Dir::Cache="$apt"
    -o Dir::Cache::archives="$apt/archives"
    # The cache may lie where apt's own unprivileged user cannot write.
    -o APT::Sandbox::User="$(id -un)"
)
work=$target.new
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
fetch() {
    (cd "$work" && apt-get "${options[@]}" source --download-only --only-source "$package")
}
if ! fetch 2>"$apt/log"; then
    rm -rf "${work:?}"/*
    apt-get "${options[@]}" update 2>>"$apt/log" || true
    if ! fetch 2>>"$apt/log"; then
        tail -n 5 "$apt/log" >&2
        echo "apt-get could not fetch the source of $package (the log is $apt/log);" \
            "either check the network or unpack $package $version at $target by hand" >&2
        exit 2
    fi
fi
dsc=$(find "$work" -name '*.dsc' | head -n 1)
found=$(sed -n 's/^Version: //p' "$dsc" | tail -n 1)
upstream=${found#*:}
if [ "${upstream%-*}" != "$version" ]; then
    echo "apt offers $package $found, but $version is wanted:" \
        "unpack that one at $target by hand" >&2
    exit 2
fi
dpkg-source --no-check -x "$dsc" "$work/tree" >>"$apt/log" 2>&1
rmdir "$target" 2>/dev/null || true
mv -T "$work/tree" "$target"
