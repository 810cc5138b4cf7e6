#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char text[4];
	int length, value;
	if (argc != 2)
		return 1;
	length = (unsigned char)argv[1][0] % 3;
	memset(text, '7', length);
	text[length] = text[3] = 0;
	value = atoi(text);
	printf("%d\n", value);
	return 0;
}
