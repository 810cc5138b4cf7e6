/* Which exceptions an operation raises depends on the input. */
#include <fenv.h>
#include <klee/klee.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

int main(void) {
  float a, b;
  klee_make_symbolic(&a, sizeof a, "a");
  klee_make_symbolic(&b, sizeof b, "b");
  float quotient = a / b;
  int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT);
  puts(raised & FE_INVALID ? "invalid" : raised & FE_DIVBYZERO ? "by zero" : "a number");
  if (raised & FE_OVERFLOW)
    puts("overflow");
  if (raised & FE_UNDERFLOW)
    puts("underflow");
  else if (raised & FE_INEXACT)
    puts("inexact");
  feclearexcept(FE_ALL_EXCEPT);
  int i = (int)b;
  puts(fetestexcept(FE_INEXACT) ? "cut" : fetestexcept(FE_INVALID) ? "too large" : "whole");
  return quotient == i;
}
