#include <stdio.h>

int main(void)
{
  char a, b;
  int c = getchar();
  if (c == 'q')
    a = b = 'x';
  int count = (a == 'x') + (b == 'x');
  puts(count == 2 ? "both" : "fewer");
  return 0;
}
