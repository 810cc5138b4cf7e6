/* The greater and the lesser of two zeros: constants, and numbers that a program computes. */
#include <math.h>
#include <stdio.h>

static volatile double zero = 0.0, minus = -0.0;
static volatile float short_zero = 0.0f, short_minus = -0.0f;

int main(void) {
  printf("%g %g %g %g\n", fmax(-0.0, 0.0), fmax(0.0, -0.0), fmin(-0.0, 0.0), fmin(0.0, -0.0));
  printf("%g %g %g\n", fmax(-0.0, -0.0), fmin(0.0, 0.0), fmax(0.0, 0.0));
  printf("%g %g %g %g\n", fmax(minus, zero), fmax(zero, minus), fmin(minus, zero),
         fmin(zero, minus));
  printf("%g %g\n", fmaxf(-0.0f, 0.0f), fminf(0.0f, -0.0f));
  printf("%g %g\n", fmaxf(short_minus, short_zero), fminf(short_zero, short_minus));
  printf("%g %g %g %g\n", fmax(minus, 0.0), fmax(0.0, minus), fmin(zero, -0.0), fmin(-0.0, zero));
  printf("%g %g %g\n", fmax(zero, -0.0), fmaxf(short_minus, 0.0f), fminf(short_zero, -0.0f));
  printf("%g %g\n", fmax(minus, __builtin_nan("")), fmin(__builtin_nan(""), minus));
  return 0;
}
