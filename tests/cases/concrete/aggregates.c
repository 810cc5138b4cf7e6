/* Structs and unions in registers, in memory, nested, large, flexible and empty. */
#include <complex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { long a, b; };
struct mixed { int a; double b; };
struct odd { int a; char b; char c[3]; };
struct floats { float x, y, z; };
struct big { int v[20]; };
struct empty {};
struct wrap { struct empty e; struct pair p; struct empty f; };
union any { int i; float f; char c[8]; struct pair *p; };
struct flexible { int n; int v[]; };
struct nested { struct { struct odd o; union any u; } in; struct floats f[2]; };
static struct pair pair(long a, long b) { return (struct pair){a, b}; }
static struct mixed mixed(int a) { return (struct mixed){a, a / 2.0}; }
static struct odd odd(int a) { return (struct odd){a, (char)a, {1, 2, (char)(a + 1)}}; }
static struct floats floats(float x) { return (struct floats){x, x + 1, x * 2}; }
static struct big big(int n) { struct big b; for (int i = 0; i < 20; i++) b.v[i] = n * i; return b; }
static struct empty empty(void) { return (struct empty){}; }
static struct wrap wrap(struct wrap w) { w.p.a++; return w; }
static union any any(union any u) { u.i += 1; return u; }
static int total(struct big b, struct pair p, struct odd o) {
  int sum = (int)(p.a + p.b) + o.a + o.c[2];
  for (int i = 0; i < 20; i++) sum += b.v[i];
  b.v[0] = 1000;
  return sum;
}
static struct nested nested(struct nested n) { n.in.o.a *= 2; n.f[1] = n.f[0]; return n; }
static struct big (*table[])(int) = {big, big};
static double complex half(double complex z) { return z * 0.5 + 1.0; }
static float complex small(float complex z) { return z + 1.0f * I; }
static _Complex int integers(_Complex int z, _Complex int w) { return z * w + 3; }
static struct pair choose(int c, struct pair a, struct pair b) { return c ? a : b; }
static int *zero[0];
int main(int argc, char **argv) {
  volatile int n = 5;
  struct pair p = pair(n, -n); struct mixed m = mixed(n); struct odd o = odd(n); struct floats f = floats(n);
  printf("%ld %ld %d %g %d %d %d %g %g %g\n", p.a, p.b, m.a, m.b, o.a, o.b, o.c[2], f.x, f.y, f.z);
  struct big b = big(n);
  printf("%d %d\n", total(b, p, o), b.v[0]);
  printf("%d %d\n", table[n & 1](n).v[19], big(2).v[3]);
  empty();
  struct wrap w = wrap((struct wrap){.p = p}); printf("%ld %zu %zu\n", w.p.a, sizeof w, sizeof(struct empty));
  union any u = {.f = 1.0f}; u = any(u); printf("%x %g\n", u.i, u.f);
  struct flexible *x = malloc(sizeof *x + 4 * sizeof(int)); x->n = 4; for (int i = 0; i < 4; i++) x->v[i] = i * n;
  struct flexible *y = malloc(sizeof *x + 4 * sizeof(int)); memcpy(y, x, sizeof *x + 4 * sizeof(int));
  printf("%d %zu\n", y->v[3], offsetof(struct flexible, v)); free(x); free(y);
  struct nested t = {0}; t.in.o = o; t.f[0] = f; t = nested(t);
  printf("%d %g %d\n", t.in.o.a, t.f[1].z, t.in.o.c[0]);
  double complex z = half(n + 2.0 * I); printf("%g %g\n", creal(z), cimag(z));
  float complex s = small(n); printf("%g %g\n", crealf(s), cimagf(s));
  _Complex int k = integers(n + 2i, 3 - 1i); printf("%d %d\n", __real__ k, __imag__ k);
  printf("%d %d\n", k == k, (k + 1i) == k);
  p = choose(n > 3, p, pair(7, 8)); printf("%ld\n", p.b);
  int sum = ({ int q = n; q *= 2; q + 1; }); printf("%d %zu\n", sum, sizeof zero);
  struct { unsigned a : 1; int b : 5; unsigned long long c : 40; unsigned : 0; int d : 17; _Bool e : 1; } bits = {1, -3, 0xabcdef1234, -5, 1};
  bits.c += n; bits.b--; bits.d *= n; printf("%d %d %llx %d %d\n", bits.a, bits.b, (unsigned long long)bits.c, bits.d, bits.e);
  struct __attribute__((packed)) { char c; unsigned long long v : 61; unsigned w : 7; } tight = {'t', 0x1234567890abcdef, 99};
  tight.v >>= n; printf("%llx %u %zu\n", (unsigned long long)tight.v, tight.w, sizeof tight);
  return total(b, p, o) & 127;
}
