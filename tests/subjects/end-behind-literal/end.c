#include <stdio.h>

int main(void)
{
	int first, second;

	if (scanf("%d ;", &first) != 1 || feof(stdin))
		return 0;
	if (scanf("%d", &second) == EOF && first == 123456789)
		puts("end");
	return 0;
}
