#include <stdio.h>

int other(int);

#if __has_include("more.h")
#include "more.h"
#else
#define MORE 1
#endif

int main(void)
{
	int x;

	if (scanf("%d", &x) != 1)
		return 1;
	printf("%d\n", other(x) + MORE);
	return 0;
}
