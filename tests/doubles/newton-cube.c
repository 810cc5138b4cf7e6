double f(double a, double x)
{
	return (2 * x + a / (x * x)) / 3;
}

/* equal */
double f(double a, double x)
{
	double s = x * x;

	return (x + x + a / s) / 3;
}

/* unequal */
double f(double a, double x)
{
	return (2 * x + a / x / x) / 3;
}
