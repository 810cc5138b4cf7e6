/* glibc's gives the sign of the order, musl's the difference. */
#include <wchar.h>

int wcscmp(const wchar_t *a, const wchar_t *b) {
  for (; *a && *a == *b; a++)
    b++;
  return (*a > *b) - (*a < *b);
}
