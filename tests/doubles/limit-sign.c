int f(double x)
{
	return (x > 0) - (x < 0);
}

/* equal */
int f(double x)
{
	if (0 < x)
		return 1;
	return x < 0 ? -1 : 0;
}

/* unequal */
int f(double x)
{
	return x > 0 ? 1 : -1;
}
