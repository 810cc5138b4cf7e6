/* The order of texts in the C locale is the order of their bytes. */
#include <stddef.h>
#include <string.h>
#include <wchar.h>

int strcoll(const char *a, const char *b) { return strcmp(a, b); }
int wcscoll(const wchar_t *a, const wchar_t *b) { return wcscmp(a, b); }

size_t strxfrm(char *restrict to, const char *restrict from, size_t room) {
  size_t length = strlen(from);
  if (room > length)
    memcpy(to, from, length + 1);
  else if (room)
    memcpy(to, from, room);
  return length;
}
