#include <stdio.h>

int main(void)
{
	int a, b, c;

	if (scanf("%d %d %d", &a, &b, &c) != 3)
		return 1;
	if ((a <= b && b <= c) || (c <= b && b <= a))
		printf("%d\n", b);
	else if ((b <= a && a <= c) || (c <= a && a <= b))
		printf("%d\n", a);
	else
		printf("%d\n", c);
	return 0;
}
