#include <stdio.h>

static int lower(int x, int y)
{
	return x < y ? x : y;
}

int main(void)
{
	int a, b, c, d;
	int first, second;

	if (scanf("%d%d%d%d", &a, &b, &c, &d) != 4) {
		printf("I need four numbers\n");
		return 1;
	}
	first = lower(a, b);
	second = lower(c, c);
	if (first > second)
		printf("The smallest is %d\n", second);
	else
		printf("The smallest is %d\n", first);
	return 0;
}
