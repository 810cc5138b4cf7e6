#include <stdio.h>

int main(void)
{
	unsigned n;

	if (scanf("%u", &n) != 1)
		return 1;
	printf("from %u\n", n);
	for (n &= 7; n > 0; n--)
		printf("%u\n", n);
	return 0;
}
