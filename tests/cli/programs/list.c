#include <stdio.h>
struct item { int value; struct item *next; };
int main(int argc, char **argv)
{
	struct item first = { argc, 0 }, *last;
	if (argc > 1)
		last = &first;
	int found = last->value;
	printf("%d\n", found);
	return 0;
}
