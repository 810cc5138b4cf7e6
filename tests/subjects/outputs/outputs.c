#include "psychic.h"

static int count;

static void note(int x)
{
	count += x & 1;
	psychic_output("count", &count, sizeof count);
}

void entry(int x, int y)
{
	note(x);
	note(y);
}
