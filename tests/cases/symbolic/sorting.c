#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
int main(void) {
  int v[3], key = 5;
  klee_make_symbolic(v, sizeof v, "v");
  qsort(v, 3, sizeof *v, compare);
  printf("%d %d %d %d\n", v[0], v[1], v[2], bsearch(&key, v, 3, sizeof *v, compare) != NULL);
  return v[0] <= v[1] && v[1] <= v[2];
}
