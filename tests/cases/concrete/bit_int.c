/* _BitInt of odd widths, and the bit-fields and packed structs beside them. */
#include <stdio.h>
#include <string.h>
#define show(v) show_wide(#v, (unsigned _BitInt(256))(v))
static void show_wide(const char *what, unsigned _BitInt(256) v) {
  printf("%s %016llx%016llx%016llx%016llx\n", what, (unsigned long long)(v >> 192),
         (unsigned long long)(v >> 128), (unsigned long long)(v >> 64), (unsigned long long)v);
}
typedef _BitInt(3) i3;
typedef _BitInt(17) i17;
typedef unsigned _BitInt(65) u65;
typedef _BitInt(65) i65;
typedef _BitInt(127) i127;
typedef unsigned _BitInt(129) u129;
typedef _BitInt(200) i200;
typedef unsigned _BitInt(200) u200;
static i200 power(i200 base, unsigned n) {
  i200 result = 1;
  for (; n; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}
struct mixed { char c; i17 small; u65 middle; i200 large; };
static struct mixed make(int n) {
  return (struct mixed){(char)n, (i17)(n * 1000), (u65)n << 60, -power(n, 20)};
}
struct __attribute__((packed)) packed { char a; short b; long long c; i17 d; u65 e; char f; };
int main(int argc, char **argv) {
  volatile int n = 7;
  i3 three = (i3)n;
  show((unsigned _BitInt(3))three);
  show((u200)((i200)three));
  i17 s = (i17)(n * 9001);
  show((u200)(i200)s); show((u200)(s / 5)); show((u200)(s % 5)); show((u200)(s >> 3));
  u65 m = ((u65)n << 62) - 1;
  show(m); show(m * m); show(m / 10); show(m % 10); show(m << 3); show(m >> 64);
  i65 sm = -(i65)m;
  show((u200)sm); show((u200)(sm / 3)); show((u200)(sm >> 7));
  i127 w = (i127)n << 100;
  show((u200)(w - 1)); show((u200)(w / 1000003)); show((u200)(-w % 1000003));
  u129 x = (u129)~0ull * n + ((u129)1 << 128);
  show(x); show(x / n); show(x % 12345);
  i200 p = power(n, 60);
  show((u200)p); show((u200)(p / 1234567)); show((u200)(p % 1234567)); show((u200)(-p >> 30));
  printf("%d%d%d%d\n", p < 0, p > -p, m < 5, sm < 0);
  printf("%d\n", (int)((u200)p == (u200)power(n, 60)));
  struct mixed k = make(n);
  show((u200)(i200)k.small); show(k.middle); show((u200)k.large);
  struct packed q;
  memset(&q, 0, sizeof q);
  q.a = 1; q.b = -2; q.c = 0x123456789abcdefll; q.d = (i17)n; q.e = (u65)1 << 64; q.f = 9;
  struct packed copy = q;
  printf("%zu %d %d %llx %d %d\n", sizeof q, copy.a, copy.b, copy.c, copy.f, (int)copy.d);
  show(copy.e);
  printf("%.3f %.3f\n", (double)(long)m, (double)(int)s);
  unsigned _BitInt(37) rot = (unsigned _BitInt(37))n << 33;
  rot = rot << 5 | rot >> 32;
  show(rot);
  i200 sum = 0;
  for (i200 i = 0; i < 50; i++) sum += i * i;
  show((u200)sum);
  switch ((u65)n << 60) {
  case (u65)7 << 60: puts("seven"); break;
  default: puts("other");
  }
  return (int)(p % 251);
}
