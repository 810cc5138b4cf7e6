/* Products, quotients and functions of complex numbers, on corners and NaNs too. */
#include <complex.h>
#include <stdio.h>
#include <string.h>
#include "hash.h"

#define SHOW(T, size, z) \
  do { \
    T parts[2] = {__real__(z), __imag__(z)}; \
    mix(&parts[0], size); \
    mix(&parts[1], size); \
  } while (0)
#define PAIR(T, size) \
  static void pair_##size(T a, T b, T c, T d) { \
    _Complex T x = __builtin_complex(a, b), y = __builtin_complex(c, d); \
    SHOW(T, size, x * y); \
    SHOW(T, size, x / y); \
    SHOW(T, size, x + y); \
    _Complex T z = x; \
    z *= c; \
    z /= d; \
    SHOW(T, size, z); \
  }
PAIR(float, 4)
PAIR(double, 8)
PAIR(long double, 10)
PAIR(__float128, 16)

int main(void) {
  static const double v[] = {0.0, -0.0, 1, -2.5, 1e300, 1e-310, 3.7, __builtin_inf(),
                             -__builtin_inf(), __builtin_nan("")};
  enum { N = sizeof v / sizeof *v };
  for (int i = 0; i < N * N * N * N; i += 7) {
    double a = v[i % N], b = v[i / N % N], c = v[i / N / N % N], d = v[i / N / N / N];
    pair_8(a, b, c, d);
    pair_4((float)a, (float)b, (float)c, (float)d);
    if (i % 5 == 0) {
      pair_10(a, b, c, d);
      pair_16(a, b, c, d);
    }
    if (i % 1000 == 0)
      printf("%016llx\n", (unsigned long long)hash);
  }
  for (int i = 0; i < N * N; i++) {
    double complex z = __builtin_complex(v[i % N], v[i / N]);
    float complex f = z;
    double complex w[] = {csqrt(z), cexp(z), clog(z), csin(z), ccos(z), ctan(z), csinh(z),
                          ccosh(z), ctanh(z), conj(z), cproj(z), cpow(z, 1.5 + 2 * I), csqrtf(f), cexpf(f)};
    double more[] = {cabs(z), carg(z), creal(z), cimag(z), cabsf(f)};
    mix(w, sizeof w);
    mix(more, sizeof more);
  }
  printf("%016llx\n", (unsigned long long)hash);
  return 0;
}
