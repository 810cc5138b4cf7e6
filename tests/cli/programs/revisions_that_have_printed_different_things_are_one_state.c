#include <stdio.h>
int main(void)
{
	int a, b, n = 0;
	scanf("%d %d", &a, &b);
	puts("begin");
	if (a > 3)
		n++;
	if (b > 5)
		n += 2;
	printf("%d\n", n);
	return 0;
}
