#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
	int x = *(const int *)left;
	int y = *(const int *)right;

	return (x > y) - (x < y);
}

int main(void)
{
	int numbers[3];

	for (int i = 0; i < 3; i++)
		if (scanf("%d", &numbers[i]) != 1)
			return 1;
	qsort(numbers, 3, sizeof numbers[0], ascending);
	printf("%d\n", numbers[1]);
	return 0;
}
