#include <stdio.h>

/* `report` returns nothing: what is printed is what a register happens to hold. */
int main(void)
{
	int level;

	if (scanf("%d", &level) != 1)
		return 1;
	printf("%d\n", report(level));
	return 0;
}
