/* Which elements qsort and bsearch compare, in which order and where, is visible. */
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base;
static size_t width;
static unsigned calls, trace;
/* What is looked for is the first argument, and no element. */
static const void *wanted_key;

static void count(const void *a, const void *b) {
  calls++;
  if (a != wanted_key) trace = trace * 31 + (unsigned)((const char *)a - base) * 7;
  trace = trace * 31 + (unsigned)((const char *)b - base);
}

static int keys(const void *a, const void *b) {
  count(a, b);
  return *(const unsigned char *)a % 8 - *(const unsigned char *)b % 8;
}
/* No order at all: the answer depends on the question before. */
static int odd(const void *a, const void *b) {
  count(a, b);
  return (int)(calls * 7 % 3) - 1;
}
static int greater(const void *a, const void *b) {
  count(a, b);
  return *(const unsigned char *)a > *(const unsigned char *)b;
}
static int with_context(const void *a, const void *b, void *context) {
  ++*(int *)context;
  return keys(b, a);
}
static int equal(const void *a, const void *b) {
  count(a, b);
  return memcmp(a, b, width);
}

static void show(const char *what, const unsigned char *bytes, size_t size) {
  unsigned hash = 0;
  for (size_t i = 0; i < size; i++)
    hash = hash * 33 + bytes[i];
  printf("%s: %u calls, trace %u, hash %u\n", what, calls, trace, hash);
  calls = trace = 0;
}

static void fill(unsigned char *bytes, size_t size, unsigned seed) {
  for (size_t i = 0; i < size; i++)
    bytes[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
}

int main(void) {
  unsigned char *bytes = calloc(4096, 1);
  const size_t widths[] = {1, 2, 3, 4, 7, 8, 16, 24, 32, 33, 40, 100};
  base = (const char *)bytes;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    for (size_t n = 0; n < 18; n += 1 + n / 6) {
      width = widths[i];
      size_t size = n * width;
      fill(bytes, size, (unsigned)(n + i)); qsort(bytes, n, width, keys); show("keys", bytes, size);
      fill(bytes, size, (unsigned)(n + i)); qsort(bytes, n, width, odd); show("odd", bytes, size);
      fill(bytes, size, (unsigned)(n + i)); qsort(bytes, n, width, greater); show("greater", bytes, size);
      int context = 0;
      qsort_r(bytes, n, width, with_context, &context); show("with context", bytes, size);
      printf("%d\n", context);
      if (n)
        for (int key = 0; key < 8; key++) {
          unsigned char wanted[100] = {(unsigned char)key};
          fill(bytes, size, 3); qsort(bytes, n, width, keys); calls = trace = 0;
          wanted_key = wanted;
          unsigned char *found = bsearch(wanted, bytes, n, width, keys);
          printf("%d ", found ? (int)(found - bytes) : -1);
          show("found", bytes, found ? found - bytes : 0);
        }
      size_t count = n;
      unsigned char wanted[100] = {77};
      wanted_key = wanted;
      unsigned char *found = lfind(wanted, bytes, &count, width, equal);
      printf("%d ", found ? (int)(found - bytes) : -1); show("lfind", bytes, size);
      found = lsearch(wanted, bytes, &count, width, equal);
      printf("%d %d ", (int)(found - bytes), (int)count); show("lsearch", bytes, size + width);
    }
  fill(bytes, 4000, 5); qsort(bytes, 1000, 4, keys); show("many", bytes, 4000);
  qsort(bytes, 5, 0, keys); show("nothing", bytes, 0);
  return 0;
}
