/* Functions, labels and cases chosen by input. */
#include <klee/klee.h>
#include <stdio.h>
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int both(int a, int b) { return a & b; }
static int (*const table[])(int, int) = {add, sub, both, add};
static int run(unsigned a, unsigned b) {
  static void *const labels[] = {&&zero, &&one, &&two, &&one};
  goto *labels[a & 3];
zero: return 100;
one: if (b & 1) goto *labels[b & 2]; return 200;
two: return 300;
}
static int longs(long long v) { switch (v) { case 1: return 1; case 0x100000001: return 2; case -1: return 3; case 100 ... 200: return 4; } return 0; }
static int wide(__int128 v) { switch (v) { case (__int128)1 << 100: return 1; case -1: return 2; } return 0; }
static int dense(int v) { switch (v) { case 0: return 5; case 1: return 7; case 2: return 11; case 3: return 13; case 4: return 1; default: return -1; } }
static const char *name(int v) { switch (v) { case 1: return "one"; case 2: return "two"; case 3: return "three"; } return "many"; }
int main(void) {
  unsigned i, j; int v; long long l; unsigned char c;
  klee_make_symbolic(&i, sizeof i, "i"); klee_make_symbolic(&j, sizeof j, "j"); klee_make_symbolic(&v, sizeof v, "v"); klee_make_symbolic(&l, sizeof l, "l"); klee_make_symbolic(&c, sizeof c, "c");
  switch (c & 7) {
  case 0: printf("%d\n", table[i % 4](v, 10)); return 0;
  case 1: return run(i, j) & 127;
  case 2: return longs(l);
  case 3: return wide((__int128)l << (i & 127));
  case 4: return dense(v) + 1;
  case 5: puts(name(v)); return 0;
  case 6: return v > 5 ? (v < 100 ? v : 99) : -v & 31;
  }
  int a = 1, b = v & 15; for (unsigned k = 0; k < (i & 3); k++) { int t = a; a = b; b = t + 1; }
  return a * 10 + b;
}
