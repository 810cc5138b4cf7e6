#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int value; struct node *next; };
static int square(int x) { return x * x; }
static int twice(int x) { return 2 * x; }
static int (*const functions[])(int) = {square, twice, NULL};
static int apply(int (*f)(int), int x) { return f(x); }
static int (*choose(int n))(int) { return n & 1 ? square : twice; }
static int numbers[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
static int *middle = &numbers[5];
static int **handle = &middle;
static const char *const words[] = {"zero", "one", "two" + 1, "three" + 2};
static struct node c = {3, NULL}, b = {2, &c}, a = {1, &b};
static ptrdiff_t difference(int *x, int *y) { return x - y; }
static int counter(void) { static int n = 10; return n++; }
static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static unsigned ackermann(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
int main(void) {
  for (int i = 0; functions[i]; i++) printf("%d ", apply(functions[i], 7));
  printf("%d %d\n", choose(1)(5), (*choose(2))(5));
  printf("%d %d %d %td\n", *middle, **handle, middle[-2], difference(numbers + 10, *handle));
  *handle = numbers + 1;
  *middle++ += 50;
  printf("%d %d\n", numbers[1], *middle);
  for (const char *const *w = words; w != words + 4; ++w) printf("%s ", *w);
  puts("");
  for (struct node *n = &a; n; n = n->next) printf("%d ", n->value);
  int *end = numbers + 10, *p = numbers;
  while (p < end) *p++ ^= 1;
  printf("%d %d %d %d\n", p == end, p >= end, p - numbers == 10, (char *)p - (char *)numbers);
  counter(); counter();
  printf("%d %u %u\n", counter(), fibonacci(15), ackermann(2, 4));
  int matrix[3][4], (*row)[4] = matrix;
  for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) matrix[i][j] = i * 10 + j;
  printf("%d %d %d %zu\n", row[2][1], *(*(matrix + 1) + 3), (*++row)[0], sizeof *row);
  void *zero = malloc(0);
  free(zero);
  free(NULL);
  int *dangling = malloc(4);
  int *other = dangling;
  free(dangling);
  printf("%d %d\n", dangling == other, dangling != NULL);
  uintptr_t bits = (uintptr_t)&numbers[3];
  printf("%d %d\n", *(int *)bits, *(int *)(bits + 4));
  char text[] = "overlapping";
  memmove(text + 2, text, 6); puts(text);
  memmove(text, text + 3, 5); puts(text);
  int n = 5, vla[n + 2];
  for (int i = 0; i < n + 2; i++) vla[i] = i * i;
  printf("%zu %d\n", sizeof vla, vla[6]);
  goto inside;
  while (n--) {
    puts("skipped the first test");
  inside:
    if (n == 3) break;
  }
  void *labels[] = {&&one, &&two};
  goto *labels[n & 1];
one: puts("one");
two: puts("two");
  size_t o = offsetof(struct node, next);
  printf("%zu %d\n", o, &a < &a + 1);
  return 0;
}
