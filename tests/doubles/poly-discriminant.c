int f(double a, double b, double c)
{
	double d = b * b - 4 * a * c;

	return d > 0 ? 2 : d == 0 ? 1 : 0;
}

/* equal */
int f(double a, double b, double c)
{
	double d = b * b - a * 4 * c;

	if (d > 0)
		return 2;
	return d == 0;
}

/* unequal */
int f(double a, double b, double c)
{
	double d = b * b - 4 * a * c;

	return d >= 0 ? 2 : 0;
}
