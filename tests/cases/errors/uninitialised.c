//@ ends: exit, 2 x uninitialised-read and exit
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  unsigned i;
  int never, copy;
  klee_make_symbolic(&i, sizeof i, "i");
  copy = never;
  if (i == 1)
    if (copy) puts("decided");
  if (i == 2)
    printf("%d\n", never);
  return i > 2 ? 0 : 1;
}
