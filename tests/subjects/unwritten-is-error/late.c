#include <stdio.h>

int main(void)
{
	int x, first[1], second[1], third[1], last[1], stage = 0, late = 0, n = 0, t;

	while (scanf("%d", &x) == 1) {
		if (stage == 3) {
			late = 1;
			if (x != 7 * n + 3003) {
				last[0] = x;
				putchar(',');
			}
		}
		if (stage == 2) {
			third[0] = x;
			stage = 3;
		}
		if (stage == 1) {
			second[0] = x;
			stage = 2;
		}
		if (stage == 0) {
			first[0] = x;
			stage = 1;
		}
		n++;
	}
	t = 0;
	if (late) {
		putchar('A');
		if (last[0] > 3)
			t = 1;
	}
	t = 0;
	printf("%d\n", n);
	return 0;
}
