#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int c, last = 0;
	const char *mode = getenv("MODE");
	if (argc > 1)
		fputs(argv[1], stdout);
	if (mode)
		fputs(mode, stderr);
	if (getenv("UNRELATED"))
		return 1;
	while ((c = getchar()) != EOF) {
		putchar(c);
		last = c;
	}
	putchar(last);
	return 2;
}
