#include <fenv.h>
#include <stdio.h>

#define LATE 0
#include "order.h"

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  printf("%d\n", tenth(n));
  return 0;
}
