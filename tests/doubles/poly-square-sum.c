double f(double x, double y)
{
	return (x + y) * (x + y);
}

/* equal */
double f(double x, double y)
{
	double s = y + x;

	return s * s;
}

/* unequal */
double f(double x, double y)
{
	return x * x + 2 * x * y + y * y;
}
