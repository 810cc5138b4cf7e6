/* Builtins that clang makes intrinsics of, and those that its own library has. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "hash.h"

int main(void) {
  volatile double v[] = {0.0, -0.0, 1, -1.5, 2.25, 100.125, -1e10, 0x1p-1060, 1e300,
                         __builtin_inf(), __builtin_nan("")};
  enum { N = sizeof v / sizeof *v };
  for (int i = 0; i < N; i++) {
    double x = v[i];
    float f = x;
    long double l = x;
    __float128 q = x;
    _Float16 h = x;
    MIX(double, 8, __builtin_sin(x)), MIX(float, 4, __builtin_cosf(f));
    MIX(long double, 10, __builtin_expl(l)), MIX(double, 8, __builtin_exp10(x));
    int e = 0;
    MIX(double, 8, __builtin_frexp(x, &e)), MIX(int, 4, e);
    MIX(float, 4, __builtin_frexpf(f, &e)), MIX(int, 4, e);
    MIX(long double, 10, __builtin_frexpl(l, &e)), MIX(int, 4, e);
    MIX(double, 8, __builtin_tan(x)), MIX(double, 8, __builtin_log2(x));
    MIX(_Float16, 2, __builtin_fmaf16(h, h, (_Float16)1e-4)), MIX(_Float16, 2, __builtin_floorf16(h));
    MIX(__float128, 16, __builtin_floorf128(q)), MIX(__float128, 16, __builtin_sqrtf128(q));
    for (int j = 0; j < N; j++) {
      double y = v[j];
      float g = y;
      MIX(double, 8, __builtin_fmod(x, y)), MIX(float, 4, __builtin_fmodf(f, g));
      MIX(double, 8, __builtin_pow(x, y)), MIX(long double, 10, __builtin_fminl(l, y));
      MIX(long double, 10, __builtin_fmaxl(l, y)), MIX(__float128, 16, __builtin_fminf128(q, y));
      MIX(__float128, 16, __builtin_fmaxf128(q, y));
      MIX(float, 4, __builtin_fmaf(f, g, f));
    }
    for (int n = -40; n <= 40; n += 8) {
      MIX(double, 8, __builtin_powi(x, n)), MIX(float, 4, __builtin_powif(f, n));
      MIX(long double, 10, __builtin_powil(l, n)), MIX(double, 8, __builtin_ldexp(x, n));
    }
    printf("%016llx\n", (unsigned long long)hash);
  }
  return 0;
}
