#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int x, y, z, sum, big, small;

	printf("Three numbers: ");
	scanf("%d %d %d", &x, &y, &z);
	sum += x + y + z;
	big = x;
	if (y > big)
		big = y;
	if (z > big)
		big = z;
	small = x;
	if (y < small)
		small = y;
	if (z < small)
		small = z;
	printf("%d is in the middle\n", sum - big - small);
	return 0;
}
