#include <math.h>

double f(double degrees)
{
	return sin(degrees * 3.14159265358979 / 180);
}

/* equal */
#include <math.h>

static double radians(double d)
{
	return 3.14159265358979 * d / 180;
}

double f(double degrees)
{
	return sin(radians(degrees));
}

/* unequal */
#include <math.h>

double f(double degrees)
{
	return sin(degrees * (3.14159265358979 / 180));
}
