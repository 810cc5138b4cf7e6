#include <stdio.h>
/* `last` is written first in a round that no invariant covers, or never. */
static int table[4] = { 1, 2, 3, 4 };

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
	if (late)
		t = table[last[0] & 3];
	t = 0;
	printf("%d\n", n);
	return 0;
}
