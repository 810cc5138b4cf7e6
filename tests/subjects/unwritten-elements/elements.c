#include <stdio.h>

int main(void)
{
	int place, limit, c, a[4], u[4];

	if (scanf("%d%d", &place, &limit) != 2 || place < 0 || place > 3)
		return 1;
	a[0] = 1;
	a[1] = 2;
	if (a[place] > limit)
		c = 1;
	else
		c = 0;
	printf("%d\n", place < 2 ? c : 7);
	return 0;
}
