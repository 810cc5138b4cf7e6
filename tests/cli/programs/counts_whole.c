#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "limits.h"

int main(int argc, char **argv)
{
	int byte, lines = 0, bytes = 0, option, only = 0;
	setlocale(LC_ALL, "");
	while ((option = getopt(argc, argv, "lc")) != -1) {
		if (option == '?')
			return 2;
		only = option;
	}
	FILE *in = optind < argc ? fopen(argv[optind], "r") : stdin;
	if (!in) {
		perror(argv[optind]);
		return 1;
	}
	while ((byte = getc(in)) != EOF) {
		bytes++;
		if (byte == '\n' && lines < MOST)
			lines++;
	}
	if (only != 'c')
		printf("%d\n", lines);
	if (only != 'l')
		printf("%d\n", bytes);
	return 0;
}
