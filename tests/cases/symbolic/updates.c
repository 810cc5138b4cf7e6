/* Writes at symbolic offsets: read back at known and unknown ones, in words of other sizes, after
   copies, growth and clearing. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	char key;
	short value;
	int next;
};

static unsigned char large[100000];

int main(void)
{
	unsigned char in[3];
	unsigned place;
	int count[256] = {0}, copy[256];
	struct entry entries[16];
	union {
		int words[8];
		unsigned char bytes[32];
	} mixed;

	klee_make_symbolic(in, sizeof in, "in");
	klee_make_symbolic(&place, sizeof place, "place");
	for (int i = 0; i < 3; i++)
		count[in[i]]++;
	count['x'] += 10;
	printf("%d ", count[in[1]] > 2 ? 3 : count[in[1]] == 10 + 1);
	memcpy(copy, count, sizeof copy);
	memset(count, 0, sizeof count);
	printf("%d ", (copy[in[0]] == 1) + count[in[2]]);

	memset(entries, 0, sizeof entries);
	entries[in[0] & 15].value = in[1];
	entries[3].next = 7;
	entries[in[2] & 15].next = 9;
	printf("%d ", entries[in[0] & 15].next == 9 ? 9 : entries[3].next == 7);
	printf("%d ", entries[5].value == 77);

	memset(&mixed, 0, sizeof mixed);
	mixed.words[in[0] & 7] = 0x01020304;
	mixed.bytes[in[1] & 31] = 0x55;
	printf("%d ", mixed.words[2] == 0x01025504 ? 1 : mixed.words[2] == 0x01020304 ? 2 : 3);

	if (place < sizeof large) {
		large[place] = 1;
		printf("%d ", large[50000]);
	}

	int *grown = malloc(4 * sizeof *grown);
	for (int i = 0; i < 4; i++)
		grown[i] = i;
	grown[in[0] & 3] = 40;
	grown = realloc(grown, 8 * sizeof *grown);
	printf("%d\n", grown[in[1] & 3] == 40);
	free(grown);
	return 0;
}
