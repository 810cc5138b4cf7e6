#include <math.h>
#include <stdio.h>
#include <string.h>

int sum(int x)
{
  char *copy = strdup("7");
  perror("sum");
  return (copy ? copy[0] - '0' : 1) + lround(x + 0.25);
}
