int f(double a, double x)
{
	double e = x * x - a;

	if (e < 0)
		e = -e;
	return e < 0.001;
}

/* equal */
int f(double a, double x)
{
	double e = x * x - a;

	return -0.001 < e && e < 0.001;
}

/* unequal */
int f(double a, double x)
{
	return x * x - a < 0.001;
}
