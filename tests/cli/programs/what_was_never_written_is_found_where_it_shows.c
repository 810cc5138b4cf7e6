#include <stdio.h>
int entry(int x)
{
	int y;
	int sum = x;
	printf("%d\n", sum / 100);
	return 0;
}
