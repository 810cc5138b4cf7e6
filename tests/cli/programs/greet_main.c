#include "config.h"
int say(const char *, const char *);

int main(int argc, char **argv)
{
	return say(GREETING, argc > 1 ? argv[1] : "world");
}
