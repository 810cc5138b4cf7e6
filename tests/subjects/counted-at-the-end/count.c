/* At the end of the file, white space in a format takes what is left of it. */
#include <stdio.h>

int main(void)
{
	int number, count = 0;
	if (scanf("%d %n", &number, &count) != 1)
		return 1;
	printf("%d\n", count > 0);
	return 0;
}
