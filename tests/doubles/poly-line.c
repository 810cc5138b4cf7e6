double f(double a, double x, double b)
{
	return a * x + b;
}

/* equal */
double f(double a, double x, double b)
{
	double t = x * a;

	t += b;
	return t;
}

/* unequal */
double f(double a, double x, double b)
{
	return a * (x + b);
}
