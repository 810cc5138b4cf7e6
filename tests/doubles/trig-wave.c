#include <math.h>

double f(double a, double x)
{
	return a * sin(x);
}

/* equal */
#include <math.h>

double f(double a, double x)
{
	double s = sin(x);

	return s * a;
}

/* unequal */
#include <math.h>

double f(double a, double x)
{
	return sin(a * x);
}
