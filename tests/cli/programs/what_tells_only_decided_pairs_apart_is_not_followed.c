#include <stdio.h>
#include <stdlib.h>
static int twice(int c)
{
	return 2 * c;
}
int main(int argc, char **argv)
{
	int k = twice(argv[1][0]);
	for (char *p = argv[1]; *p; p++)
		if (*p == 'a')
			puts("a");
	printf("%d\n", k);
	return 0;
}
