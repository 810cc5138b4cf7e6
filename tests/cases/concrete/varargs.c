/* Variadic functions: many arguments of each class, copies, lists passed on, structs. */
#include <stdarg.h>
#include <stdio.h>
struct pair { long a, b; };
struct small { int a; char c; };
struct mixed { double d; long i; };
struct floats { double x, y; };
struct big { long v[4]; };
static long sum(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  long total = 0;
  for (int i = 0; i < count; i++) total = total * 3 + va_arg(list, int);
  for (int i = 0; i < count; i++) total += va_arg(again, int);
  va_end(again);
  va_end(list);
  return total;
}
static void by_kind(const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  for (; *kinds; kinds++)
    switch (*kinds) {
    case 'i': printf("%d ", va_arg(list, int)); break;
    case 'l': printf("%ld ", va_arg(list, long)); break;
    case 'd': printf("%g ", va_arg(list, double)); break;
    case 's': printf("%s ", va_arg(list, char *)); break;
    case 'p': { struct pair p = va_arg(list, struct pair); printf("%ld,%ld ", p.a, p.b); break; }
    case 't': { struct small p = va_arg(list, struct small); printf("%d,%c ", p.a, p.c); break; }
    case 'm': { struct mixed p = va_arg(list, struct mixed); printf("%g,%ld ", p.d, p.i); break; }
    case 'f': { struct floats p = va_arg(list, struct floats); printf("%g,%g ", p.x, p.y); break; }
    case 'b': { struct big p = va_arg(list, struct big); printf("%ld,%ld ", p.v[0], p.v[3]); break; }
    case 'w': { __int128 w = va_arg(list, __int128); printf("%lx,%lx ", (long)(w >> 64), (long)w); break; }
    }
  puts("");
  va_end(list);
}
static void fixed_doubles(double a, double b, int count, ...) {
  va_list list;
  va_start(list, count);
  printf("%g %g:", a, b);
  for (int i = 0; i < count; i++) printf(" %d", va_arg(list, int));
  struct pair p = va_arg(list, struct pair);
  printf(" %ld,%ld %g\n", p.a, p.b, va_arg(list, double));
  va_end(list);
}
static void many_fixed(int a, int b, int c, int d, int e, int f, int g, double h, ...) {
  va_list list;
  va_start(list, h);
  printf("%d %g %d %g %ld\n", a + b + c + d + e + f + g, h, va_arg(list, int), va_arg(list, double), va_arg(list, long));
  va_end(list);
}
static void byval_fixed(struct big b, struct pair q, int n, ...) {
  va_list list;
  va_start(list, n);
  printf("%ld %ld:", b.v[1], q.b);
  for (int i = 0; i < n; i++) printf(" %ld", va_arg(list, long));
  struct pair p = va_arg(list, struct pair);
  printf(" %ld,%ld\n", p.a, p.b);
  va_end(list);
}
static void pass_on(const char *format, ...) {
  char buffer[100];
  va_list list, copy;
  va_start(list, format);
  va_copy(copy, list);
  vprintf(format, list);
  int n = vsnprintf(buffer, sizeof buffer, format, copy);
  printf("%d %s", n, buffer);
  va_end(copy);
  va_end(list);
}
int main(void) {
  printf("%ld %ld\n", sum(3, 1, -2, 3), sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -11, 12));
  by_kind("ildsild", 1, 2L, 3.5, "four", -5, -6L, -7.25);
  by_kind("dddddddddddi", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12);
  struct pair p = {100, -200};
  struct small t = {7, 'q'};
  struct mixed m = {0.5, 77};
  struct floats f = {1.25, 2.5};
  struct big b = {{1, 2, 3, 4}};
  by_kind("ptmfb", p, t, m, f, b);
  by_kind("iiiiptmi", 1, 2, 3, 4, p, t, m, 9);
  by_kind("iiipptmfbimmi", 1, 2, 3, p, p, t, m, f, b, 4, m, m, 5);
  by_kind("ffffffdi", f, f, f, f, f, f, 3.0, 4);
  by_kind("wiw", ((__int128)3 << 64) + 4, 5, (__int128)-1);
  fixed_doubles(1, 2, 3, 10, 20, 30, p, 0.75);
  fixed_doubles(1, 2, 4, 10, 20, 30, 40, p, 0.75);
  many_fixed(1, 2, 3, 4, 5, 6, 7, 8.5, 9, 10.5, 11L);
  byval_fixed(b, p, 1, 5L, p);
  byval_fixed(b, p, 0, p);
  byval_fixed(b, p, 3, 5L, 6L, 7L, p);
  pass_on("%d %s %g %ld %c %x\n", 1, "two", 3.5, 4L, '5', 6);
  return 0;
}
