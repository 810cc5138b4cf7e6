#include <stdio.h>

/* How many of some problems at least two of three are sure about. */
int main(void)
{
	int problems, first, second, third, solved = 0, i;

	scanf("%d", &problems);
	for (i = 0; i < problems; i++) {
		scanf("%d%d%d", &first, &second, &third);
		if (first + second + third >= 2)
			solved++;
	}
	printf("%d\n", solved);
	return 0;
}
