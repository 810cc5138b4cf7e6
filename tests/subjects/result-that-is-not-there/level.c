#include <stdio.h>

/* `report` is declared nowhere, so it returns an `int` here. */
int main(void)
{
	int level;

	if (scanf("%d", &level) != 1)
		return 1;
	report(level);
	if (level > 5)
		report(level - 5);
	return 0;
}
