#include <math.h>

double f(double x, double y)
{
	return sqrt(x * x + y * y);
}

/* equal */
#include <math.h>

double f(double x, double y)
{
	return sqrt(y * y + x * x);
}

/* unequal */
#include <math.h>

double f(double x, double y)
{
	return sqrt((x + y) * (x + y));
}
