#include <klee/klee.h>
#include <stdio.h>
static int classify(int x, int y) {
  if (x > y) return x - y > 100 ? 1 : 2;
  if ((x ^ y) < 0) return 3;
  return x == y ? 4 : x % 7 == 3 ? 5 : 6;
}
int main(void) {
  int x, y; unsigned char c; short s; unsigned long l;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&y, sizeof y, "y");
  klee_make_symbolic(&c, sizeof c, "c");
  klee_make_symbolic(&s, sizeof s, "s");
  klee_make_symbolic(&l, sizeof l, "l");
  printf("%d %d %d %ld %x\n", classify(x, y), c - s, -c * 3, (long)(l >> (c & 63)), (unsigned)(s << 5));
  switch (c & 0x1f) {
  case 0: case 7: puts("low"); break;
  case 31: puts("high"); break;
  default: if (s < -5) puts("negative");
  }
  if (y != 0 && !(x == -2147483647 - 1 && y == -1)) printf("%d %d\n", x / y, x % y);
  if ((l & 0xff) == c) printf("%lu %d\n", l, (signed char)l);
  return s > 10 ? c : (int)l;
}
