#include <stdio.h>

int say(const char *what, const char *whom)
{
	printf("%s %s\n", what, whom);
	return 0;
}
