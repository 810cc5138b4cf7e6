/* Counting at unknown places has more paths than anyone follows. But patches that compile to the same code are the same. */
#include <stdio.h>

int main(void)
{
	int number, count[10] = {0};
	while (scanf("%d", &number) == 1)
		if (number >= 0 && number < 10)
			count[number]++;
	for (int i = 0; i < 10; i++)
		if (count[i])
			printf("%d: %d\n", i, count[i]);
	return 0;
}
