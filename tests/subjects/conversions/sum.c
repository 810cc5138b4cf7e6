#include <stdio.h>

int main(void)
{
  char mark;
  int count, sum = 0, number;
  if (scanf("%c %d", &mark, &count) != 2)
    return 1;
  for (int i = 0; i < count && i < 2; i++)
    if (scanf("%d", &number) == 1)
      sum += number;
  printf("%c %d\n", mark, sum);
  return 0;
}
