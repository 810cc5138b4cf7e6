/* Functions of the program come before those of the C library, but not for its own code. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

double expm1(double x) { return x + 100; }
double scalbn(double x, int n) { return x * 3 + n; }
double lgamma_r(double x, int *sign) { return *sign = 5, x; }
size_t strlen(const char *s) { return *s == 'l'; }
int tolower(int c) { return c == 'A' ? 'z' : c; }
long strtol(const char *s, char **end, int base) { return base; }

int main(void) {
  int sign;
  char *copy = strdup("longer");
  printf("%s %d %d %d\n", copy, (int)strlen(copy), strcasecmp("A", "a"), tolower('A'));
  printf("%d %ld\n", atoi("77"), strtol("77", NULL, 9));
  strcat(copy, "");
  printf("%.17g %.17g %.17g\n", sinh(1.5), ldexp(1, 3), lgamma(2.5) + lgamma_r(2, &sign));
  return sign;
}
