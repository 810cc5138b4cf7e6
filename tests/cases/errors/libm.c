//@ ends: exit, out-of-bounds, uninitialised-read and exit
#include <klee/klee.h>
#include <math.h>
#include <stdlib.h>

int main(void) {
  double unset[2];
  int *exponent = malloc(2);
  switch (klee_range(0, 3, "which")) {
  case 0:
    return sin(1) > 2;
  case 1:
    return frexp(3, exponent) > 1;
  default:
    return log(unset[1]) > 1;
  }
}
