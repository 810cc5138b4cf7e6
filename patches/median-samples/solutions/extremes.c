#include <stdio.h>

static int min(int x, int y)
{
	return x < y ? x : y;
}

static int max(int x, int y)
{
	return x > y ? x : y;
}

int main(void)
{
	int a, b, c;

	if (scanf("%d%d%d", &a, &b, &c) < 3)
		return 1;
	printf("%d\n", max(min(a, b), min(max(a, b), c)));
	return 0;
}
