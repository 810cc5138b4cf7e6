#include <stdio.h>
int main(void)
{
	unsigned long a, b;
	if (scanf("%lu %lu", &a, &b) != 2 || a < 2 || b < 2) return 1;
	if (a < 4000000000 && b < 4000000000 && a * b == 1000036000099) puts("both");
	return 0;
}
