/* Vectors, and loops that become vectors, on input. */
#include <klee/klee.h>
#include <stdio.h>
typedef int v4si __attribute__((vector_size(16)));
typedef unsigned char v8qu __attribute__((vector_size(8)));
int main(void) {
  int a[8], n; unsigned char s[8];
  klee_make_symbolic(a, sizeof a, "a"); klee_make_symbolic(&n, sizeof n, "n"); klee_make_symbolic(s, sizeof s, "s");
  v4si x = {a[0], a[1], a[2], a[3]}, y = {a[4], a[5], a[6], a[7]}; v4si less = x < y; v4si m = (x & less) | (y & ~less);
  printf("%d %d %d %d\n", m[0], m[1], m[2], m[3]); printf("%d\n", x[n & 3]); y[n & 1] = 7; printf("%d %d\n", y[0], y[1]);
  printf("%d\n", __builtin_reduce_add(__builtin_shufflevector(x, y, 0, 5, 2, 7)) + __builtin_reduce_max(x));
  v8qu q = {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]}; q = q + 3 ^ q >> 1; printf("%d %d\n", q[0], q[7]);
  int sum = 0, best = a[0]; unsigned hash = 0; for (int i = 0; i < 8; i++) { sum += a[i] & 0xff; best = a[i] > best ? a[i] : best; hash = hash * 31 + s[i]; }
  printf("%d %d %u\n", sum, best, hash);
  int count = 0; for (int i = 0; i < 8; i++) count += s[i] == 'x';
  return count > 3 ? 1 : sum > 1000 ? 2 : 0;
}
