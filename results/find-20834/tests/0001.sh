#!/bin/sh
# Test 1 of find-20834: PATH-env-count = 0, arguments "-name" "*.o" "-execdir" "rm" "{}" "" "-o" "-print"
#
# 0 12–14: SIGSEGV
# 1–4 6 9 10: exit 1 · stderr "program: missing argument to `-execdir'"
# 5 11: exit 1 · stderr "program: The current directory is included in the PATH environment variable, which is insecure in combination with the -execdir action of find.  Please remove the current directory from your $PATH (that is, remove ".", doubled colons, or leading or trailing colons)"
# 7: exit 1 · stderr "program: The PATH environment variable is not set, which is insecure in combination with the -execdir action of find."
# 8: exit 1 · stderr "program: warning: the PATH environment variable is not set\nprogram: missing argument to `-execdir'"
#
# Usage: 0001.sh PROGRAM DIRECTORY
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
env -i sh -c 'unset PWD OLDPWD SHLVL _; PATH=$1; shift; exec "$@"' sh "$work/bin" program "$@" <"$work/stdin"
