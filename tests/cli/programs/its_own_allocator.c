#include <stdio.h>
#include <stddef.h>
static char heap[1024];
static size_t used;
/* Too small for a C library that is starting under a sanitizer. */
void *malloc(size_t size)
{
	void *place = heap + used;
	used += (size + 15) & ~15ul;
	return used <= sizeof heap ? place : NULL;
}
void free(void *place) { (void)place; }
int main(void)
{
	char text[4] = "abc", *copy = malloc(5);
	int c = getchar();
	if (c >= 0 && c < 8)
		text[c & 3] = 'x';
	copy[0] = text[0];
	puts(text);
	return copy[0] & 1;
}
