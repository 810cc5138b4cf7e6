/* Vectors of GNU C. */
#include <stdio.h>
#include <string.h>
typedef int v4si __attribute__((vector_size(16)));
typedef unsigned v4u __attribute__((vector_size(16)));
typedef long long v2di __attribute__((vector_size(16)));
typedef short v8hi __attribute__((vector_size(16)));
typedef signed char v16qi __attribute__((vector_size(16)));
typedef unsigned char v16qu __attribute__((vector_size(16)));
typedef float v4sf __attribute__((vector_size(16)));
typedef double v2df __attribute__((vector_size(16)));
typedef int v8si __attribute__((vector_size(32)));
typedef _Bool mask4 __attribute__((ext_vector_type(4)));
typedef _Bool mask8 __attribute__((ext_vector_type(8)));
typedef int e3 __attribute__((ext_vector_type(3)));
static void show(const char *what, v4si v) {
  printf("%s %d %d %d %d\n", what, v[0], v[1], v[2], v[3]);
}
static v4si choose(v4si c, v4si a, v4si b) { return (a & c) | (b & ~c); }
static v8si twice(v8si v) { return v + v; }
struct holder { char tag; v4si v; };
static mask4 less(v4si a, v4si b) { return __builtin_convertvector(a < b, mask4); }
int main(int argc, char **argv) {
  volatile int n = 3;
  v4si a = {1, -2, n, 0x7fffffff}, b = {5, n, -7, 1};
  show("+", a + b); show("-", a - b); show("*", a * b); show("/", b / (a | 1)); show("%", b % (a | 1));
  show("&", a & b); show("^", a ^ ~b); show("<<", a << (b & 7)); show(">>", a >> (b & 7));
  show("u>>", (v4si)((v4u)a >> (v4u)(b & 7)));
  show("<", a < b); show("==", a == a); show(">=", a >= b); show("?:", choose(a > 0, a, b));
  show("-", -a); show("s*", a * 3);
  show("shuffle", __builtin_shufflevector(a, b, 3, 4, 1, 6));
  show("shuffle2", __builtin_shufflevector(a, b, -1, 0, 7, 7) & (v4si){0, -1, -1, -1});
  printf("%d %d\n", a[n - 1], b[n & 1]);
  a[n] = 42; b[n - 2] += 5;
  show("a", a); show("b", b);
  v2di l = {n, -n}; l *= l;
  printf("%lld %lld\n", l[0], l[1]);
  v8hi h = {1, 2, 3, 4, 5, 6, 7, (short)n};
  v4si widened = __builtin_convertvector(__builtin_shufflevector(h, h, 0, 2, 4, 7), v4si);
  show("widened", widened);
  v16qi q; memset(&q, n, sizeof q); q = q * q - 20;
  v16qu u = (v16qu)q;
  printf("%d %d\n", q[5], u[15]);
  v4si punned = (v4si)u; show("punned", punned);
  v4sf f = __builtin_convertvector(a, v4sf) * 0.5f;
  printf("%g %g %g %g\n", f[0], f[1], f[2], f[3]);
  v2df d = {n, 1.5}; d = d / 2 + d;
  printf("%g %g\n", d[0], d[1]);
  show("f<", f < 1.0f);
  v8si big = twice((v8si){1, 2, 3, 4, 5, 6, 7, n});
  printf("%d %d\n", big[0], big[7]);
  struct holder t = {'t', a}; struct holder t2 = t;
  show("held", t2.v);
  mask4 m = less(a, b);
  printf("%d%d%d%d\n", m[0], m[1], m[2], m[3]);
  e3 three = {1, 2, n}; three = three.zyx * 2;
  printf("%d %d %d %zu\n", three.x, three.y, three.z, sizeof three);
  printf("%d %d %d %d\n", __builtin_reduce_add(a), __builtin_reduce_max(b), __builtin_reduce_xor(a), __builtin_reduce_min(a));
  show("max", __builtin_elementwise_max(a, b)); show("abs", __builtin_elementwise_abs(a));
  show("sat", __builtin_elementwise_add_sat(a, (v4si){0x7fffffff, -1, 1, 1}));
  mask8 bits = {1, 0, 1, 1, 0, 0, 1, n & 1};
  unsigned char byte; memcpy(&byte, &bits, 1);
  printf("%d\n", byte);
  v4si *array = (v4si[]){a, b, a + b};
  for (int i = 0; i < 3; i++) show("array", array[i]);
  return a[0] + b[1];
}
