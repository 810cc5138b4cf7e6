#include <math.h>

double f(double x, double y)
{
	return exp(x) * exp(y);
}

/* equal */
#include <math.h>

double f(double x, double y)
{
	double a = exp(y), b = exp(x);

	return a * b;
}

/* unequal */
#include <math.h>

double f(double x, double y)
{
	return exp(x + y);
}
