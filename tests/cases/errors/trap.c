//@ flags: -fsanitize=undefined -fsanitize-trap=undefined
//@ ends: exit, trap, trap (builtin-unreachable)
#include <klee/klee.h>
int main(void) {
  int a;
  klee_make_symbolic(&a, sizeof a, "a");
  if (a == 1) __builtin_trap();
  if (a == 2) __builtin_unreachable();
  return 0;
}
