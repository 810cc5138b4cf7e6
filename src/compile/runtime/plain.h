/* What this runtime needs of <string.h>. A program may have functions of these names that do
 * something else, and compilers must not call those for the loops here.
 */
#ifndef PSYCHIC_PLAIN_H
#define PSYCHIC_PLAIN_H

#include <stddef.h>

#define PLAIN __attribute__((no_builtin, unused)) static

/* Eight bytes, wherever they are. */
typedef unsigned long long __attribute__((aligned(1), may_alias)) eight_bytes;

PLAIN void copy_bytes(void *to, const void *from, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8)
    *(eight_bytes *)((char *)to + i) = *(const eight_bytes *)((const char *)from + i);
  for (; i < size; i++)
    ((char *)to)[i] = ((const char *)from)[i];
}

PLAIN void clear_bytes(void *to, size_t size) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8)
    *(eight_bytes *)((char *)to + i) = 0;
  for (; i < size; i++)
    ((char *)to)[i] = 0;
}

PLAIN int same_bytes(const void *a, const void *b, size_t size) {
  size_t i;
  for (i = 0; i < size; i++)
    if (((const char *)a)[i] != ((const char *)b)[i])
      return 0;
  return 1;
}

PLAIN size_t length_of(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

PLAIN int same_text(const char *a, const char *b) {
  for (; *a && *a == *b; a++, b++)
    ;
  return *a == *b;
}

/* Whether TEXT begins with PREFIX. */
PLAIN int begins_with(const char *text, const char *prefix) {
  for (; *prefix; text++, prefix++)
    if (*text != *prefix)
      return 0;
  return 1;
}

#endif
