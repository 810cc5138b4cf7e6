#include <stdio.h>
int main(void)
{
	char c;
	do {
		scanf("%c", &c);
		if (c >= '0' && c <= '9')
			printf("%c\n", c);
	} while (c != '\n');
	return 0;
}
