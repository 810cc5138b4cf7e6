#include <stdio.h>
int main(void)
{
	int a, b, n = 0, limit = 10;
	scanf("%d %d", &a, &b);
	limit = 11;
	if (a > limit)
		n++;
	if (b > limit)
		n += 2;
	printf("%d\n", n);
	return 0;
}
