#include <stdio.h>

int main(void)
{
	char c;

	printf("A number: ");
	do {
		scanf("%c", &c);
		if (c >= '0' && c < '9')
			printf("%c\n", c);
	} while (c != '\n');
	printf("Done.\n");
	return 0;
}
