/* ends: division-by-zero at 7, division-by-zero at 7, exit */
#include <klee/klee.h>
int main(void) {
  int x, y;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  int z = x / y;
  return z & 1;
}
