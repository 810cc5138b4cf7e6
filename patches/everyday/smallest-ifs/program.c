#include <stdio.h>

int main(void)
{
	int a, b, c, d, least;

	printf("Four numbers, please: ");
	scanf("%d %d %d %d", &a, &b, &c, &d);
	if (a < b && a < c && a < d)
		least = a;
	else if (b < a && b < c && b < d)
		least = b;
	else if (c < a && c < b && c < d)
		least = c;
	else
		least = d;
	printf("The smallest is %d\n", least);
	return 0;
}
