#include <math.h>

double f(double x)
{
	return sin(x) * sin(x) + cos(x) * cos(x);
}

/* equal */
#include <math.h>

double f(double x)
{
	double s = sin(x), c = cos(x);

	return c * c + s * s;
}

/* unequal */
#include <math.h>

double f(double x)
{
	return 1;
}
