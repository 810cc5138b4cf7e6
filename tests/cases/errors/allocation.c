//@ ends: 2 x exit
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
  if (i == 1) return old[0]; //~ use-after-free
  if (i == 2) {
    memset(buffer, 0, sizeof buffer);
    memcpy(buffer, p, n); //~ out-of-bounds
  }
  free(p);
  if (i == 3) return p[3]; //~ use-after-free
  if (i == 4)
    free(p); //~ double-free
  return 0;
}
