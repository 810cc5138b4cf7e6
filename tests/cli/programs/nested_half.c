/* Compiled in the directory where it lies. */
#include <stdio.h>

int half(int x)
{
	if (x > 64) {
		puts("large");
		return x / 2;
	}
	return x;
}
