#include <klee/klee.h>
int main(void) {
  double d;
  klee_make_symbolic(&d, sizeof d, "d");
  return (signed char)d != 0;
}
