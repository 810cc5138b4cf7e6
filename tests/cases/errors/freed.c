//@ ends: exit
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 3);
  char *p = calloc(4, 1);
  free(p);
  if (i == 1)
    free(p); //~ double-free
  if (i == 2)
    return p[3]; //~ use-after-free
  return 0;
}
