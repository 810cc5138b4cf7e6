#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

char *gets(char *line);

int main(void)
{
	char first[4], *second = NULL;
	size_t size = 0;
	long length;

	if (!gets(first))
		return 1;
	length = getline(&second, &size, stdin);
	printf("%d %ld %d\n", first[0], length, length > 1 ? second[1] : 0);
	free(second);
	return 0;
}
