#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int twice(int x) { return 2 * x; }
static int negate(int x) { return -x; }
static int (*const functions[])(int) = {twice, negate, abs};
struct node { int value; struct node *next; };
int main(void) {
  unsigned char i, n, size;
  klee_make_symbolic(&i, 1, "i");
  klee_make_symbolic(&n, 1, "n");
  klee_make_symbolic(&size, 1, "size");
  klee_assume(i < 3);
  klee_assume(n < 6);
  klee_assume(size >= 1 && size < 5);
  int a = 1, b = 2, c = 3, *pointers[3] = {&a, &b, &c};
  *pointers[i] = 9;
  printf("%d %d %d %d\n", a, b, c, functions[i](-n));
  char *heap = malloc(size);
  memset(heap, n, size);
  printf("%d\n", heap[size - 1]);
  char buffer[8] = "abcdefg";
  memcpy(buffer + 1, "XYZWV", n);
  memmove(buffer, buffer + size, 3);
  printf("%s\n", buffer);
  free(heap);
  struct node nodes[3] = {{10, &nodes[1]}, {20, &nodes[2]}, {30, NULL}};
  int steps = 0;
  for (struct node *at = &nodes[i]; at; at = at->next) steps += at->value;
  printf("%d %d\n", steps, &nodes[i] == &nodes[1]);
  printf("%d\n", (int)(&nodes[2] - &nodes[i]));
  int vla[n + 1];
  for (int k = 0; k <= n; k++) vla[k] = k * i;
  return vla[n];
}
