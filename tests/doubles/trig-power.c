#include <math.h>

double f(double x, double n)
{
	if (n == 0)
		return 1;
	return pow(x, n) / n;
}

/* equal */
#include <math.h>

double f(double x, double n)
{
	double p = 1;

	if (n != 0) {
		p = pow(x, n);
		p /= n;
	}
	return p;
}

/* unequal */
#include <math.h>

double f(double x, double n)
{
	if (n == 0)
		return 1;
	return pow(x, n) * n;
}
