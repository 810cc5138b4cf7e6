/* Every integer operation at every width, on corner values. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define CORNERS(T) \
  static const T corners_##T[] = {(T)0, (T)1, (T)2, (T)3, (T)7, (T)-1, (T)-2, (T)0x7f, (T)0x80, (T)0xff, \
      (T)0x7fff, (T)0x8000, (T)0x7fffffff, (T)0x80000000u, (T)0x7fffffffffffffffLL, \
      (T)0x8000000000000000uLL, (T)0x0123456789abcdefLL};
#define COUNT(a) ((int)(sizeof(a) / sizeof(a)[0]))
#define OPERATIONS(T, U, SIGNED) \
  CORNERS(T) \
  static void run_##T(void) { \
    for (int i = 0; i < COUNT(corners_##T); i++) \
      for (int j = 0; j < COUNT(corners_##T); j++) { \
        volatile T a = corners_##T[i], b = corners_##T[j]; \
        unsigned by = (unsigned)b % (sizeof(T) * 8); \
        T r[16]; \
        int n = 0; \
        r[n++] = (T)((U)a + (U)b); \
        r[n++] = (T)((U)a - (U)b); \
        r[n++] = (T)((unsigned long long)(U)a * (U)b); \
        r[n++] = a & b; \
        r[n++] = a | b; \
        r[n++] = a ^ b; \
        r[n++] = (T)~a; \
        r[n++] = (T)((U)a << by); \
        r[n++] = (T)(a >> by); \
        r[n++] = (T)((U)a >> by); \
        if (b != 0 && !(SIGNED && b == (T)-1)) { \
          r[n++] = a / b; \
          r[n++] = a % b; \
        } \
        r[n++] = (T)(a < b) + (a <= b) * 2 + (a > b) * 4 + (a >= b) * 8 + (a == b) * 16 + (a != b) * 32; \
        r[n++] = a ? b : (T)5; \
        r[n++] = !a + (a && b) * 2 + (a || b) * 4; \
        unsigned long long sum = 0; \
        for (int k = 0; k < n; k++) sum = sum * 31 + (unsigned long long)(long long)r[k]; \
        printf("%s %d %d %llx\n", #T, i, j, sum); \
      } \
  }
OPERATIONS(int8_t, uint8_t, 1)
OPERATIONS(uint8_t, uint8_t, 0)
OPERATIONS(int16_t, uint16_t, 1)
OPERATIONS(uint16_t, uint16_t, 0)
OPERATIONS(int32_t, uint32_t, 1)
OPERATIONS(uint32_t, uint32_t, 0)
OPERATIONS(int64_t, uint64_t, 1)
OPERATIONS(uint64_t, uint64_t, 0)

int main(void) {
  run_int8_t();
  run_uint8_t();
  run_int16_t();
  run_uint16_t();
  run_int32_t();
  run_uint32_t();
  run_int64_t();
  run_uint64_t();
  return (int8_t)0x85;
}
