//@ ends: 2 x exit
#include <klee/klee.h>
struct s { int a, b; };
int main(void) {
  unsigned i; struct s x = {1, 2}, *p = 0; struct s *const all[3] = {&x, 0, (struct s *)0x12345678};
  klee_make_symbolic(&i, sizeof i, "i");
  if (i == 0) { x.a = all[i & 1]->b; return 0; }
  if (i == 1)
    return p->b; //~ null-dereference
  if (i == 2)
    return all[2]->b; //~ out-of-bounds
  return 0;
}
