#include <stdio.h>

int main(int argc, char **argv)
{
	FILE *out = fopen("left", "w");
	fputs(argc > 1 ? argv[1] : "none", out);
	return fclose(out);
}
