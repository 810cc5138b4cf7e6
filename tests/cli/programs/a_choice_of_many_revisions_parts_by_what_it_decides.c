#include <stdio.h>
int main(void)
{
	int a, limit;
	scanf("%d", &a);
	limit = 10;
	puts(a > limit ? "big" : "small");
	return 0;
}
