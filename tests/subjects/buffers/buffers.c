#include <stdio.h>
#include <string.h>

int main(void)
{
	int n;
	char buffer[16];
	if (scanf("%d", &n) != 1 || n < 0 || n > 999)
		return 1;
	sprintf(buffer, "<%d>", n);
	puts(buffer);
	return strlen(buffer) == 3;
}
