#include <stdio.h>
int main(void)
{
	int a, n = 0, k = 1;
	for (int i = 0; i < 9; i++) {
		scanf("%d", &a);
		if (a > 3)
			puts("+"), n += k;
	}
	printf("%d\n", n);
	return 0;
}
