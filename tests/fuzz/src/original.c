#include <stdio.h>
#include "limits.h"

#define SIZE 16
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct item {
	int key;
	const char *name;
};

static int table[SIZE] = { 1, 2, 3 };

/* The sum of
   a range. */
static int sum(const int *from, int count)
{
	int total = 0;
	for (int i = 0; i < count && from[i] >= 0; i++)
		total += from[i]; // all of them
	return total;
}

#ifdef DEBUG
static void show(struct item *item) { printf("%s %d\n", item->name, item->key); }
#endif

int main(int argc, char **argv)
{
	struct item item = { .key = argc, .name = argv[0] };
	if (argc > 1 && argv[1][0] == 'x')
		goto out;
	switch (item.key) {
	case 1:
	case 2:
		table[0] = MAX(table[1], 'a');
		break;
	default:
		do
			item.key--;
		while (item.key > SIZE);
	}
out:
	printf("%d\n", sum(table, SIZE) + item.key);
	return 0;
}
