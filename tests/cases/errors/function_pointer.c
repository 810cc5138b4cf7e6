//@ ends: exit
#include <klee/klee.h>
#include <stddef.h>
static int one(void) { return 1; }
static long data = 5;
int main(void) {
  unsigned i;
  klee_make_symbolic(&i, sizeof i, "i");
  int (*functions[])(void) = {one, NULL, (int (*)(void))&data};
  klee_assume(i < 3);
  return functions[i](); //~ null-dereference, out-of-bounds
}
