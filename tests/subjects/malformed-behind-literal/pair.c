#include <stdio.h>

int main(void)
{
	int a, b;

	if (scanf("(%d,%d)", &a, &b) != 2)
		return 0;
	if (a < b)
		puts("less");
	return 0;
}
