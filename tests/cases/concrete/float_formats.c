#include <stdio.h>
#include <stdarg.h>
#include <errno.h>
#include <math.h>
#include <string.h>
static long double sum(int count, ...) {
  va_list list; long double total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) { total += va_arg(list, long double); total -= va_arg(list, double); }
  va_end(list);
  return total;
}
static __float128 quads(int count, ...) {
  va_list list; __float128 total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) total += va_arg(list, __float128);
  va_end(list);
  return total;
}
static long double table[] = {0.1L, -1e4000L, 3.6e-4951L};
static struct { char c; long double x; _Float16 h; __float128 q; } s = {'c', 2.5L, 1.1f, 0.1Q};
int main(void) {
  volatile long double tenth = 0.1L, zero = 0;
  volatile double d = 0.1;
  volatile _Float16 h = 65504, small = 6e-8f;
  printf("%Lg %.20Lf %La %Le\n", tenth, tenth * 3, tenth / 7, -1 / zero);
  printf("%Lg %d %Lg\n", sum(3, 1.5L, 0.5, 2.5L, 0.25, 1e30L, 1e30), 7, tenth);
  printf("%g\n", (double)quads(9, 1.0Q, 2.0Q, 3.0Q, 4.0Q, 5.0Q, 6.0Q, 7.0Q, 8.0Q, 9.0Q));
  for (int i = 0; i < 3; i++) printf("%.25Lg\n", table[i]);
  printf("%d %d %d %d\n", tenth == d, (float)tenth < d, tenth != tenth, zero / zero != 0);
  printf("%g %g %g %d\n", (double)(h + small), (double)(_Float16)(h * 2), (double)(_Float16)(small / 2), h > 65503);
  printf("%g %Lg %g %d\n", (double)s.h, s.x, (double)s.q, (int)sizeof s);
  printf("%ld %lu %d\n", (long)(tenth * 1e19L / 2), (unsigned long)(1e19L + tenth), (int)(_Float16)-3.7);
  printf("%Lg %Lg %Lg\n", (long double)~0ul, (long double)(-1ul >> 1), (long double)(__int128)1e25);
  printf("%.17Lg %.17Lg %.17Lg %.17g\n", sqrtl(tenth), floorl(-tenth), fabsl(-tenth), sqrt(d));
  printf("%g %g %g %g %g\n", floor(-1.5), ceil(-1.5), round(-2.5), rint(2.5), trunc(-1.5));
  printf("%d %d %d %d\n", isnan(zero / zero), isinf(1 / zero), isfinite(tenth), signbit(-zero) != 0);
  printf("%ld %ld %g %g\n", lround(2.5), lrint(2.5), fmod(-7.5, 2), fma(d, 10, -1));
  errno = 0;
  printf("%d %d", sqrt(-d) != 0, errno); errno = 0;
  printf("%d %d", fmod(d, 0 * d) != 0, errno); errno = 0;
  printf("%d %d\n", ldexp(d, 5000) > 0, errno);
  printf("%g %g %g\n", fmin(d, 2), fmax(0.0 / zero, 3), ldexp(d, 10));
  int e; double m = frexp(12.5, &e); printf("%g %d\n", m, e);
  return (int)(tenth * 100);
}
