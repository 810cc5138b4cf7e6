/* The flags of floating-point exceptions, as operations raise them and the library keeps them. */
#include <fenv.h>
#include <math.h>
#include <stdio.h>

#pragma STDC FENV_ACCESS ON

static volatile double zero, one = 1, three = 3, half = 0.5, huge = 1e308, tiny = 0x1p-1074;
static volatile double nan_value = NAN, least = 0x1p-1022;
static volatile float single = 0.1f, largest = 3.4e38f, small = 0x1p-126f;
static volatile int seven = 7;
static volatile long odd = 0x20000000000001;

static void show(const char *what) {
  printf("%s %x\n", what, fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT));
  feclearexcept(FE_ALL_EXCEPT);
}

#define SHOW(what) ((void)(what), show(#what))

static void operations(void) {
  SHOW(one + half), SHOW(one / three), SHOW(one / zero), SHOW(zero / zero), SHOW(huge * three);
  SHOW(huge - huge), SHOW(huge * 10 - huge * 10), SHOW(tiny / three), SHOW(tiny * half);
  SHOW(least * half), SHOW(least * (1 - 0x1p-53)), SHOW(least - tiny), SHOW(sqrt(three));
  SHOW(sqrt(-one)), SHOW(sqrt(4 * one)), SHOW((float)one), SHOW((float)huge), SHOW((float)tiny);
  SHOW((float)half + single), SHOW((double)single), SHOW(largest * largest), SHOW(small * single);
  SHOW(one < nan_value), SHOW(one == nan_value), SHOW(isless(one, nan_value)), SHOW(one < three);
  SHOW((int)half), SHOW((long)three), SHOW((unsigned)half), SHOW((int)(single * 100));
  SHOW((double)seven), SHOW((float)odd), SHOW((double)odd), SHOW(rint(half)), SHOW(rint(three));
  SHOW(floor(half)), SHOW(ceil(half)), SHOW(trunc(half)), SHOW(round(half)), SHOW(nearbyint(half));
  SHOW(lrint(half)), SHOW(-nan_value), SHOW(fabs(tiny));
}

static void keeping(void) {
  fenv_t environment;
  fexcept_t flags;
  feraiseexcept(FE_OVERFLOW | FE_INVALID), show("raised");
  (void)(one / three), fegetexceptflag(&flags, FE_ALL_EXCEPT), show("inexact");
  (void)(one / zero), fesetexceptflag(&flags, FE_INEXACT | FE_DIVBYZERO), show("set");
  (void)(one / three), fesetexceptflag(&flags, FE_INVALID), show("one of them");
  (void)(one / zero), feholdexcept(&environment), show("held");
  (void)(one / three), fesetenv(&environment), show("back");
  (void)(one / zero), feholdexcept(&environment);
  (void)(one / three), feupdateenv(&environment), show("both");
  (void)(one / zero), fegetenv(&environment), fesetenv(FE_DFL_ENV), show("default");
  fesetenv(&environment), show("again");
  (void)(one / zero), (void)(one / three), feclearexcept(FE_INEXACT), show("partly");
}

int main(void) {
  static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  for (int i = 0; i < 4; i++) {
    fesetround(modes[i]);
    operations();
    fesetround(FE_TONEAREST);
  }
  keeping();
  return 0;
}
