int f(double x)
{
	return x >= 0 && x * x >= 4;
}

/* equal */
int f(double x)
{
	return x >= 2;
}

/* unequal */
int f(double x)
{
	return x > 2;
}
