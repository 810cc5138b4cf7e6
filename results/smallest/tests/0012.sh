#!/bin/sh
# Test 12 of smallest: "1\n1\n1\n2\n"
#
# 0 8–11 13 14 18 20: "Please enter 4 numbers separated by spaces > 0 is the smallest"
# 1–6 12 22: "Please enter 4 numbers separated by spaces > 1 is the smallest"
# 7 15–17: "Please enter 4 numbers separated by spaces > 2 is the smallest"
# 19: timeout · "Please enter 4 numbers separated by spaces > "
# 21: "Please enter 4 numbers separated by spaces > 2147483647 is the smallest"
#
# Usage: 0012.sh PROGRAM
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
printf '1\n1\n1\n2\n' >"$work/stdin" || exit 125
set --
env -i sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec "$@"' sh "$work/bin" program "$@" <"$work/stdin"
