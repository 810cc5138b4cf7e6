#include <stdio.h>
int entry(signed char a, unsigned char b)
{
	int n = 0;
	/* What is printed here is the same in all of them. */
	if (b == 7)
		puts("seven");
	if (a > 100)
		n = 1;
	return n;
}
