#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (strcmp(argv[1], "-v") == 0) {
		puts("verbose");
		return 0;
	}
	return argv[1][0] == '-';
}
