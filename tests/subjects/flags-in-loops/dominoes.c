#include <stdio.h>

/* How many numbers come after the first odd one. */
int main(void)
{
	int count, number = 0, after = 0, odd = 0;

	scanf("%d", &count);
	while (count-- > 0) {
		scanf("%d", &number);
		if (odd)
			after++;
		if (number % 2 != 0)
			odd = 1;
	}
	printf("%d\n", after);
	return 0;
}
