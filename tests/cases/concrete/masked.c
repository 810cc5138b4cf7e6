/* Loops whose vectors have masks where the machine has them. */
#include <stdio.h>
#define N 37
int a[N], b[N], c[N]; long index_of[N]; double d[N];
__attribute__((noinline)) static void conditional(int *x, const int *y, int n) { for (int i = 0; i < n; i++) if (y[i] > 3) x[i] = y[i] * 2; }
__attribute__((noinline)) static int gathered(const int *x, const long *at, int n) { int s = 0; for (int i = 0; i < n; i++) s += x[at[i]]; return s; }
__attribute__((noinline)) static void some(double *x, const int *y, int n) { for (int i = 0; i < n; i++) if (y[i] & 1) x[i] += 0.5; }
int main(void) {
  for (int i = 0; i < N; i++) { b[i] = i % 7; index_of[i] = i * 5 % N; c[i] = i * i; d[i] = i; }
  conditional(a, b, N); some(d, c, N);
  int s = 0; for (int i = 0; i < N; i++) s = s * 3 + a[i]; printf("%d %d %g\n", s, gathered(c, index_of, N), d[7] + d[8]);
  return 0;
}
