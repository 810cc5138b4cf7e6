/* The C library's own code on symbolic numbers. */
#include <fenv.h>
#include <klee/klee.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  int n, mode;
  float f, g;
  double d;
  klee_make_symbolic(&n, sizeof n, "n");
  klee_make_symbolic(&f, sizeof f, "f");
  klee_make_symbolic(&g, sizeof g, "g");
  klee_make_symbolic(&d, sizeof d, "d");
  klee_make_symbolic(&mode, sizeof mode, "mode");
  switch (klee_range(0, 8, "which")) {
  case 0:
    if (n > 2)
      return pow(3, d == 4 ? 2 : 3) + 0.5;
    return n > 0 ? atan2(-1, 2) < 0 : (int)cosh(2);
  case 1:
    klee_assume(n >= 0);
    klee_assume(n < 4);
    return sin(n) < cos(n);
  case 2:
    klee_assume(f > 1.0f);
    klee_assume(f < 8.0f);
    return fmodf(f, 1.5f) > 1.25f;
  case 3:
    return nextafter(d, 1.0) == 1.0;
  case 4:
    klee_assume(f > 1.0f);
    klee_assume(f < 1000.0f);
    return ilogbf(f);
  case 5:
    if (fesetround(mode))
      return 20;
    return 1.0f / (f > 2.0f && f < 3.0f ? f : 3.0f) > 0x1.555556p-2f;
  case 6:
    return fdim(d, 4.0) == 1.0;
  case 7:
    return fmaxf(f, g) == 7.0f;
  }
  return 0;
}
