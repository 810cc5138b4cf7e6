/* Columns and bytes of wide characters as in glibc's C locale, which has only those of ASCII. */
#include <stddef.h>

size_t __ctype_get_mb_cur_max(void) { return 1; }

static int width(wchar_t c) {
  if (c == 0)
    return 0;
  return c >= ' ' && c <= '~' ? 1 : -1;
}

int wcwidth(wchar_t c) { return width(c); }

int wcswidth(const wchar_t *text, size_t count) {
  int columns = 0;
  for (; count && *text; count--, text++) {
    if (width(*text) < 0)
      return -1;
    columns++;
  }
  return columns;
}
