//@ ends: exit
#include <klee/klee.h>
#include <stdlib.h>
int main(void) {
  int i;
  klee_make_symbolic(&i, sizeof i, "i");
  klee_assume(i < 10000000);
  int *p = malloc(40);
  p[i] = 5; //~ out-of-bounds
  free(p);
  return 0;
}
