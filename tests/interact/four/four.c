#include <stdio.h>

int four(int x, int y)
{
	int limit = 3;
	int total = 0;
	int step = 1;

	for (int i = 0; i < x; i++) {
		if (i >= limit)
			break;
		total += step;
	}
	puts("header");

	if (y > 5)
		total = 0;
	return total > 9;
}
