#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int upper = 0, width = 1;
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-u"))
			upper = 1;
		else if (!strncmp(argv[i], "--width=", 8))
			width = atoi(argv[i] + 8);
	printf("%c%d\n", upper ? 'X' : 'x', width);
	return 0;
}
