#include <stdio.h>

#define WAY 1
#include "ways.h"

int main(void) {
  printf("%d\n", last());
  return 0;
}
