#include <stdio.h>

int main(void)
{
	int numbers[4];
	int i, least;

	printf("Four numbers, please: ");
	for (i = 0; i < 4; i++)
		scanf("%d", &numbers[i]);
	least = numbers[0];
	for (i = 1; i <= 4; i++) {
		if (numbers[i] < least)
			least = numbers[i];
	}
	printf("The smallest is %d\n", least);
	return 0;
}
