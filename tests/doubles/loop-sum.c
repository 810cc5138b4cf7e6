double f(double a, double b, double c)
{
	double v[] = {a, b, c}, s = 0;

	for (int i = 0; i < 3; i++)
		s += v[i];
	return s;
}

/* equal */
double f(double a, double b, double c)
{
	return (0 + a) + b + c;
}

/* unequal */
double f(double a, double b, double c)
{
	return a + (b + c);
}
