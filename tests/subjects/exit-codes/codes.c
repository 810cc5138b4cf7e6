#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int n;
	if (scanf("%d", &n) != 1)
		exit(2);
	if (n == 3)
		return n;
	exit(n & 1);
}
