/* Corners of the language and its GNU extensions. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
static int cleaned;
static void clean(int *p) { cleaned += *p; }
static int scoped(int n) { for (int i = 0; i < n; i++) { __attribute__((cleanup(clean))) int v = i; if (i == 3) break; } return cleaned; }
#define KIND(x) _Generic((x), int: "int", long: "long", char *: "text", double: "double", default: "other")
struct list { struct list *both; int v; };
static int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
enum sign { MINUS = -1, NONE, PLUS, HUGE_ONE = 0x7fffffff };
static int matrix[3][4][2];
static int rows(int (*m)[4][2], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s += m[i][j][i & 1] * (j + 1); return s; }
static long tail(long n, long acc) { if (n == 0) return acc; __attribute__((musttail)) return tail(n - 1, acc + n); }
static int odd(int n); static int even(int n) { return n == 0 || odd(n - 1); } static int odd(int n) { return n != 0 && even(n - 1); }
static int big_case(unsigned long v) { switch (v) { case 0xffffffffffffffff: return 1; case 0x8000000000000000: return 2; case 5 ... 9: return 3; default: return 4; } }
static int empty_switch(int v) { switch (v) {} switch (v) default: v++; switch (v) { case 1:; } return v; }
struct point { short x, y; char name[5]; }; static struct point points[] = {[2] = {.y = 7, .name = "ab"}, [0] = {1, 2, {'x'}}};
static unsigned divide(unsigned a) { return a / 7 + a % 10 + a / 641 + a % 1000; }
static long long sdivide(long long a) { return a / 7 + a % 10 + a / -3 + a % 4096 + a / 1024; }
static char large[1 << 20]; extern int tentative[]; int tentative[4];
static _BitInt(100) bits(_BitInt(100) a, int b, _BitInt(33) c) { return a * b + c; }
static inline uint32_t load32(const void *p) { uint32_t v; memcpy(&v, p, sizeof v); return v; }
static int shadow(void) { static int calls; int local = ++calls; { static int calls = 10; local += calls++; } return local; }
int main(int argc, char **argv) {
  volatile int n = 5;
  printf("%d %s %s %s %s\n", scoped(10), KIND(n + 0), KIND(1l), KIND((char *)0), KIND('a' + 0.5));
  struct list a = {0, 1}, b = {0, 2}, c = {0, 3}; a.both = &b; c.both = &b; b.both = (struct list *)((uintptr_t)&a ^ (uintptr_t)&c);
  struct list *other = (struct list *)((uintptr_t)b.both ^ (uintptr_t)&a); printf("%d\n", other->v);
  uintptr_t tagged = (uintptr_t)&b | 3; printf("%d %d\n", (int)(tagged & 7), ((struct list *)(tagged & ~(uintptr_t)7))->v);
  int v[] = {5, 3, 9, -1, 7, 0, 2}; qsort(v, 7, sizeof *v, compare); for (int i = 0; i < 7; i++) printf("%d ", v[i]);
  int key = 7; int *hit = bsearch(&key, v, 7, sizeof *v, compare); printf("%td\n", hit - v);
  enum sign s = n > 3 ? MINUS : PLUS; printf("%d %d %zu\n", s, s < NONE, sizeof s);
  for (int i = 0; i < 24; i++) (&matrix[0][0][0])[i] = i * n; printf("%d %d\n", rows(matrix, 3), *(*(*(matrix + 1) + 2) + 1));
  printf("%ld %d %d\n", tail(1000, 0), even(20), odd(20));
  printf("%d %d %d %d %d\n", big_case(-1), big_case(1ul << 63), big_case(7), big_case(10), empty_switch(n));
  printf("%d %s %d %zu\n", points[2].y, points[2].name, points[0].name[0], sizeof points / sizeof *points);
  printf("%u %u %lld %lld\n", divide(n * 123456789u), divide(-n), sdivide(n * -98765432123ll), sdivide(INT64_MIN));
  memset(large, n, sizeof large); printf("%d %d\n", large[sizeof large - 1], tentative[n & 3]);
  _BitInt(100) w = bits((_BitInt(100))1 << 90, -n, -7); printf("%lx %lx\n", (long)(w >> 64), (long)w);
  unsigned char raw[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8}; printf("%x %x\n", load32(raw + 1), load32(raw + n));
  printf("%d %d %d\n", shadow(), shadow(), n ?: 9); _Bool t = n; t += 5; t = t << 3; printf("%d %d\n", t, (_Bool)0.5);
  wchar_t wide[] = L"w\u00e9"; printf("%zu %d %d\n", wcslen(wide), wide[1], (int)sizeof u8"\u00e9"); char sc = (char)200; printf("%d %d %d\n", sc, sc >> 1, (unsigned char)sc >> 1);
  int *p = (int[]){1, 2, 3}, i = 0; p[i++] += i; printf("%d %d\n", p[0], (i, 7)); unsigned u = 1; u <<= 31; printf("%d %d\n", (int)u >> 31, -1 >> 1);
  goto inside; { int q; inside: q = n; printf("%d\n", q); }
  typeof(n) k = __builtin_choose_expr(1, 4, "no"); printf("%d %d\n", k, __builtin_types_compatible_p(int, typeof(k)));
  char *texts[] = {"one", "two" " and " "three", ""}; printf("%s%s %d\n", texts[1], texts[2], memcmp("abc", "abd", 3) < 0 && !memcmp(texts[0], "one", 4));
  struct { int n; struct { int x; } in[]; } *flex = calloc(1, sizeof *flex + 12); flex->in[2].x = 4; printf("%d\n", flex->in[2].x + flex->n); free(flex);
  unsigned char c1 = 250, c2 = 10; c1 += c2; short sh = 32767; sh++; printf("%d %d %d\n", c1, sh, c1 - c2 < 0); long neg = -n; printf("%ld %ld %lu\n", neg / 2, neg % 2, (unsigned long)neg >> 60);
  for (int x = 0, y = 10; x < y; x += 3, y--) { if (x == 3) continue; printf("%d,%d ", x, y); } puts(""); do n = n - 1; while (n > 2); return n;
}
