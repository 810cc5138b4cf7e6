#include <stdio.h>
#include <stdlib.h>
static int twice(int c)
{
	return 2 * c;
}
int main(int argc, char **argv)
{
	int n = 0;
	if (argv[1][0] == 'x')
		n = twice(argv[1][1]);
	else
		for (char *p = argv[1]; *p; p++)
			n += *p == 'a';
	printf("%d\n", n);
	return 0;
}
