double f(int a, int b, int c)
{
	return (a + (double)b + c) / 3;
}

/* equal */
double f(int a, int b, int c)
{
	long long sum = (long long)a + b + c;

	return sum / 3.0;
}

/* unequal */
double f(int a, int b, int c)
{
	return (a / 3.0) + (b / 3.0) + (c / 3.0);
}
