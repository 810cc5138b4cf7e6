#include <math.h>

double f(double r, double x)
{
	return 2 * r * sin(x / 2);
}

/* equal */
#include <math.h>

double f(double r, double x)
{
	return sin(0.5 * x) * (r + r);
}

/* unequal */
#include <math.h>

double f(double r, double x)
{
	return 2 * r * sin(x);
}
