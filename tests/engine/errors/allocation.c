/* ends: double-free at 20, exit, exit, out-of-bounds at 15, use-after-free at 12, use-after-free at 18 */
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  unsigned i, n;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&n, sizeof n, "n");
  char *old = malloc(4), *p, buffer[8];
  memset(old, 1, 4);
  p = realloc(old, 64);
  if (i == 1) return old[0];
  if (i == 2) {
    memset(buffer, 0, sizeof buffer);
    memcpy(buffer, p, n);
  }
  free(p);
  if (i == 3) return p[3];
  if (i == 4)
    free(p);
  return 0;
}
