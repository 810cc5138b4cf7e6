#include <ctype.h>
#include <stdio.h>

int main(void)
{
  int c, inside = 0;
  long words = 0, digits = 0;
  while ((c = getchar()) != EOF) {
    if (isdigit(c))
      digits++;
    if (isspace(c)) {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      words++;
    }
  }
  printf("%ld %ld\n", words, digits);
  return 0;
}
