#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
#include <math.h>
static unsigned long bits(double d) { unsigned long n; memcpy(&n, &d, 8); return n; }
static const char *class(double d) {
  if (isnan(d)) return "nan";
  if (isinf(d)) return d < 0 ? "-inf" : "inf";
  if (d == 0) return signbit(d) ? "-0" : "0";
  if (!isnormal(d)) return "subnormal";
  if (!isfinite(d)) return "impossible";
  return d < 0 ? "negative" : "positive";
}
int main(void) {
  double d; float f; int x; unsigned char small;
  klee_make_symbolic(&d, sizeof d, "d");
  klee_make_symbolic(&f, sizeof f, "f");
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&small, sizeof small, "small");
  puts(class(d));
  if (d + 1 == d && fabs(d) < 1e17) puts("absorbed");
  printf("%d\n", (int)(small * 0.1f));
  printf("%lx\n", bits((double)f));
  printf("%lx %lx\n", bits(-fabs(d)), bits(copysign(2.5, d)));
  float g = x;
  if (x > 0 && x < 33554432 && (int)g != x) printf("inexact %d\n", x & 1);
  return f * 3 > 7.5f;
}
