/* Arguments behind an ellipsis: all classes, more than the registers hold, lists passed on. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct small { int a, b; };
struct pair { long a; double b; };
struct large { long v[5]; };
struct chars { char c[3]; };
static long many(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  long sum = 0;
  for (int round = 0; round < 2; round++) {
    va_list *l = round ? &again : &list;
    for (const char *k = kinds; *k; k++) switch (*k) {
      case 'i': sum = sum * 3 + va_arg(*l, int); break;
      case 'l': sum = sum * 5 + va_arg(*l, long long); break;
      case 'd': sum = sum * 7 + (long)(va_arg(*l, double) * 4); break;
      case 'p': sum = sum * 11 + *va_arg(*l, char *); break;
      case 's': { struct small s = va_arg(*l, struct small); sum = sum * 13 + s.a - s.b; break; }
      case 'x': { struct pair p = va_arg(*l, struct pair); sum = sum * 17 + p.a + (long)(p.b * 2); break; }
      case 'L': { struct large v = va_arg(*l, struct large); sum = sum * 19 + v.v[0] + v.v[4]; break; }
      case 'c': { struct chars c = va_arg(*l, struct chars); sum = sum * 23 + c.c[0] + c.c[2]; break; }
      case 'w': { __int128 w = va_arg(*l, __int128); sum = sum * 29 + (long)(w >> 64) + (long)w; break; }
    }
  }
  va_end(list);
  va_end(again);
  return sum;
}
static int forward(char *out, const char *format, va_list list) { return vsprintf(out, format, list); }
static int say(char *out, const char *format, ...) { va_list l; va_start(l, format); int n = forward(out, format, l); va_end(l); return n; }
static int first(int n, va_list l) { return n ? va_arg(l, int) + first(n - 1, l) : 0; }
static int sum(int n, ...) { va_list l; va_start(l, n); int s = first(n, l); s = s * 100 + va_arg(l, int); va_end(l); return s; }
static int after(int a, double b, struct large c, int d, int e, int f, int g, int h, int i, ...) {
  va_list l; va_start(l, i); int r = va_arg(l, int) + (int)va_arg(l, double) + a + (int)b + (int)c.v[1] + d + e + f + g + h + i; va_end(l); return r;
}
int main(void) {
  struct small s = {1, 20}; struct pair p = {3, 4.5}; struct large v = {{1, 2, 3, 4, 5}}; struct chars c = {{'a', 'b', 'c'}};
  printf("%ld\n", many("iiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9));
  printf("%ld\n", many("dddddddddd", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10.));
  printf("%ld\n", many("idlpidlpidlp", 1, 2.5, 3ll, "x", 4, 5.5, 6ll, "y", 7, 8.5, -9ll, "z"));
  printf("%ld\n", many("sxLcsxLc", s, p, v, c, s, p, v, c));
  printf("%ld\n", many("iwiiwiw", 1, (__int128)5 << 64, 2, 3, (__int128)-1, 4, (__int128)9));
  printf("%ld\n", many("iiiiisdxi", 1, 2, 3, 4, 5, s, 1.5, p, 6));
  printf("%ld\n", many(""));
  char out[100];
  printf("%d %s\n", say(out, "%d-%s-%g-%ld", 5, "str", 2.5, -7l), out);
  printf("%d\n", sum(3, 10, 20, 30, 40));
  printf("%d\n", after(1, 2.0, v, 3, 4, 5, 6, 7, 8, 100, 2000.0));
  return (int)many("s", s) & 63;
}
