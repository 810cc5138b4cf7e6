#include <stdio.h>
#include "names.h"

int main(void) {
  int c = getchar();
  puts(c == 'a' ? name : __FILE__);
  return 0;
}
