#include <stdio.h>
#include <math.h>

int main(void)
{
	int n, length = 0, rest, i;

	printf("A number: ");
	scanf("%d", &n);
	if (n < 0 || n > 99999) {
		printf("Too large\n");
		return 1;
	}
	rest = n;
	while (rest >= 10) {
		rest = floor(rest / 10);
		length++;
	}
	for (i = length; i > 0; i--) {
		int power = pow(10, i);
		printf("%d\n", n / power % 10);
	}
	printf("%d\n", n % 10);
	printf("Done.\n");
	return 0;
}
