#include <math.h>

double f(double x)
{
	return 2 * sin(x) * cos(x);
}

/* equal */
#include <math.h>

double f(double x)
{
	double s = sin(x);

	return (s + s) * cos(x);
}

/* unequal */
#include <math.h>

double f(double x)
{
	return sin(2 * x);
}
