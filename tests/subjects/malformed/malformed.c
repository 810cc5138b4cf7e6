#include <stdio.h>

int main(void)
{
	int n = 0, got, sum = 0;

	while ((got = scanf("%d", &n)) != EOF) {
		if (got == 0) {
			printf("not a number: %c\n", getchar());
			return 1;
		}
		sum += n;
	}
	printf("%d\n", sum);
	return 0;
}
