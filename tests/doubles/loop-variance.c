double f(double a, double b, double c)
{
	double v[] = {a, b, c}, m = (a + b + c) / 3, s = 0;

	for (int i = 0; i < 3; i++)
		s += (v[i] - m) * (v[i] - m);
	return s / 3;
}

/* equal */
double f(double a, double b, double c)
{
	double m = (b + a + c) / 3, x = a - m, y = b - m, z = c - m;

	return (x * x + y * y + z * z) / 3;
}

/* unequal */
double f(double a, double b, double c)
{
	double m = (a + b + c) / 3;

	return (a * a + b * b + c * c) / 3 - m * m;
}
