#include "../inc/factor.h"
#include "../lib/times.h"

int other(int x)
{
	return x % 2 ? x * FACTOR : TIMES(x);
}
