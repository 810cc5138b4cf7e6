#include <stdio.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* The greatest sum of a slice of a list. */
int main(void)
{
	int count, number, current = 0, best = 0, i;

	scanf("%d", &count);
	for (i = 0; i < count; i++) {
		scanf("%d", &number);
		current = MAX(current + number, 0);
		best = MAX(best, current);
	}
	printf("%d\n", best);
	return 0;
}
