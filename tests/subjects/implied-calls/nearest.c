#include <math.h>

int nearest(int x)
{
  int whole = (int)round(x / 2.0);
  return whole + (int)lround(x * 1.5);
}
