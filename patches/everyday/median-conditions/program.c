#include <stdio.h>

int main(void)
{
	int x, y, z, middle = 0;

	printf("Three numbers: ");
	scanf("%d %d %d", &x, &y, &z);
	if ((x > y && x < z) || (x < y && x > z))
		middle = x;
	if ((y > x && y < z) || (y < x && y > z))
		middle = y;
	if ((z > x && z < y) || (z < x && z > y))
		middle = z;
	printf("%d is in the middle\n", middle);
	return 0;
}
