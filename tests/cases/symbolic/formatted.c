#include <klee/klee.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  int x; unsigned char c; short s;
  klee_make_symbolic(&x, sizeof x, "x");
  klee_make_symbolic(&c, sizeof c, "c");
  klee_make_symbolic(&s, sizeof s, "s");
  klee_assume(x > -2000 && x < 2000);
  char buffer[32];
  int n = sprintf(buffer, "%d", x);
  printf("%d %c %zu\n", n, buffer[0], strlen(buffer));
  if (buffer[n - 1] == '7') puts("ends in 7");
  n = snprintf(buffer, 4, "%05d", x);
  printf("%d %s\n", n, buffer);
  n = printf("%x|%5d|%-4hhd|%+d|%o|%u|%#x|%.3d|%03d|%ld|%i\n", x, x, c, s, c, x, c, s, c, (long)x * 1000, s);
  printf("%d%c%s%c\n", n, c, x > 0 ? "+" : "-", '!');
  return n;
}
