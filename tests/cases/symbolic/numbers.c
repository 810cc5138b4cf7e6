#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  char text[4], *end;
  klee_make_symbolic(text, sizeof text, "text");
  text[3] = 0;
  klee_assume(text[0] != 'z' && text[1] < 'f');
  long v = strtol(text, &end, 16);
  printf("%ld %d\n", v, (int)(end - text));
  return *end == 0;
}
