#include <stdio.h>
#include "limits_of.h"

int main(void)
{
	int x;
	if (scanf("%d", &x) != 1)
		return 1;
	printf("%d\n", above(x));
	return 0;
}
