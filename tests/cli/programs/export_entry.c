#define test 7
#define out stdout
#include <stdio.h>
#include <stdlib.h>

static int index(int x) { return x; }
int pipe(void) { return test; }

const char *entry(const char *text, int *numbers, double by)
{
	numbers[1] += index(0); /* PATCHED */
	if (by == 0.5)
		fprintf(out, "half\n");
	numbers[2] /= 3;
	return by > 0.25 ? text : NULL;
}
