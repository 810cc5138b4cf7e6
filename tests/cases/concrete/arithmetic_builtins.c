/* Builtins that become intrinsics, at the widths that C has and at odd ones. */
#include <limits.h>
#include <stdio.h>
#define CHECKED(name, type, fmt) \
  static void name(type a, type b) { \
    type r; int o; \
    o = __builtin_add_overflow(a, b, &r); printf(fmt " %d ", (long long)r, o); \
    o = __builtin_sub_overflow(a, b, &r); printf(fmt " %d ", (long long)r, o); \
    o = __builtin_mul_overflow(a, b, &r); printf(fmt " %d\n", (long long)r, o); \
  }
CHECKED(chars, signed char, "%lld")
CHECKED(uchars, unsigned char, "%lld")
CHECKED(shorts, short, "%lld")
CHECKED(ints, int, "%lld")
CHECKED(uints, unsigned, "%lld")
CHECKED(longs, long, "%lld")
CHECKED(ulongs, unsigned long, "%lld")
CHECKED(wides, __int128, "%lld")
CHECKED(uwides, unsigned __int128, "%lld")
CHECKED(odds, _BitInt(37), "%lld")
static int mixed(long a, unsigned long b) { int r; int o = __builtin_add_overflow(a, b, &r); return r ^ o; }
static int mixed65(long a, unsigned long b) { long r; int o = __builtin_mul_overflow(a, b, &r); return (int)r * 2 + o; }
static int mixedu(int a, long b) { unsigned long r; int o = __builtin_sub_overflow(a, b, &r); return (int)r * 2 + o; }
static unsigned rotl(unsigned v, int n) { return v << (n & 31) | v >> (-n & 31); }
static unsigned char rotr8(unsigned char v, unsigned n) { return __builtin_rotateright8(v, n); }
static unsigned long shld(unsigned long a, unsigned long b, int n) { return n ? a << n | b >> (64 - n) : a; }
static int sign(long a, long b) { return (a > b) - (a < b); }
int main(int argc, char **argv) {
  volatile int n = 13;
  int corners[] = {0, 1, -1, 7, INT_MAX, INT_MIN, 0x12345678, -100};
  for (int i = 0; i < 8; i++) {
    int a = corners[i]; unsigned u = (unsigned)a; unsigned long l = (unsigned long)a * 0x100010001ul;
    for (int j = 0; j < 8; j++) {
      int b = corners[j];
      chars((signed char)a, (signed char)b); uchars((unsigned char)a, (unsigned char)b); shorts((short)a, (short)b);
      ints(a, b); uints(u, (unsigned)b); longs((long)l, b); ulongs(l, (unsigned long)b);
      wides((__int128)l << 60, b); uwides((unsigned __int128)l << 64, (unsigned)b); odds(a, b);
      printf("%d %d %d %d\n", mixed(a, (unsigned long)b), mixed65((long)l, (unsigned long)b), mixedu(a, b), sign(a, b));
      printf("%d %d %u %u\n", a < b ? a : b, a > b ? a : b, u < (unsigned)b ? u : (unsigned)b, u > (unsigned)b ? u : (unsigned)b);
    }
    printf("%x %x %llx %x\n", __builtin_bswap32(u), __builtin_bswap16((unsigned short)a), (unsigned long long)__builtin_bswap64(l), __builtin_bitreverse32(u));
    printf("%x %llx %x\n", __builtin_bitreverse8((unsigned char)a), (unsigned long long)__builtin_bitreverse64(l), __builtin_bitreverse16((unsigned short)a));
    printf("%d %d %d %d\n", __builtin_popcount(u), __builtin_popcountl(l), __builtin_parity(u), __builtin_popcountg((unsigned __int128)l << 30));
    if (a) printf("%d %d %d %d %d\n", __builtin_clz(u), __builtin_ctz(u), __builtin_clzl(l), __builtin_ctzl(l), __builtin_clzg((unsigned char)(a | 1)));
    printf("%d %d %d\n", __builtin_ffs(a), __builtin_clrsb(a), __builtin_ctzg((unsigned __int128)l << 70, 128));
    printf("%x %x %lx\n", rotl(u, n + i), rotr8((unsigned char)a, (unsigned)(n + i)), shld(l, ~l, i * 7));
    printf("%d %ld\n", a == INT_MIN ? 0 : __builtin_abs(a), (long)l == LONG_MIN ? 0 : __builtin_labs((long)l));
  }
  if (__builtin_expect(n == 13, 1)) puts("expected");
  if (__builtin_expect_with_probability(n > 13, 0, 0.9)) puts("unexpected");
  __builtin_assume(n < 100);
  char buffer[16];
  printf("%zu %d %d\n", __builtin_object_size(buffer + 4, 0), __builtin_constant_p(5), __builtin_constant_p(n));
  void *p = __builtin_assume_aligned(buffer, 1);
  printf("%d %d\n", p == buffer, __builtin_align_down(37, 16) + __builtin_align_up(n, 8));
  char *aligned = __builtin_align_up(buffer, 1);
  printf("%d\n", aligned == buffer);
  unsigned long borrow = 0, carry = 0;
  unsigned long s = __builtin_addcl(~0ul, 1, 0, &carry), t = __builtin_subcl(0, (unsigned long)n, 0, &borrow);
  printf("%lu %lu %lu %lu\n", s, carry, t, borrow);
  return n;
}
