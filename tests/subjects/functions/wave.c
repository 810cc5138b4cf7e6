#include <math.h>

double wave(double height, double at)
{
	double power = pow(at, height);

	if (exp(at) > 1000)
		return 0;
	return height * sin(at) + power;
}
