#include "../inc/factor.h"
#include "../lib/times.h"
#include "shift.h"

int other(int x)
{
	return x % 2 ? x * FACTOR : TIMES(x) >> SHIFT << SHIFT;
}
