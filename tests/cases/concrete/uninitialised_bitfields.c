/* Neighbours in a unit that was never written do not matter to the fields that were. */
#include <stdio.h>
struct flags { unsigned a : 3; unsigned b : 5; unsigned c : 1; int d : 7; unsigned rest : 16; };
struct wide { unsigned long long a : 20, b : 20, c : 24; };
static int classify(struct flags f) { return f.c ? (int)f.a : f.d; }
int main(void) {
  struct flags f;
  f.a = 5;
  if (f.a == 5) puts("a");
  f.c = 1;
  if (f.c) puts("c");
  f.d = -9;
  if (f.d < 0) puts("d");
  if (f.a + f.d < 0) puts("sum");
  printf("%d %d %d\n", f.a, f.c, f.d);
  struct flags g = f;
  g.a++;
  printf("%d %d\n", g.a, classify(g));
  struct wide w;
  w.b = 777;
  w.b *= 3;
  if (w.b > 2000) printf("%d\n", (int)w.b);
  unsigned char half;
  unsigned char *p = &half;
  *p = (unsigned char)((*p & 0xf0) | 6);
  if ((half & 0xf) == 6) puts("half");
  int word;
  ((char *)&word)[1] = 4;
  if (((char *)&word)[1] == 4) puts("byte");
  if ((word >> 8 & 0xff) == 4) puts("byte of word");
  struct { char c; int i; } padded = {1, 2}, copy = padded;
  printf("%d %d\n", copy.c, copy.i);
  return f.a;
}
