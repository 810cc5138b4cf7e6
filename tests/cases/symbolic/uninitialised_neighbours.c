#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
struct bits { unsigned a : 5, b : 9, c : 3; signed d : 6; };
struct padded { char c; int i; char e; };
static struct padded pass(struct padded p) { p.i++; return p; }
int main(void) {
  int x; struct bits f; struct padded p, q;
  klee_make_symbolic(&x, sizeof x, "x");
  f.b = (unsigned)x; f.d = x;
  p.c = (char)x; p.i = x; p.e = 'e';
  q = pass(pass(p));
  struct padded copy[2];
  memcpy(&copy[x & 1], &q, sizeof q);
  if (f.b > 100) puts("b");
  if (f.d == -3) puts("d");
  f.d--;
  if (f.d == -4) puts("d again");
  printf("%d %d %d %d\n", f.b, f.d, q.i, copy[x & 1].i);
  int maybe;
  if (x > 5) maybe = x;
  int other = maybe;
  if (x > 7 && other == 9) puts("nine");
  char text[8];
  text[0] = (char)x; text[1] = 0;
  return text[0] == 'a';
}
