/* Where glibc and musl differ: signs of NaNs, hexadecimal numbers that round to infinity, empty names of
   environment variables, seeds after lcong48, quotients of remquo. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void number(const char *text) {
  char *end;
  errno = 0;
  double d = strtod(text, &end);
  printf("%d %d %d %d\n", !!signbit(d), isnan(d), (int)(end - text), errno);
  errno = 0;
  float f = strtof(text, &end);
  printf("%d %d %d %d\n", !!signbit(f), isnan(f), (int)(end - text), errno);
}

int main(void) {
  static const char *const texts[] = {"nan",  "-nan", " \t-NaNx", "+nan", "inf",
                                      "-inf", "1e999", "0x1.fffffffffffff8p1023", "-0x1p1024", "0x1p1023"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
    number(texts[i]);
  static char named[] = "=x", nothing[] = "";
  printf("%d\n", putenv(named));
  printf("%d\n", putenv(nothing));
  unsigned short parameters[7] = {1, 2, 3, 4, 5, 6, 7};
  lcong48(parameters);
  printf("%ld\n", lrand48());
  srand48(5);
  printf("%ld\n", lrand48());
  for (int i = -40; i <= 40; i += 5) {
    int q, r, s;
    remquo(i, 1.5, &q), remquof(i, 1.5f, &r), remquol(i, 1.5L, &s);
    printf("%d %d %d\n", q, r, s);
  }
  return 0;
}
