/* The engine models what allocates and what writes text; this puts both together. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int vasprintf(char **to, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  if (length < 0 || !(*to = malloc((size_t)length + 1)))
    return -1;
  return vsnprintf(*to, (size_t)length + 1, format, arguments);
}

int asprintf(char **to, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(to, format, arguments);
  va_end(arguments);
  return length;
}
