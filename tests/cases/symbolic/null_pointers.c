/* Null among pointers, of which more is asked than whether they are null. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>

static char text[16];

static void decide(int holds)
{
	puts(holds ? "yes" : "no");
}

int main(void)
{
	unsigned char index;
	klee_make_symbolic(&index, sizeof index, "index");
	char *places[4] = {0, text, text + 5, 0};
	char *place = places[index & 3];
	decide((uintptr_t)place >> 1 != 0);
	if (place)
		printf("%d\n", (int)(place - text));
	return 0;
}
