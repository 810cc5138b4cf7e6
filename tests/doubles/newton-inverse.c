double f(double d, double x)
{
	return x * (2 - d * x);
}

/* equal */
double f(double d, double x)
{
	return (2 - x * d) * x;
}

/* unequal */
double f(double d, double x)
{
	return 2 * x - d * x * x;
}
