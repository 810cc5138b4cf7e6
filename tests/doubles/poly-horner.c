double f(double x)
{
	return 1 + x * (2 + x * (3 + x * 4));
}

/* equal */
double f(double x)
{
	static const double c[] = {4, 3, 2, 1};
	double r = c[0];

	for (int i = 1; i < 4; i++)
		r = c[i] + r * x;
	return r;
}

/* unequal */
double f(double x)
{
	return 1 + 2 * x + 3 * x * x + 4 * x * x * x;
}
