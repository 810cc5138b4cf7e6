#include <stdio.h>
#include <stdlib.h>
static int twice(int c)
{
	return 2 * c;
}
static void usage(const char *p)
{
	for (int n = 0; *p; p++)
		printf("%d\n", n += *p == 'a');
	exit(1);
}
static int apply(int (*f)(int), int c)
{
	return f(c);
}
int main(int argc, char **argv)
{
	if (argv[1][0] != 'x')
		usage(argv[1]);
	printf("%d\n", apply(twice, argv[1][1]));
	return 0;
}
