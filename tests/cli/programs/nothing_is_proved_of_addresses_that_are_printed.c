#include <stdio.h>
int main(int argc, char **argv)
{
	int n = argv[1][0] & 1;
	int r = 1;
	printf("%d\n", r);
	return 0;
}
