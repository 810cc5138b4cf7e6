#include <stdio.h>
static int choose(long x) {
  switch (x) {
  case -5: return 1;
  case 0 ... 9: return 2;
  case 10: x++;
  case 11: return (int)x;
  case 0x7fffffffffffffff: return 4;
  default: return -1;
  }
}
static int small(signed char c) { switch (c) { case -128: return 1; case -1: return 2; case 127: return 3; } return 0; }
static int by_unsigned(unsigned u) { switch (u) { case 0xffffffff: return 1; case 0x80000000: return 2; } return 0; }
static int side(int *n) { return ++*n; }
int main(void) {
  long values[] = {-5, 0, 9, 10, 11, 12, -1, 0x7fffffffffffffff, -6};
  for (int i = 0; i < 9; i++) printf("%d ", choose(values[i]));
  for (int i = -128; i < 128; i += 51) printf("%d", small(i));
  printf(" %d%d%d%d\n", small(-1), small(127), by_unsigned(-1), by_unsigned(1u << 31));
  int n = 0;
  int r = side(&n) && side(&n) == 3 && side(&n);
  printf("%d %d\n", r, n);
  r = (side(&n), side(&n)) > 3 || side(&n);
  printf("%d %d %d\n", r, n, n > 3 ? n < 2 ? 1 : 2 : 3);
  for (int i = 0, j = 10; i < j; i++, j--) { if (i == 2) continue; if (i == 4) break; printf("%d-%d ", i, j); }
  do n--; while (n > 0);
  printf("%d\n", n);
  int count = 17, k = (count + 7) / 8;
  switch (count % 8) { case 0: do { n++; case 7: n++; case 6: n++; case 5: n++; case 4: n++; case 3: n++; case 2: n++; case 1: n++; } while (--k > 0); }
  printf("%d\n", n);
  int w = ({ int t = 5; t * t; });
  printf("%d\n", w);
  return 256 + 7;
}
