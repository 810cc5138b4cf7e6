/* See strtok_r.c. */
#include <string.h>

char *strtok_r(char *restrict, const char *restrict, char **restrict);

char *strtok(char *restrict text, const char *restrict separators) {
  static char *rest;
  return strtok_r(text, separators, &rest);
}
