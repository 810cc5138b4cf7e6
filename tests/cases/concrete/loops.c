/* Loops that -O2 vectorises, unrolls and turns into other loops. */
#include <stdio.h>
#include <string.h>
#define N 67
static int a[N], b[N], c[N];
static unsigned char bytes[N], other[N];
static short shorts[N];
static long long longs[N];
static float floats[N];
static double doubles[N];
static unsigned hash(const unsigned char *p, int n) {
  unsigned h = 0;
  for (int i = 0; i < n; i++) h = h * 31 + p[i];
  return h;
}
__attribute__((noinline)) static int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
__attribute__((noinline)) static int max(const int *p, int n) { int m = p[0]; for (int i = 1; i < n; i++) if (p[i] > m) m = p[i]; return m; }
__attribute__((noinline)) static int count(const unsigned char *p, int n, int v) { int k = 0; for (int i = 0; i < n; i++) k += p[i] == v; return k; }
__attribute__((noinline)) static void mix(int *restrict x, const int *restrict y, const int *restrict z, int n) {
  for (int i = 0; i < n; i++) x[i] = y[i] > z[i] ? y[i] - z[i] : z[i] * 3;
}
__attribute__((noinline)) static void masked(int *restrict x, const int *restrict y, int n) {
  for (int i = 0; i < n; i++) if (y[i] & 1) x[i] += y[i];
}
__attribute__((noinline)) static int any(const int *p, int n, int v) { for (int i = 0; i < n; i++) if (p[i] == v) return i; return -1; }
__attribute__((noinline)) static long long dot(const int *x, const int *y, int n) { long long s = 0; for (int i = 0; i < n; i++) s += (long long)x[i] * y[i]; return s; }
__attribute__((noinline)) static void reverse(unsigned char *p, int n) { for (int i = 0, j = n - 1; i < j; i++, j--) { unsigned char t = p[i]; p[i] = p[j]; p[j] = t; } }
__attribute__((noinline)) static void interleave(int *restrict x, const int *restrict y, int n) { for (int i = 0; i < n / 2; i++) { x[2 * i] = y[i]; x[2 * i + 1] = -y[i]; } }
__attribute__((noinline)) static unsigned xors(const long long *p, int n) { long long s = 0; for (int i = 0; i < n; i++) s ^= p[i] >> (i & 3); return (unsigned)(s ^ s >> 32); }
__attribute__((noinline)) static int popcounts(const unsigned char *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += __builtin_popcount(p[i]); return s; }
__attribute__((noinline)) static unsigned kernighan(unsigned v) { unsigned n = 0; while (v) { v &= v - 1; n++; } return n; }
__attribute__((noinline)) static unsigned long fibonacci(int n) { unsigned long x = 0, y = 1; while (n--) { unsigned long t = x; x = y; y = t + y; } return x; }
__attribute__((noinline)) static int rotate3(int n) { int x = 1, y = 2, z = 3; for (int i = 0; i < n; i++) { int t = x; x = y; y = z; z = t; } return x * 100 + y * 10 + z; }
int main(void) {
  for (int i = 0; i < N; i++) {
    a[i] = i * 37 % 101 - 50; b[i] = i * i % 77; bytes[i] = (unsigned char)(i * 11); other[i] = (unsigned char)(i ^ 0x55);
    shorts[i] = (short)(i * 1000); longs[i] = (long long)i * 0x123456789; floats[i] = (float)i / 4; doubles[i] = i * 1.25;
  }
  printf("%d %d %d\n", sum(a, N), max(b, N), count(bytes, N, 33));
  mix(c, a, b, N); printf("%d %d\n", sum(c, N), c[13]);
  masked(c, b, N); printf("%d\n", sum(c, N));
  printf("%d %d\n", any(b, N, 49), any(b, N, 1000));
  printf("%lld\n", dot(a, b, N));
  reverse(bytes, N); printf("%u\n", hash(bytes, N));
  interleave(c, a, N); printf("%d %d\n", c[10], c[11]);
  printf("%u %d %u\n", xors(longs, N), popcounts(bytes, N), kernighan(0xf0f01234));
  for (int i = 0; i < N; i++) { other[i] = (unsigned char)((bytes[i] + other[i] + 1) / 2); shorts[i] = (short)(shorts[i] * 3 + a[i]); }
  printf("%u\n", hash(other, N));
  int saturated = 0; for (int i = 0; i < N; i++) { int v = shorts[i] * 2; saturated += v > 32767 ? 32767 : v < -32768 ? -32768 : v; }
  printf("%d\n", saturated);
  for (int i = 0; i < N; i++) { floats[i] = floats[i] * 2 + 1; doubles[i] = doubles[i] - floats[i]; }
  printf("%g %g\n", floats[N - 1], doubles[33]);
  int converted = 0; for (int i = 0; i < N; i++) converted += (int)doubles[i];
  printf("%d\n", converted);
  printf("%lu %d %d\n", fibonacci(50), rotate3(100), rotate3(101));
  unsigned crc = ~0u; for (int i = 0; i < N; i++) { crc ^= bytes[i]; for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320 & -(crc & 1)); }
  printf("%x\n", ~crc);
  return memcmp(bytes, other, N) < 0;
}
