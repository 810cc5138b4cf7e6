double f(double a, double x)
{
	return (x + a / x) / 2;
}

/* equal */
double f(double a, double x)
{
	double q = a / x;

	return (q + x) * 0.5;
}

/* unequal */
double f(double a, double x)
{
	return x - (x * x - a) / (2 * x);
}
