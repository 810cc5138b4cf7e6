#!/bin/sh
# Test 2 of smallest: "10\n10\n-10\n-5\n"
#
# 0–11 13 15 18–22: "Please enter 4 numbers separated by spaces > -10 is the smallest"
# 12 14: "Please enter 4 numbers separated by spaces > 10 is the smallest"
# 16 17: "Please enter 4 numbers separated by spaces > -5 is the smallest"
#
# Usage: 0002.sh PROGRAM
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
printf '10\n10\n-10\n-5\n' >"$work/stdin" || exit 125
set --
env -i sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec "$@"' sh "$work/bin" program "$@" <"$work/stdin"
