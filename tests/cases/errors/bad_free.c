//@ ends: exit
#include <klee/klee.h>
#include <stdlib.h>
static int global[2];
int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  char *p = malloc(8);
  if (i == 1)
    free(p + 1); //~ double-free
  if (i == 2)
    free(global); //~ double-free
  free(p);
  return 0;
}
