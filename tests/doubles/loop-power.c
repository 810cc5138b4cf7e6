double f(double x, int n)
{
	double p = 1;

	if (n < 0 || n > 4)
		return 0;
	for (int i = 0; i < n; i++)
		p *= x;
	return p;
}

/* equal */
double f(double x, int n)
{
	double p = 1;

	if (n < 0 || n > 4)
		return 0;
	while (n > 0) {
		p = x * p;
		n--;
	}
	return p;
}

/* unequal */
double f(double x, int n)
{
	double p = x;

	if (n < 0 || n > 4)
		return 0;
	for (int i = 1; i < n; i++)
		p *= x;
	return p;
}
