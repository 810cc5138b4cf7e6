#include <stdio.h>

int main(void)
{
	int sum = 0;
	char c;

	printf("A line: ");
	c = getchar();
	while (c != '\n') {
		sum += c;
		c = getchar();
	}
	sum = sum % 64 + ' ';
	printf("Checksum %c\n", sum);
	return 0;
}
