//@ flags: -fsanitize=undefined -fsanitize-trap=undefined
//@ ends: 8 x exit, trap (add-overflow), trap (divrem-overflow), trap (mul-overflow), trap (negate-overflow), trap (out-of-bounds), 2 x trap (shift-out-of-bounds), trap (sub-overflow)
#include <klee/klee.h>
int main(void) {
  int a, b, array[4] = {1, 2, 3, 4}; unsigned k;
  klee_make_symbolic(&a, sizeof a, "a"); klee_make_symbolic(&b, sizeof b, "b"); klee_make_symbolic(&k, sizeof k, "k");
  switch (k) {
  case 0: a = a + b; break;
  case 1: a = a - b; break;
  case 2: a = a * b; break;
  case 3: a = a / b; break;
  case 4: a = 1 << (b & 63); break;
  case 5: a = -a; break;
  case 6: a = array[b]; break;
  }
  return 0;
}
