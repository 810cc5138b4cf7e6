#include <stdio.h>

int main(void)
{
  char word[9];
  if (scanf("%8[a-z]", word) != 1) {
    puts("none");
    return 1;
  }
  printf("%s\n", word);
  return 0;
}
