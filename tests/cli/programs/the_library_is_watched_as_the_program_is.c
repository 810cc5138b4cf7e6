#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int less(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}
int entry(int x)
{
	char junk[8], text[32] = "ab";
	int other[2], sorted[3] = {3, 1, 2};
	int n = 0;
	less(&n, &n);
	return n;
}
