//@ ends: abort, exit
#include <assert.h>
#include <klee/klee.h>
int main(void) {
  unsigned i; int v[3] = {1, 2, 3}; const int *end = v + 3;
  klee_make_symbolic(&i, sizeof i, "i");
  assert(i < 100);
  if (i == 5)
    return v[i]; //~ out-of-bounds
  int n = 0;
  for (const int *p = v; p != end; p++) n += *p;
  return end > v && end - v == 3 ? n : 0;
}
