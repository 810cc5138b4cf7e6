#include <stdio.h>
static int twice(int n)
{
	return 2 * n;
}
int main(int argc, char **argv)
{
	printf("%d\n", twice(argv[1][0]) & 1);
	return 0;
}
