#include <stdio.h>
int entry(int x)
{
	short v[4] = {1, 2, 3, 4};
	int n = x > 3;
	puts(v[1] + n > 2 ? "more" : "less");
	return n;
}
