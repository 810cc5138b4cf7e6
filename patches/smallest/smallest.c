#include <stdio.h>

int main(void)
{
	int a = 0, b = 0, c = 0, d = 0;
	int smallest = 0;

	printf("Please enter 4 numbers separated by spaces > ");
	scanf("%d %d %d %d", &a, &b, &c, &d);

	if (a < b && a < c && a < d) {
		smallest = a;
	}
	if (b < a && b < c && b < d) {
		smallest = b;
	}
	if (c < a && c < b && c < d) {
		smallest = c;
	}
	if (d < a && d < b && d < c) {
		smallest = d;
	}

	printf("%d is the smallest\n", smallest);
	return 0;
}
