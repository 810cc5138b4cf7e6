int f(double a, double b, double c)
{
	return a + b > c && b + c > a && c + a > b;
}

/* equal */
int f(double a, double b, double c)
{
	if (!(c < b + a))
		return 0;
	if (!(a < c + b))
		return 0;
	return b < a + c;
}

/* unequal */
int f(double a, double b, double c)
{
	return a + b >= c && b + c > a && c + a > b;
}
