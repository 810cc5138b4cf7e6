/* What scanf does with errno: at the end of the text, and of numbers that are too large. */
#include <errno.h>
#include <stdio.h>
int main(void) {
  int a, b, n; char c, w[9];
  static const char *const texts[] = {"", " ", "5", "5 ", "99999999999", "99999999999 ", "99999999999 x", "x", "99999999999x", "7 99999999999", "99999999999,"};
  for (int e = 0; e < 3; e += 2)
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
      int r[12], k = 0;
#define T(...) errno = e; r[k] = sscanf(texts[i], __VA_ARGS__); printf("%u %d %d: %d %d\n", i, k, e, r[k], errno); k++;
      T("%d", &a) T("%d%d", &a, &b) T("%d %d", &a, &b) T("%d%c", &a, &c) T("%d %c", &a, &c) T("%dx", &a) T("%d x", &a)
      T("%d%n", &a, &n) T("%d %n", &a, &n) T("%d ", &a) T("%d%8s", &a, w) T("%d%%", &a)
    }
  return 0;
}
