#include <stdio.h>

#define LIMIT 5

int main(void) {
  int x;
  if (scanf("%d", &x) != 1)
    return 1;
  printf("%d\n", x > LIMIT);
  return 0;
}
