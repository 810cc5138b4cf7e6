int f(double x)
{
	return x >= -1 && x <= 1;
}

/* equal */
int f(double x)
{
	return !(x < -1) && !(x > 1) && x == x;
}

/* unequal */
int f(double x)
{
	return x * x < 1;
}
