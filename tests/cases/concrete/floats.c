#include <stdio.h>
#include <math.h>
static float single(float a, float b) { return a * b + a / b - b; }
int main(void) {
  double v[] = {0.0, -0.0, 1, -1, 0.1, 1e308, -1e308, 5e-324, 1.0 / 3, 12345.678};
  volatile double zero = 0;
  for (int i = 0; i < 10; i++)
    for (int j = 0; j < 10; j++) {
      double a = v[i], b = v[j];
      printf("%.17g %.17g %.17g %d%d%d%d%d%d %.9g\n", a + b, a - b, a * b, a < b, a <= b, a == b, a != b, a > b, a >= b, (float)a + (float)b);
      if (b != 0) printf("%.17g %.9g\n", a / b, single((float)a, (float)b));
    }
  double inf = 1 / zero, nan = inf - inf;
  printf("%d%d%d%d%d %f %d\n", nan == nan, nan != nan, nan < 1, inf > 1e308, inf == inf, -inf, !nan);
  printf("%g %g\n", fabs(-2.5), -v[2]);
  float f = 16777216.0f; f += 1; printf("%.1f\n", f);
  int n = 7; n *= 1.5; n -= 0.5f; printf("%d\n", n);
  unsigned char c = 200.7; printf("%d\n", c);
  return (int)v[2];
}
