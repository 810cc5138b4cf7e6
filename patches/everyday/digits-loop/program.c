#include <stdio.h>

int main(void)
{
	int n, digit;

	printf("A number: ");
	scanf("%d", &n);
	while (n > 0) {
		digit = n % 10;
		printf("%d\n", digit);
		n = n / 10;
	}
	printf("Done.\n");
	return 0;
}
