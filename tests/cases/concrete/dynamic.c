/* Storage whose size or life is known at run time only. */
#include <alloca.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int vla(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++) { int v[i]; for (int j = 0; j < i; j++) v[j] = i * j; sum += v[i - 1] + (int)(sizeof v / sizeof *v); }
  return sum;
}
static int matrix(int rows, int columns, int m[rows][columns]) { int s = 0; for (int i = 0; i < rows; i++) for (int j = 0; j < columns; j++) s += m[i][j] * (i + 1); return s; }
static char *join(int n) { char *all = NULL; for (int i = 0; i < n; i++) { char *piece = alloca(4); sprintf(piece, "%d", i); all = piece; } return strdup(all); }
int main(void) {
  volatile int n = 6;
  int m[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) m[i][j] = i ^ j;
  printf("%d %d %zu\n", vla(n), matrix(n, n + 1, m), sizeof m);
  char *s = join(n); puts(s); free(s);
  void *ps[10]; void **p = &ps[0]; *p = NULL; free(*p);
  int *a = malloc(4 * sizeof *a); for (int i = 0; i < 4; i++) a[i] = i * n;
  a = realloc(a, 8 * sizeof *a); for (int i = 4; i < 8; i++) a[i] = -i;
  a = realloc(a, 2 * sizeof *a); printf("%d %d\n", a[0], a[1]); free(a);
  a = realloc(NULL, sizeof *a); *a = 5; printf("%d\n", *a); free(a);
  errno = 0; void *huge = calloc(SIZE_MAX / 2, 3); printf("%d %d\n", huge == NULL, errno == ENOMEM);
  huge = malloc(PTRDIFF_MAX - (size_t)n); printf("%d\n", huge == NULL);
  huge = reallocarray(NULL, SIZE_MAX / 4, 8); printf("%d\n", huge == NULL);
  char *none = malloc(0); printf("%d\n", none != NULL); free(none);
  int *z = calloc(5, sizeof *z); printf("%d\n", z[0] + z[4]); free(z);
  void *aligned = aligned_alloc(64, 128); printf("%d\n", (int)((uintptr_t)aligned % 64)); free(aligned);
  printf("%d\n", posix_memalign(&aligned, 4096, 100)); printf("%d\n", (int)((uintptr_t)aligned % 4096)); memset(aligned, 1, 100); free(aligned);
  printf("%d\n", posix_memalign(&aligned, 3, 100) == EINVAL);
  char text[] = "overlapping"; memmove(text + 2, text, 6); puts(text); memmove(text, text + 3, 5); puts(text);
  char *q = malloc(10), *e = q + 10; printf("%d %td %d\n", q < e, e - q, q == e - 10); free(q);
  { char block[n * 8]; memset(block, 'x', sizeof block); block[n] = 0; puts(block); }
  return vla(3);
}
