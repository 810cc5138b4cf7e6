#include <stdint.h>
#include <stdio.h>
int main(void) {
  uint64_t values[] = {0, 1, 0x80, 0xff00, 0x8000000000000000ull, ~0ull, 0x0123456789abcdefull};
  for (int i = 0; i < 7; i++) {
    uint64_t v = values[i];
    printf("%d %d ", __builtin_popcountll(v), __builtin_parity((unsigned)v));
    if ((unsigned)v) printf("%d %d ", __builtin_clz((unsigned)v), __builtin_ctz((unsigned)v));
    if (v) printf("%d %d %d ", __builtin_clzll(v), __builtin_ctzll(v), __builtin_ffsll(v));
    printf("%x %x %llx %llx\n", __builtin_bswap16((uint16_t)v), __builtin_bswap32((uint32_t)v),
           (unsigned long long)__builtin_bswap64(v), (unsigned long long)__builtin_bitreverse64(v));
    for (int j = 0; j < 7; j++) {
      uint64_t w = values[j];
      int si; unsigned ui; long long sl; unsigned long long ul; signed char sc; unsigned short us;
      printf("%d%d%d%d%d%d%d%d%d%d ", __builtin_add_overflow((int)v, (int)w, &si), __builtin_sub_overflow((int)v, (int)w, &si),
             __builtin_mul_overflow((int)v, (int)w, &si), __builtin_add_overflow((unsigned)v, (unsigned)w, &ui),
             __builtin_mul_overflow((long long)v, (long long)w, &sl), __builtin_sub_overflow(v, w, &ul),
             __builtin_mul_overflow(v, w, &ul), __builtin_add_overflow((int)v, (int)w, &sc),
             __builtin_sub_overflow((int)v, (int)w, &us), __builtin_add_overflow((long long)v, w, &sl));
      printf("%d %u %lld %llu %d %u\n", si, ui, sl, ul, sc, us);
      printf("%x %llx\n", __builtin_rotateleft32((uint32_t)v, (uint32_t)w), (unsigned long long)__builtin_rotateright64(v, w));
    }
  }
  printf("%d %d\n", __builtin_expect(5, 1), __builtin_constant_p(3));
  return 0;
}
