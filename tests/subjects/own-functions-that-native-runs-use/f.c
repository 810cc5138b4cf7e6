#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int x;
	if (scanf("%d", &x) != 1)
		return 1;
	puts("read");
	assert(x > 3);
	return 0;
}
