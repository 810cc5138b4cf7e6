#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char *end;
	double number = strtod(argv[1], &end);
	printf("%ld %g %s\n", (long)(end - argv[1]), number * 3, argv[1]);
	return number > 12.25;
}
