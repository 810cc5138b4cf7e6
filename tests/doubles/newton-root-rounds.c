double f(double a)
{
	double x = 1;

	for (int i = 0; i < 4; i++)
		x = (x + a / x) / 2;
	return x;
}

/* equal */
double f(double a)
{
	double x = (1 + a) / 2;

	for (int i = 1; i < 4; i++)
		x = 0.5 * (a / x + x);
	return x;
}

/* unequal */
double f(double a)
{
	double x = 1;

	for (int i = 0; i < 3; i++)
		x = (x + a / x) / 2;
	return x;
}
