#include <stdlib.h>
#include <string.h>

int entry(unsigned char n)
{
	char *p = calloc(n % 4 + 1, 2);
	if (!p)
		return -1;
	p = realloc(p, 16);
	if (!p)
		return -2;
	memset(p + 8, 1, 8);
	int result = p[1] + p[15];
	free(p);
	return result;
}
