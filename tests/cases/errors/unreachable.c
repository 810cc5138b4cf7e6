//@ ends: exit
#include <klee/klee.h>
int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  if (i < 7)
    return 0;
  __builtin_unreachable(); //~ unreachable
}
