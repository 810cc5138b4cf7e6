#include <stdio.h>

#define LARGE 0
#include "room.h"

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  printf("%d\n", room(n));
  return 0;
}
