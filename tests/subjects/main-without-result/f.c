#include <stdio.h>

void main(void) {
  int c = getchar();
  printf("%c", c == 'a' ? 'b' : 'c');
}
