#include <klee/klee.h>
#include <stdio.h>
#include <math.h>
int main(void) {
  float a, b, c;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  klee_make_symbolic(&c, sizeof c, "c");
  klee_assume((a >= -100) & (a <= 100) & (b >= -100) & (b <= 100) & (c >= -100) & (c <= 100));
  float discriminant = b * b - 4 * a * c;
  if (a == 0) puts("linear");
  else if (discriminant < 0) puts("none");
  else if (discriminant == 0) puts("one");
  else puts("two");
  return sqrtf(b) == 3;
}
