#include <stdio.h>

static int part(int depth) {
  char room[1 << 20];
  room[depth] = 1;
  return depth == 0 ? room[0] : part(depth - 1) + room[depth];
}

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  printf("%d\n", part(n > 3 ? 9 : 2));
  return 0;
}
