#include <stdio.h>
#include <string.h>

int main(void)
{
	char line[12];
	int i, sum = 0;

	printf("A line: ");
	if (fgets(line, sizeof line, stdin) == NULL)
		return 1;
	for (i = 0; i < strlen(line); i++)
		sum = sum + line[i];
	printf("Checksum %c\n", sum % 64 + 32);
	return 0;
}
