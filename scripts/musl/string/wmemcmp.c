/* glibc's gives the sign of the order, musl's the difference. */
#include <wchar.h>

int wmemcmp(const wchar_t *a, const wchar_t *b, size_t count) {
  for (; count && *a == *b; count--, a++)
    b++;
  return count ? (*a > *b) - (*a < *b) : 0;
}
