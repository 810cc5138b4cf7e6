#include <stdlib.h>

/* The fifth letter is behind the end, which an optimiser must not hide. */
int put(unsigned place)
{
	char *letters = malloc(4);

	if (letters == NULL || place > 4)
		return -1;
	letters[place] = 'x';
	free(letters);
	return place;
}
