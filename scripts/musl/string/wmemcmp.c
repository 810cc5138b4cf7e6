/* As wcscmp. */
#include <wchar.h>

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count) {
  for (; count && *a == *b; count--, a++)
    b++;
  return count ? (*a > *b) - (*a < *b) : 0;
}
