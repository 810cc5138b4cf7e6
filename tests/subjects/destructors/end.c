/* Destructors of one priority run last first, those with a higher priority number earlier. */
#include <stdio.h>

static int left = 1;

static void first(void) { puts("first"); }

__attribute__((destructor)) static void last(void) { puts("last"); puts("first"); }

int main(void)
{
	int number;
	if (scanf("%d", &number) != 1)
		return 1;
	if (number == 123456)
		first();
	left = number;
	return 0;
}
