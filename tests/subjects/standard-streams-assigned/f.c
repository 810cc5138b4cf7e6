#include <stdio.h>

int main(void) {
  int n;
  FILE *before = stdout;
  if (scanf("%d", &n) != 1)
    return 1;
  if (n < 0)
    stdout = stderr;
  puts("seen");
  stdout = before;
  return 0;
}
