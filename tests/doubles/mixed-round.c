#include <math.h>

int f(double x)
{
	if (!(x >= 0 && x < 1000))
		return -1;
	return (int)(x + 0.5);
}

/* equal */
#include <math.h>

int f(double x)
{
	if (x < 0 || x >= 1000 || x != x)
		return -1;
	return (int)floor(x + 0.5);
}

/* unequal */
#include <math.h>

int f(double x)
{
	if (!(x >= 0 && x < 1000))
		return -1;
	return (int)round(x);
}
