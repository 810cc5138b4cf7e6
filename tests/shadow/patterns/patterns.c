#include <stdio.h>

static int half(int n)
{
	return n / 2;
}

int patterns(int x, int a)
{
	int y;
	int z = x * 2;

	y = x + 1;
	if (x > 5)
		y = 2;
	if (a > 3 && x > 1)
		y++;
	if (a < 0 || x < 0)
		y--;
	z = half(z);
	if (z > 20)
		y = y * 3;
	if (y == 7)
		z = 4;
	printf("%d\n", y);
	return z;
}
