double f(double a, double b, double c)
{
	double m = a;

	if (b > m)
		m = b;
	if (c > m)
		m = c;
	return m;
}

/* equal */
double f(double a, double b, double c)
{
	double m = a < b ? b : a;

	return m < c ? c : m;
}

/* unequal */
double f(double a, double b, double c)
{
	if (a > b && a > c)
		return a;
	return b > c ? b : c;
}
