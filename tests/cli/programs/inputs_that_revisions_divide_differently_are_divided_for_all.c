#include <stdio.h>
int main(void)
{
	int a, b, n = 0;
	scanf("%d %d", &a, &b);
	if (a > 10)
		n = 1;
	if (b > 10)
		n += 2;
	if (b > 20)
		n += 4;
	printf("%d\n", n);
	return 0;
}
