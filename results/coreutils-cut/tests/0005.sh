#!/bin/sh
# Test 5 of coreutils-cut: arguments "-b" "1 2" "--output-delimiter" ":", "\n\n\u{0}\u{0}"
#
# 0–4 6–8 10–12 14: "\n\n\u{0}:\u{0}"
# 5 9: "\n\n\n"
# 13: "\n\n\u{0}"
#
# Usage: 0005.sh PROGRAM
# Runs a program in an empty directory.

if [ $# -lt 1 ]; then
  sed -n '/^$/q; 2,$s/^# \{0,1\}//p' "$0" >&2
  exit 125
fi
place() { CDPATH= cd -- "$1" && pwd; }
file=$(place "$(dirname -- "$1")")/$(basename -- "$1")
[ -f "$file" ] || { echo "$0: $1: no such file" >&2; exit 125; }
work=$(mktemp -d) && work=$(place "$work") || exit 125
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM
mkdir "$work/start" || exit 125
mkdir "$work/bin"
ln -s "$file" "$work/bin/"program
cd "$work/start" || exit 125
printf '\n\n\000\000' >"$work/stdin" || exit 125
set -- -b '1 2' --output-delimiter :
env -i sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec "$@"' sh "$work/bin" program "$@" <"$work/stdin"
