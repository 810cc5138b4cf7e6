double f(double a, double b)
{
	return (a - b) * (a + b);
}

/* equal */
double f(double a, double b)
{
	return (b + a) * (-b + a);
}

/* unequal */
double f(double a, double b)
{
	return a * a - b * b;
}
