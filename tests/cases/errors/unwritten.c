//@ ends: 5 x exit, 11 x uninitialised-read and exit
#include <klee/klee.h>
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct padded {
  char c;
  int i;
};

union wide {
  char c;
  long l;
};

static int forgets(int x) {
  if (x > 100)
    return 1;
}
static int ignores(int x) { return 3; }
static int keeps(int x) { return x; }

/* So that the stack and the heap hold something else than zeros. */
static void soil(int n) {
  volatile char bytes[2000];
  char *heap[8];
  for (int i = 0; i < 2000; i++)
    bytes[i] = 0x5a;
  for (int i = 0; i < 8; i++)
    memset(heap[i] = malloc(16 << i), 0x5a, 16 << i);
  for (int i = 0; i < 8; i++)
    free(heap[i]);
}

static int used(int which, int k) {
  int scalar, array[4], *grown;
  int length = 3 + which % 2, variable[length];
  struct padded first, second;
  union wide wide;
  char *dynamic = alloca(length);
  int total = 0;
  switch (which) {
  case 0:
    return scalar + 7 == 7;
  case 1:
    return array[3] == 0;
  case 2:
    return variable[2] == 0;
  case 3:
    return dynamic[1] == 0;
  case 4:
    first.c = 1, first.i = 2;
    second = first;
    return ((char *)&second)[1] == 0;
  case 5:
    return ((int *)malloc(64))[5] == 0;
  case 6:
    grown = malloc(20);
    grown[0] = 4;
    grown = realloc(grown, 200);
    return grown[0] == 4 && grown[40] == 0;
  case 7:
    wide.c = 1;
    return wide.l == 1;
  case 8:
    /* Only one of the four. */
    array[0] = array[1] = array[2] = 5;
    return array[k] > 3;
  case 9:
    return forgets(1) == 0;
  case 10:
    /* Passed on and not looked at. */
    forgets(2);
    return ignores(scalar) + keeps(5);
  case 11:
    for (int i = 0; i < 3; i++) {
      int last;
      if (i > 0 && last > i)
        total += last;
      last = 5;
    }
    return total;
  case 12:
    switch (k) {
      int jumped;
    case 3:
      return jumped == 0;
    default:
      return 9;
    }
  case 13:
    return (scalar & 0) | (keeps(scalar) ^ scalar) * 0;
  }
  return 99;
}

int main(void) {
  int which, k;
  klee_make_symbolic(&which, sizeof which, "which");
  klee_make_symbolic(&k, sizeof k, "k");
  klee_assume(which >= 0 & which < 14 & k >= 0 & k < 4);
  soil(which);
  for (volatile int i = 0; i < 14; i++)
    if (which == i)
      return used(i, k);
  return 1;
}
