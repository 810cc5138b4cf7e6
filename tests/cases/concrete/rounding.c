/* Every rounding mode, with and without the compiler knowing of it. */
#include <fenv.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include "hash.h"

static volatile double a = 1, b = 3, c = -0.1, d = 2.5, tiny = 0x1p-1074;
static volatile float f = 0.3f;
static volatile long long n = 0x7fffffffffffff3f;
static volatile unsigned long long u = 0xffffffffffff0001;
static volatile unsigned w = 0xfffffff1;

static void plain(void) {
  MIX(double, 8, a / b), MIX(double, 8, a + c), MIX(double, 8, c * d), MIX(double, 8, a - a);
  MIX(double, 8, tiny * d), MIX(double, 8, 1e308 * 10 * d), MIX(double, 8, sqrt(b));
  MIX(double, 8, fma(c, d, tiny)), MIX(double, 8, rint(d)), MIX(double, 8, nearbyint(c));
  MIX(double, 8, floor(c)), MIX(double, 8, round(d)), MIX(long, 8, lrint(d));
  MIX(float, 4, (float)c), MIX(float, 4, n), MIX(double, 8, n), MIX(double, 8, u);
  MIX(float, 4, u), MIX(float, 4, w), MIX(double, 8, w), MIX(float, 4, f / 7);
  MIX(long double, 10, (long double)a / b), MIX(long double, 10, sqrtl(c * c));
  MIX(__float128, 16, (__float128)a / b), MIX(_Float16, 2, (_Float16)f / (_Float16)3);
  MIX(double, 8, (double)((long double)c * d)), MIX(float, 4, rintf(f)), MIX(int, 4, (int)-d);
  MIX(double, 8, sin(d)), MIX(double, 8, exp(c)), MIX(double, 8, pow(b, c));
  MIX(double, 8, fmod(d, c)), MIX(double, 8, cbrt(b)), MIX(long double, 10, expl(d));
}

static void known(void) {
#pragma STDC FENV_ACCESS ON
  MIX(double, 8, a / b), MIX(double, 8, a + c), MIX(double, 8, c * d), MIX(double, 8, a - d);
  MIX(double, 8, sqrt(b)), MIX(double, 8, fma(c, d, a)), MIX(double, 8, rint(d));
  MIX(float, 4, (float)c), MIX(double, 8, f), MIX(double, 8, n), MIX(float, 4, u);
  MIX(int, 4, (int)d), MIX(unsigned, 4, (unsigned)d), MIX(int, 4, a < b), MIX(int, 4, a == c);
  MIX(double, 8, fmax(a, c)), MIX(double, 8, floor(c)), MIX(double, 8, 1.0 / 3.0);
  MIX(double, 8, -c * a + d), MIX(int, 4, isnan(a)), MIX(double, 8, pow(b, d));
}

int main(void) {
  static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  fenv_t before, inner;
  fegetenv(&before);
  for (int i = 0; i < 4; i++) {
    int set = fesetround(modes[i]), got = fegetround(), c_mode = FLT_ROUNDS;
    plain();
    known();
    feholdexcept(&inner);
    fesetround(FE_TONEAREST);
    plain();
    feupdateenv(&inner);
    int restored = fegetround() == modes[i];
    feclearexcept(FE_ALL_EXCEPT);
    fesetenv(FE_DFL_ENV);
    printf("%d %x %d %d %x %016llx\n", set, got, c_mode, restored, fegetround(),
           (unsigned long long)hash);
  }
  printf("%d %d\n", fesetround(1), fesetround(-1));
  fesetround(FE_UPWARD);
  fesetenv(&before);
  printf("%x %g\n", fegetround(), a / b);
  return 0;
}
