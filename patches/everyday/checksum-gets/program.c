#include <stdio.h>

char *gets(char *line);

int main(void)
{
	char line[10];
	int i = 0, sum;

	gets(line);
	while (line[i] != '\0') {
		sum += line[i];
		i++;
	}
	sum = sum % 64;
	printf("Checksum %c\n", sum + ' ');
	return 0;
}
