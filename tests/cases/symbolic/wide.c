#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  unsigned long a; int n; struct { unsigned x : 3; int y : 6; unsigned z : 23; } f; unsigned word;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&f, sizeof f, "f");
  klee_make_symbolic(&word, sizeof word, "word");
  unsigned __int128 w = (unsigned __int128)a * 0x123456789abcdefull;
  printf("%lx %lx\n", (unsigned long)(w >> 64), (unsigned long)w);
  printf("%d %d %d\n", f.x, f.y, f.z);
  if (f.y < -20) puts("y");
  f.y += 3; f.z ^= f.x;
  printf("%d %d\n", f.y, f.z);
  printf("%d %u\n", n << (word & 63), word >> (n & 127));
  printf("%d %d\n", __builtin_popcount(word), __builtin_bswap32(word));
  int sum;
  if (__builtin_add_overflow(n, (int)word, &sum)) puts("overflow");
  printf("%d %d\n", sum, word ? __builtin_ctz(word) : -1);
  return (int)(w >> 100);
}
