#include <stdio.h>

/* Negative if x belongs before y; the difference of two ints need not be one. */
static int order(int x, int y)
{
	return x - y;
}

int main(void)
{
	int v[3];

	if (scanf("%d %d %d", &v[0], &v[1], &v[2]) != 3)
		return 1;
	for (int end = 2; end > 0; end--) {
		for (int i = 0; i < end; i++) {
			if (order(v[i], v[i + 1]) > 0) {
				int swap = v[i];

				v[i] = v[i + 1];
				v[i + 1] = swap;
			}
		}
	}
	printf("%d\n", v[1]);
	return 0;
}
