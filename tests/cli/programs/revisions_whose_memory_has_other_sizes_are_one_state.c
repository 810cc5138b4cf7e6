#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
	int a, b, n = 0;
	scanf("%d %d", &a, &b);
	char *p = calloc(4, 1);
	if (a > 3)
		n++;
	if (b > 5)
		n += 2;
	p[n + 1] = 'x';
	p = realloc(p, 9);
	printf("%d %d\n", n, p[3]);
	free(p);
	return 0;
}
