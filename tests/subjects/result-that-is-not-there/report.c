#include <stdio.h>

void report(int level)
{
	printf("%d\n", level);
}
