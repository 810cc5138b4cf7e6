double f(double a, double b, double c, double d)
{
	double v[] = {a, b}, w[] = {c, d}, s = 0;

	for (int i = 0; i < 2; i++)
		s += v[i] * w[i];
	return s;
}

/* equal */
double f(double a, double b, double c, double d)
{
	double first = 0 + c * a;

	return first + d * b;
}

/* unequal */
double f(double a, double b, double c, double d)
{
	return a * c + b * d;
}
