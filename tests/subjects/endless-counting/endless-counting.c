#include <stdio.h>

int main(void)
{
	int c, sum = 0, lines = 0;

	while ((c = getchar()) != '\n') {
		sum += c;
		lines++;
	}
	while (sum == 'a')
		printf("%d\n", lines);
	return 0;
}
