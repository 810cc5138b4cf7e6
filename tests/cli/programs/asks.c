#include <stdio.h>
#include <stdlib.h>
extern char **environ;

int main(void)
{
	char *posix = getenv("POSIXLY_CORRECT");
	char *lines = getenv("LINES");
	for (char **each = environ; *each; each++)
		puts(*each);
	if (posix)
		puts("correct");
	return atoi(lines) == 7;
}
