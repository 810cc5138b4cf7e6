/* Copies, fills and allocations whose length is input. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void show(const char *p, int n) { for (int i = 0; i < n; i++) printf("%02x", (unsigned char)p[i]); puts(""); }
int main(void) {
  unsigned n, m; char text[24], from[24] = "abcdefghijklmnopqrstuvw", byte;
  klee_make_symbolic(&n, sizeof n, "n"); klee_make_symbolic(&m, sizeof m, "m"); klee_make_symbolic(&byte, sizeof byte, "byte");
  klee_assume(n <= 20); klee_assume(m < 4);
  memset(text, '.', sizeof text);
  memcpy(text, from, n); show(text, 24);
  memset(text + 3, byte, n); show(text, 24);
  memmove(from + 2, from, n); show(from, 24);
  memmove(from, from + m, n); show(from, 24);
  char *heap = malloc(m + 1); memset(heap, byte, m); heap[m] = 'z';
  heap = realloc(heap, 2 * m + 2); show(heap, (int)m + 1); free(heap);
  char local[m + 1]; memset(local, 'l', sizeof local); printf("%zu %c\n", sizeof local, local[m]);
  if (text[10] == byte) puts("filled"); else if (text[10] == '.') puts("left");
  return text[n] & 127;
}
