double f(double a, double b)
{
	return (a + b) / 2;
}

/* equal */
double f(double a, double b)
{
	return 0.5 * (b + a);
}

/* unequal */
double f(double a, double b)
{
	return a / 2 + b / 2;
}
