#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
#include <limits.h>
#include <string.h>
int main(void) {
  int ints[] = {0, 1, -1, 7, 42, -42, INT_MAX, INT_MIN, 1234567};
  for (int i = 0; i < 9; i++) {
    int v = ints[i];
    int n = printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|%+.0d|%u|%o|%#o|%x|%#X|%08x|%-#10x|%i\n",
                   v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v);
    printf("%d\n", n);
    printf("%hhd %hd %ld %lld %jd %zd %td %hhu %hu %lu %llx\n", v, v, (long)v, (long long)v, (intmax_t)v,
           (size_t)v, (ptrdiff_t)v, v, v, (unsigned long)v, (unsigned long long)v);
    printf("%*d|%-*d|%.*d|%*.*d\n", 7, v, 7, v, 4, v, -9, 3, v);
  }
  printf("%c|%5c|%-5c|%%|%s|%10s|%-10s|%.2s|%10.1s|%s\n", 'x', 'y', 'z', "text", "right", "left", "cut", "one", "");
  printf("%.0s|%.*s|%.*s\n", "nothing", 3, "three more", -1, "all");
  printf("%s %.3s %.6s|%10s\n", (char *)NULL, (char *)NULL, (char *)NULL, (char *)NULL);
  printf("%p\n", NULL);
  double doubles[] = {0, -0.0, 1, -1.5, 3.14159265358979, 1e10, 1e-10, 123456789.123, 1e100, 5e-324, 0.5, 2.5, 99.995};
  for (int i = 0; i < 13; i++) {
    double d = doubles[i];
    printf("%f|%.0f|%10.2f|%-10.2f|%+e|%.3E|%g|%G|%#g|%.10g|%010.3f|%a\n", d, d, d, d, d, d, d, d, d, d, d, d);
  }
  volatile double zero = 0;
  printf("%f %f %F %5.1f\n", 1 / zero, -1 / zero, 1 / zero, 1 / zero);
  char buffer[20];
  memset(buffer, '#', sizeof buffer);
  int n = snprintf(buffer, 5, "%d-%s", 123, "text");
  printf("%d %s %c\n", n, buffer, buffer[5]);
  n = snprintf(NULL, 0, "%x %s", 255, "abc");
  printf("%d\n", n);
  n = snprintf(buffer, 1, "abc");
  printf("%d %d\n", n, buffer[0]);
  n = sprintf(buffer, "%s=%d", "k", 5);
  printf("%d %s\n", n, buffer);
  n = puts("returned");
  int m = fputs("x\n", stdout);
  int c = putchar(0x141);
  printf("%d %d %d %d\n", n, m >= 0, c, fputc('y', stderr));
  printf("%zu %zu %zu %zu\n", fwrite("abcd", 2, 2, stdout), fwrite("a", 0, 5, stdout), fwrite("a", 1, 0, stdout), fwrite("xyz", 3, 1, stderr));
  fprintf(stderr, "%d%s", 5, "to stderr\n");
  return printf("") + fflush(stdout);
}
