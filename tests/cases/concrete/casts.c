#include <stdint.h>
#include <stdio.h>
#include <stdbool.h>
int main(void) {
  long long values[] = {0, 1, -1, 127, 128, 255, 256, -128, -129, 32767, 32768, 65535, 65536, -32769,
                        2147483647ll, 2147483648ll, 4294967295ll, 4294967296ll, -2147483649ll};
  for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
    long long v = values[i];
    printf("%d %u %d %u %d %u %lld %llu %d\n", (int8_t)v, (uint8_t)v, (int16_t)v, (uint16_t)v, (int)v,
           (unsigned)v, v, (unsigned long long)v, (bool)v);
    signed char c = v; unsigned char u = v; short s = v;
    printf("%d %d %d %lu %lu\n", c == u, c + u, s * 3, (unsigned long)c, (unsigned long)u);
    double d = (double)v; float f = (float)v;
    printf("%.17g %.9g %lld %d\n", d, f, (long long)d, (int)(f / 1e6f));
    printf("%.17g %.9g\n", (double)(unsigned long long)v, (float)(unsigned long long)v);
  }
  double doubles[] = {0.0, -0.0, 0.5, -0.5, 1.999999, -1.999999, 1e9, 2147483647.0, -2147483648.0, 1e18};
  for (unsigned i = 0; i < sizeof doubles / sizeof *doubles; i++)
    printf("%lld %d %g\n", (long long)doubles[i], (signed char)(int)(long long)doubles[i], (float)doubles[i]);
  printf("%u %lu\n", (unsigned)4294967295.0, (unsigned long)18446744073709549568.0);
  int x = 5;
  printf("%d %d\n", (int)(((char *)(&x + 1)) - (char *)&x), (void *)(uintptr_t)&x == (void *)&x);
  return 0;
}
