/* Tables that are parts of a structure, read and written at symbolic indices: what lies beside
   them stays as it is, written or not. Pointers that are one of a few. */
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
	long words;
	struct set *link;
	unsigned char delta[64];
	struct set *next[64];
	char *target;
	char text[8];
	int unwritten[100];
	short counts[64];
};

static int length(char const *const *words, char const *word)
{
	words += strcmp(*words, word) == 0;
	words += strcmp(*words, word) == 0;
	return *words ? (int)strlen(*words) : -1;
}

int main(void)
{
	unsigned char in[3];
	char word[3];
	struct set *set = malloc(sizeof *set), other = {.words = 9};

	klee_make_symbolic(in, sizeof in, "in");
	klee_make_symbolic(word, sizeof word, "word");
	word[2] = 0;
	set->words = 3;
	set->link = &other;
	set->target = set->text;
	strcpy(set->text, "text");
	memset(set->delta, 7, sizeof set->delta);
	memset(set->next, 0, sizeof set->next);
	set->delta[in[0] & 63] = 1;
	set->next[in[1] & 63] = &other;
	set->delta[in[1] & 31] += 2;
	set->unwritten[3] = 4;
	printf("%ld %s %d ", set->words + set->link->words, set->target, set->unwritten[3]);
	printf("%d ", set->delta[5] == 1 ? 1 : set->delta[5] == 3 ? 3 : set->delta[5] == 7);
	printf("%d ", set->next[in[0] & 63] == &other);
	if (set->next[in[2] & 63])
		printf("%ld ", set->next[in[2] & 63]->words);

	/* A part that reaches into another one, with other cells, and one that is cleared. */
	unsigned char *bytes = (unsigned char *)set->delta;
	bytes[(in[2] & 127) + 32] = 5;
	printf("%d ", bytes[in[0] & 63] == 5);
	memset(set->delta, 0, sizeof set->delta);
	printf("%d ", set->delta[in[1] & 63]);

	/* One of two places, and of two objects. */
	memset(set->counts, 0, sizeof set->counts);
	set->counts[in[0] == 4 ? 3 : 60] = 12;
	set->text[in[1] == 4] = 'T';
	printf("%d %d %s ", set->counts[3], set->counts[in[2] == 4 ? 60 : 3], set->text);
	long *either = in[0] == 9 ? &set->words : &other.words;
	++*either;
	printf("%ld %ld ", set->words, other.words);
	static char const *const words[] = {"ab", "c", "def", 0};
	printf("%d\n", length(words, word));
	free(set);
	return 0;
}
