#include <stdio.h>

struct pair {
	int first, second;
};

/* What was never written is another thing each time that it is copied. */
int main(void)
{
	struct pair source, once, twice;
	int number, before;

	if (scanf("%d", &number) != 1)
		return 1;
	source.first = number;
	once = source;
	before = once.second;
	once.second = 5;
	once = source;
	puts(before == once.second ? "same" : "other");
	before = twice.second;
	twice = source;
	puts(before == twice.second ? "same" : "other");
	return 0;
}
