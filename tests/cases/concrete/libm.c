/* Functions without a single right result, on corners and random operands, bit for bit. */
#include <math.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include "hash.h"

static unsigned long long state = 88172645463325252ull;
static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static const double corners[] = {
    0.0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 10, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp+1023,
    -0x1.fffffffffffffp+1023, 709.78, -745.2, 0.7853981633974483, 1.5707963267948966,
    3.141592653589793, 100.5, 1e22, 170.7, -170.5, 0x1p-30, 0.9999999999999999,
    __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
enum { CORNERS = sizeof corners / sizeof *corners, OPERANDS = CORNERS + 12 };

static double d[OPERANDS];
static float f[OPERANDS];
static long double l[OPERANDS];

static void operands(void) {
  for (int i = 0; i < OPERANDS; i++) {
    if (i < CORNERS)
      d[i] = corners[i];
    else if (i % 2)
      d[i] = (double)(int64_t)next() * 0x1p-58;
    else {
      uint64_t bits = next();
      memcpy(&d[i], &bits, 8);
    }
    f[i] = (float)d[i];
    l[i] = (long double)d[i] * (i < CORNERS ? 1 : 1.0000000000000000001L);
  }
}

static void start(void) { hash = 14695981039346656037ull; }
static void say(const char *name) { printf("%s %016llx\n", name, (unsigned long long)hash); }

#define UNARY(name) \
  start(); \
  for (int i = 0; i < OPERANDS; i++) { \
    double a = name(d[i]); \
    float b = name##f(f[i]); \
    long double c = name##l(l[i]); \
    mix(&a, 8); \
    mix(&b, 4); \
    mix(&c, 10); \
  } \
  say(#name)
#define BINARY(name) \
  start(); \
  for (int i = 0; i < OPERANDS; i++) \
    for (int j = i % 4; j < OPERANDS; j += 4) { \
      double a = name(d[i], d[j]); \
      float b = name##f(f[i], f[j]); \
      mix(&a, 8); \
      mix(&b, 4); \
      if (i < 16 || j < 16) { \
        long double c = name##l(l[i], l[j]); \
        mix(&c, 10); \
      } \
    } \
  say(#name)
#define INTEGER(name) \
  start(); \
  for (int i = 0; i < OPERANDS; i++) { \
    int a = name(d[i]), b = name##f(f[i]), c = name##l(l[i]); \
    mix(&a, 4); \
    mix(&b, 4); \
    mix(&c, 4); \
  } \
  say(#name)

int main(void) {
  operands();
  UNARY(sin); UNARY(cos); UNARY(tan); UNARY(asin); UNARY(acos); UNARY(atan);
  UNARY(sinh); UNARY(cosh); UNARY(tanh); UNARY(asinh); UNARY(acosh); UNARY(atanh);
  UNARY(exp); UNARY(exp2); UNARY(expm1); UNARY(log); UNARY(log2); UNARY(log10); UNARY(log1p);
  UNARY(cbrt); UNARY(erf); UNARY(erfc); UNARY(tgamma); UNARY(logb); UNARY(fabs);
  BINARY(pow); BINARY(atan2); BINARY(hypot); BINARY(fdim); BINARY(nextafter);
  BINARY(remainder); BINARY(copysign); BINARY(fmin); BINARY(fmax); BINARY(fmod);
  INTEGER(ilogb);
  start();
  for (int i = 0; i < OPERANDS; i++) {
    double a = lgamma(d[i]);
    mix(&signgam, sizeof signgam);
    mix(&a, 8);
    float b = lgammaf(f[i]);
    mix(&signgam, sizeof signgam);
    mix(&b, 4);
    long double c = lgammal(l[i]);
    mix(&signgam, sizeof signgam);
    mix(&c, 10);
    for (int j = 0; j < OPERANDS; j += 5) {
      int q = 0;
      a = remquo(d[i], d[j], &q), mix(&a, 8), mix(&q, 4);
      b = remquof(f[i], f[j], &q), mix(&b, 4), mix(&q, 4);
      a = nexttoward(d[i], l[j]), mix(&a, 8);
    }
    a = ldexp(d[i], i - 20), mix(&a, 8);
    b = scalbnf(f[i], i - 20), mix(&b, 4);
    c = scalblnl(l[i], i - 20), mix(&c, 10);
    int exponent = 0;
    a = frexp(d[i], &exponent), mix(&a, 8), mix(&exponent, 4);
    double whole;
    a = modf(d[i], &whole), mix(&a, 8), mix(&whole, 8);
  }
  say("several");
  return 0;
}
