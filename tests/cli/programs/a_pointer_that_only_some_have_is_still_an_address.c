#include <stdio.h>
static char buffer[8], *last;
int main(void)
{
	int a;
	scanf("%d", &a);
	last = buffer + 1;
	char *here = buffer + (a & 3);
	if (here > buffer && here != last)
		puts("on");
	return 0;
}
