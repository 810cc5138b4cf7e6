#include <stdio.h>

int main(void) {
  int mode;
  if (scanf("%d", &mode) != 1)
    return 1;
  if (setvbuf(stdout, NULL, mode, 1024) != 0)
    puts("bad mode");
  return 0;
}
