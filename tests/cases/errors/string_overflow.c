//@ ends: 3 x exit, out-of-bounds
#include <klee/klee.h>
#include <string.h>
int main(void) {
  char text[5], *buffer = __builtin_alloca(3);
  klee_make_symbolic(text, sizeof text, "text");
  text[4] = 0;
  klee_assume(text[3] != 0);
  strcpy(buffer, text);
  return buffer[0] == 0;
}
