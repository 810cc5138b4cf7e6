//@ ends: 2 x exit, 4 x hang
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
static int g;
static int add(int a, int b) { int local[2] = {a, b}; int *p = local; return p[0] + p[1]; }
static void tick(void) { char *p = malloc(3); p[0] = (char)g; g ^= p[0] ^ p[0]; free(p); }
int main(void) {
  unsigned i, x = 1, y = 5;
  klee_make_symbolic(&i, sizeof i, "i");
  switch (i) {
  case 0: for (;;);
  case 1: while (x < y) x = add((int)x, 0);
  case 2: while (x < y) { g = 3; if (g == 3) continue; x++; }
  case 3: for (;;) { tick(); if (g) break; }
  case 4: { for (int n = 0; n < 100000; n++) { tick(); add(n, 1); g = n % 2; } return 1; }
  }
  return 0;
}
