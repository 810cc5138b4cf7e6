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
  /* THE INPUT */
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
