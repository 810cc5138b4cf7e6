#include <stdio.h>

int main(void)
{
	int d;
	unsigned u;
	long l;
	char c, s[9];
	if (scanf("%d %u %ld %c %8s", &d, &u, &l, &c, s) != 5)
		return 1;
	printf("%d %u %ld\n", d, u, l);
	printf("%c %s %x\n", c, s, u);
	return 0;
}
