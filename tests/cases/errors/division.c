//@ ends: exit
#include <klee/klee.h>
int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  int z = x / y; //~ division-by-zero, division-by-zero
  return z & 1;
}
