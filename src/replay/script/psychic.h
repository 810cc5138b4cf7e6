/* The input of a test, and what its harness calls. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
  const char *name;
  size_t size;
  const char *bytes;
} psychic_inputs[] = {
  /* THE INPUT */
  {0, 0, 0}
};

static void psychic_symbolic(void *address, size_t size, const char *name) {
  int i;
  for (i = 0; psychic_inputs[i].name; i++)
    if (strcmp(psychic_inputs[i].name, name) == 0 && psychic_inputs[i].size <= size)
      memcpy(address, psychic_inputs[i].bytes, psychic_inputs[i].size);
}

static void psychic_assume(int condition) { (void)condition; }

static void psychic_unknown(const char *why) { (void)why; }

static long psychic_offset(const void *pointer, const void *base, size_t size) {
  uintptr_t distance = (uintptr_t)pointer - (uintptr_t)base;
  return distance <= size ? (long)distance : -1;
}

/* Bytes of the size of an integer as a number, others as a text. */
static void psychic_output(const char *name, const void *data, size_t size) {
  const unsigned char *bytes = data;
  uint64_t number = 0;
  size_t i;
  printf("%s = ", name);
  if (size == 1 || size == 2 || size == 4 || size == 8) {
    for (i = 0; i < size; i++)
      number |= (uint64_t)bytes[i] << (8 * i);
    if (size < 8 && bytes[size - 1] >= 0x80)
      number |= ~(uint64_t)0 << (8 * size);
    printf("%lld\n", (long long)number);
    return;
  }
  putchar('"');
  for (i = 0; i < size; i++)
    if (bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '"' && bytes[i] != '\\')
      putchar(bytes[i]);
    else
      printf("\\%03o", bytes[i]);
  printf("\"\n");
}

#define PSYCHIC_NUMBERS(name_of, type, each, format)                                               \
  static void name_of(const char *name, const void *data, size_t size) {                           \
    size_t i;                                                                                      \
    printf("%s =", name);                                                                          \
    for (i = 0; i < size; i += (each)) {                                                           \
      type number = 0;                                                                             \
      memcpy(&number, (const char *)data + i, size - i < (each) ? size - i : (each));              \
      if (number != number)                                                                        \
        printf(" nan");                                                                            \
      else                                                                                         \
        printf(" " format, number);                                                                \
    }                                                                                              \
    printf("\n");                                                                                  \
  }

PSYCHIC_NUMBERS(psychic_output_float, float, 4, "%.9g")
PSYCHIC_NUMBERS(psychic_output_double, double, 8, "%.17g")
PSYCHIC_NUMBERS(psychic_output_long_double, long double, 16, "%.21Lg")
