#include <stdio.h>
int main(void)
{
	int x;
	if (scanf("%d", &x) != 1)
		return 1;
	puts(x > 7 ? "more" : "less");
	return 100 / (x - 3);
}
