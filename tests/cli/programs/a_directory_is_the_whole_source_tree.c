#include <stdio.h>
#include "limit.h"
int seen(int);
int main(void)
{
	int a;
	scanf("%d", &a);
	printf("%d\n", seen(a) > LIMIT);
	return 0;
}
