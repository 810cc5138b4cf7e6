#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
struct pair { char tag; long double value; };
static void print(const char *what, const void *p, int size) {
  unsigned long low = 0, high = 0;
  memcpy(&low, p, size < 8 ? size : 8);
  if (size > 8) memcpy(&high, (const char *)p + 8, size - 8);
  printf("%s %lx %lx\n", what, high, low);
}
int main(void) {
  double d; _Float16 h; short n; long m;
  klee_make_symbolic(&d, sizeof d, "d");
  klee_make_symbolic(&h, sizeof h, "h");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&m, sizeof m, "m");
  long double l = d, third = (long double)n / 3;
  struct pair pair = {'p', l + 1}, copy = pair;
  print("long double", &third, 10);
  if (copy.value == l) puts("large");
  _Float16 sum = h + (_Float16)1;
  print("half", &sum, 2);
  if (sum > (_Float16)2048) puts("above");
  __float128 q = m;
  q = q * q;
  print("quad", &q, 16);
  if ((long double)m != (__float128)m) puts("impossible");
  if ((double)m != m) puts("rounded");
  return (int)(l > 2.5L) + 2 * (int)(third < -1000);
}
