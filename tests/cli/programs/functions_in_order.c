#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int say(const char *, const char *);
typedef int operation(int);

static int shorten(int x)
{
	return x / 3 + 1;
}

static int widen(int x)
{
	return x * 5;
}

static int negate(int x)
{
	return -x;
}

static int keep(int x)
{
	return x;
}

static struct row {
	operation *run;
	char name;
} rows[] = { { keep, 'k' }, { negate, 'n' }, { widen, 'w' }, { shorten, 's' } };

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(operation *));
}

static int by_number(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct row *)a)->run;
	uintptr_t y = (uintptr_t)((const struct row *)b)->run;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	char text[8] = "";
	int first = 'x';
	qsort(rows, 4, sizeof *rows, argc > 1 && *argv[1] == 'b' ? by_bytes : by_number);
	for (int i = 0; i < 4; i++)
		text[i] = rows[i].run(7) == 7 ? 'k' : rows[i].name;
	if (text[0] == first)
		text[4] = '!';
	return say(text, argc > 1 ? argv[1] : "");
}
