#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
static const int table[6] = {3, 1, 4, 1, 5, 9};
int main(void) {
  unsigned i, j; int v[5] = {10, 20, 30, 40, 50}; short s[8] = {0}; char text[6] = "hello";
  struct { char tag; int value; } rows[3] = {{'a', 1}, {'b', 2}, {'c', 3}};
  klee_make_symbolic(&i, sizeof i, "i");
  klee_make_symbolic(&j, sizeof j, "j");
  klee_assume(i < 5);
  klee_assume(j < 5);
  v[i] = 7;
  v[j] += table[i];
  s[i + 1] = (short)(j * 3);
  text[j] = 'A' + (char)i;
  rows[i % 3].value += 100;
  rows[j % 3].tag++;
  int sum = 0;
  for (int k = 0; k < 5; k++) sum += v[k] * (k + 1);
  printf("%d %d %d %s %d %c\n", sum, v[2], s[3], text, rows[1].value, rows[2].tag);
  if (table[j] == 1) puts("one");
  int *p = i > 2 ? &v[i] : &sum;
  *p = 5;
  printf("%d %d\n", sum, v[3]);
  char *q = (char *)v;
  printf("%d\n", q[4 * i + 1]);
  q[j] = 1;
  printf("%d %d\n", v[0], v[1]);
  return v[i] == 7;
}
