#!/bin/sh
# Test 3 of foo: x = -1
#
# 0 5 6 11 12: SIGABRT
# 1 2 7 9 10: return = 1
# 3 4 8: return = 0
#
# Usage: 0003.sh SOURCE.c [COMPILER ARGUMENTS]
# Compiles a source with $CC or cc, and calls the function.
# The subject's flags are in force, as in its directory: -fwrapv

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
shift
ln -s "$file" "$work/source.c"
cat >"$work/psychic.h" <<'PSYCHIC'
/* The input of a test, and what its harness calls. */
#ifndef PSYCHIC_H
#define PSYCHIC_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Several sources may include this. */
#define PSYCHIC_FUNCTION __attribute__((weak))

static const struct {
  const char *name;
  size_t size;
  const char *bytes;
} psychic_inputs[] = {
  {"x", 4, "\377\377\377\377"},
  {0, 0, 0}
};

PSYCHIC_FUNCTION void psychic_symbolic(void *address, size_t size, const char *name) {
  int i;
  for (i = 0; psychic_inputs[i].name; i++)
    if (strcmp(psychic_inputs[i].name, name) == 0 && psychic_inputs[i].size <= size)
      memcpy(address, psychic_inputs[i].bytes, psychic_inputs[i].size);
}

PSYCHIC_FUNCTION void psychic_assume(int condition) { (void)condition; }

PSYCHIC_FUNCTION void psychic_unknown(const char *why) { (void)why; }

PSYCHIC_FUNCTION int psychic_rev(void) { return 0; }

PSYCHIC_FUNCTION long psychic_offset(const void *pointer, const void *base, size_t size) {
  uintptr_t distance = (uintptr_t)pointer - (uintptr_t)base;
  return distance <= size ? (long)distance : -1;
}

/* What the next output consists of: 'i' are integers, 't' is text, 'f' are floating-point numbers;
 * and the size of each. The kind is 0 if it is not known. Integers are shown with a sign. */
PSYCHIC_FUNCTION char psychic_kind;
PSYCHIC_FUNCTION size_t psychic_each;

PSYCHIC_FUNCTION void psychic_number(const unsigned char *bytes, size_t size, char kind) {
  uint64_t number = 0;
  long double real = 0;
  float single;
  double twofold;
  size_t i;
  if (kind == 'f') {
    if (size == sizeof single)
      memcpy(&single, bytes, size), real = single;
    else if (size == sizeof twofold)
      memcpy(&twofold, bytes, size), real = twofold;
    else
      memcpy(&real, bytes, size < sizeof real ? size : sizeof real);
    if (real != real)
      printf("nan");
    else
      printf("%.*Lg", size == 4 ? 9 : size == 8 ? 17 : 21, real);
    return;
  }
  for (i = 0; i < size && i < 8; i++)
    number |= (uint64_t)bytes[i] << (8 * i);
  if (size < 8 && bytes[size - 1] >= 0x80)
    number |= ~(uint64_t)0 << (8 * size);
  printf("%lld", (long long)number);
}

PSYCHIC_FUNCTION void psychic_output(const char *name, const void *data, size_t size) {
  const unsigned char *bytes = data;
  const char *begin = "{";
  char kind = psychic_kind;
  size_t each = psychic_each, i;
  psychic_kind = 0;
  printf("%s = ", name);
  if (kind == 0 && strncmp(name, "return in ", 10) == 0)
    kind = 'i', each = size;
  if (kind == 't' && size == 1)
    kind = 'i';
  if (kind == 0 && (size == 1 || size == 2 || size == 4 || size == 8)) {
    for (i = 0; i < size && bytes[i] >= ' ' && bytes[i] <= '~'; i++)
      ;
    if (size < 4 || i + 1 != size || bytes[i])
      kind = 'i', each = size;
  }
  if (kind != 0 && kind != 't') {
    if (size <= each) {
      psychic_number(bytes, size, kind);
    } else {
      for (i = 0; i + each <= size; i += each, begin = ", ") {
        printf("%s", begin);
        psychic_number(bytes + i, each, kind);
      }
      putchar('}');
    }
    putchar('\n');
    return;
  }
  while (size && !bytes[size - 1])
    size--;
  putchar('"');
  for (i = 0; i < size; i++)
    if (bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '"' && bytes[i] != '\\')
      putchar(bytes[i]);
    else
      printf("\\x%02x", bytes[i]);
  printf("\"\n");
}

#endif
PSYCHIC
cat >"$work/test.c" <<'PSYCHIC'
/* Runs foo on symbolic arguments. */
#define main psychic_subject_main
#include "source.c"
#undef main
#include "psychic.h"

union psychic_buffers { char none; };
#define PSYCHIC_APART __attribute__((aligned(\
  sizeof(union psychic_buffers) < 1 << 16 ? 1 << 16 : 1 << 20)))
#define PSYCHIC_GUARD(name) __attribute__((aligned(1 << 16))) \
  char psychic_ ## name[2]; psychic_ ## name[1] = 0
#define PSYCHIC_SIZE(type) _Generic((type *)0, \
  _Bool *: 1, char *: 1, signed char *: 1, unsigned char *: 1, short *: 2, \
  unsigned short *: 2, int *: 4, unsigned *: 4, long *: 8, unsigned long *: 8, \
  long long *: 8, unsigned long long *: 8, float *: 4, double *: 8, long double *: 10, \
  default: 0)
#define PSYCHIC_SHOW(type) (psychic_each = sizeof(type), \
  psychic_kind = _Generic((type *)0, \
  char *: 't', signed char *: 't', unsigned char *: 't', _Bool *: 'i', \
  short *: 'i', unsigned short *: 'i', int *: 'i', unsigned *: 'i', \
  long *: 'i', unsigned long *: 'i', long long *: 'i', \
  unsigned long long *: 'i', float *: 'f', double *: 'f', \
  long double *: 'f', default: 0), psychic_output)

int main(void)
{
  PSYCHIC_GUARD(first);
  PSYCHIC_APART int argument_x;
  psychic_symbolic(&argument_x, sizeof argument_x, "x");
  PSYCHIC_GUARD(last);
  int result = foo(argument_x);
  PSYCHIC_SHOW(int)("return", &result, sizeof result);
  return 0;
}
PSYCHIC
${CC:-cc} -w -fwrapv -I"$work" -iquote "${file%/*}" -o "$work/test" "$work/test.c" "$@" -lm || exit 125
printf '' >"$work/stdin" || exit 125
cd "$work/start" && "$work/test" <"$work/stdin"
