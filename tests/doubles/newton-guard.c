double f(double a, double x)
{
	if (x == 0)
		x = 1;
	return x - (x * x - a) / (2 * x);
}

/* equal */
double f(double a, double x)
{
	double from = x != 0 ? x : 1;

	return from - (from * from - a) / (from + from);
}

/* unequal */
double f(double a, double x)
{
	if (x <= 0)
		x = 1;
	return x - (x * x - a) / (2 * x);
}
