//@ ends: exit
#include <klee/klee.h>
static int *leak(int n) { int local[2] = {n, n}; int *p = local; return p; }
int main(void) {
  unsigned i; int x = 3;
  klee_make_symbolic(&i, sizeof i, "i");
  int *p = leak(4);
  if (i & 1)
    p = &x;
  return *p; //~ use-after-free
}
