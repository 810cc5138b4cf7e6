#include <stdio.h>
int main(void)
{
	int a, n = 0, unset[2];
	scanf("%d", &a);
	n = unset[a & 1];
	if (n > 5)
		a = 1;
	printf("%d\n", a);
	return 0;
}
