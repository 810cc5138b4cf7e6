/* Twice as many paths with each number that is read: nobody follows them all. */
#include <stdio.h>

static int largest(int a, int b)
{
	while (a < b)
		a++;
	return a;
}

int main(void)
{
	int n, x, rest, sum = 0, most = 0, last[4];

	if (scanf("%d", &n) != 1 || n < 1)
		return 1;
	rest = n;
	for (int i = 0; i < n; i++) {
		if (scanf("%d", &x) != 1)
			return 2;
		last[i & 3] = x;
		if (x > 0)
			sum += x;
		if (sum > 1000)
			printf("%d\n", i);
		most = largest(most, x & 15);
		rest--;
	}
	printf("%d %d %d\n", sum, most, rest);
	return 0;
}
