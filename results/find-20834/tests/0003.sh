#!/bin/sh
# Test 3 of find-20834: PATH-env-count = 1, PATH-env = ":", arguments "-name" "*.o" "-execdir" "rm" "{}" "" "-o" "-print"
#
# 0–8 10–14: exit 1 · stderr "program: The current directory is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove the current directory from your $PATH (that is, remove ".", doubled colons, or leading or trailing colons)"
# 9: exit 1 · stderr "program: missing argument to `-execdir'"
#
# Usage: 0003.sh PROGRAM DIRECTORY
# Runs a program in a copy of a directory.

if [ $# -lt 2 ]; then
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
cp -R "$2"/. "$work/start" || exit 125
mkdir "$work/bin"
ln -s "$file" "$work/bin/"program
cd "$work/start" || exit 125
printf '' >"$work/stdin" || exit 125
set -- -name '*.o' -execdir rm '{}' '' -o -print
env -i PATH=: "$work/bin/"program "$@" <"$work/stdin"
