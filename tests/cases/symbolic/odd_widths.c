/* Integers of odd widths, checked, saturating and bit-counting builtins on input. */
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  long a; int b; unsigned char k;
  klee_make_symbolic(&a, sizeof a, "a"); klee_make_symbolic(&b, sizeof b, "b"); klee_make_symbolic(&k, sizeof k, "k");
  _BitInt(37) x = (_BitInt(37))a; unsigned _BitInt(65) y = (unsigned _BitInt(65))(unsigned long)a * 3; _BitInt(200) z = (_BitInt(200))a << (b & 127);
  printf("%lx %lx\n", (long)x, (long)(y >> 2)); printf("%lx %lx\n", (long)(z >> 64), (long)(z % 1000));
  long r; int o; _BitInt(37) xr;
  o = __builtin_add_overflow(a, (long)b, &r); printf("%d %lx\n", o, r); o = __builtin_mul_overflow((int)a, b, (int *)&r); printf("%d %x\n", o, (int)r);
  o = __builtin_sub_overflow(x, (_BitInt(37))b, &xr); printf("%d %lx\n", o, (long)xr); unsigned char uc; o = __builtin_add_overflow(k, b, &uc); printf("%d %d\n", o, uc);
  printf("%x %x %lx\n", __builtin_bswap32((unsigned)b), __builtin_bitreverse8(k), __builtin_rotateleft64((unsigned long)a, k));
  if (b) printf("%d %d %d\n", __builtin_clz((unsigned)b), __builtin_ctz((unsigned)b), __builtin_popcountl((unsigned long)a)); else puts("zero");
  printf("%d %d\n", __builtin_elementwise_add_sat(b, (int)k << 24), (int)__builtin_elementwise_sub_sat((short)a, (short)b)); printf("%d %d\n", __builtin_ffs(b), __builtin_parity((unsigned)b));
  struct { unsigned p : 3; int q : 13; long long r : 47; unsigned s : 1; } f = {k, b, a, k >> 3}; f.p++; f.r -= f.q; printf("%d %d %lx %d\n", f.p, f.q, (long)f.r, f.s);
  struct __attribute__((packed)) { char c; int i; short s; } g = {(char)k, b, (short)a}; int *unaligned = &g.i; *unaligned += 1; printf("%d %d %d\n", g.c, g.i, g.s);
  return x < (_BitInt(37))b ? 1 : y > 5 ? 2 : 3;
}
