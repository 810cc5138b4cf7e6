/* Undefined in C; x86-64 takes the count modulo the width, and so do both machines. */
#include <stdio.h>
int main(void) {
  for (unsigned by = 0; by < 140; by += 7) {
    volatile unsigned n = by;
    int i = -12345678; unsigned u = 0x87654321; long long l = -0x123456789abcdefll; unsigned long long ul = ~0ull / 3;
    printf("%d %d %u %lld %lld %llu %llu\n", i << n, i >> n, u >> n, l << n, l >> n, ul << n, ul >> n);
  }
  return 0;
}
