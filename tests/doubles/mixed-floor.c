#include <math.h>

int f(int n)
{
	return (int)floor((double)n / 10);
}

/* equal */
int f(int n)
{
	return n / 10 - (n % 10 < 0);
}

/* unequal */
int f(int n)
{
	return n / 10;
}
