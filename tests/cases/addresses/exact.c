/* What is decided here does not depend on where objects are. */
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	struct node *next;
	char text[24];
};

static long pages[2048];

static int escape(char const *start, int far)
{
	char const *p = start + 1;
	p += far && *p == '0';
	while (*p == 'x')
		p++;
	return p - start - 1;
}

static void decide(int holds)
{
	if (holds)
		puts("yes");
}

static void align(uintptr_t p)
{
	decide((p & -8ul) == p && (p | 7) - p == 7);
	decide(p % 8 == 0 && (p + 7) / 8 * 8 - p < 8);
}

int main(void)
{
	char in[4];
	klee_make_symbolic(in, sizeof in, "in");
	in[3] = 0;
	struct node *node = malloc(sizeof *node), other = {node, "other"};
	memset(node, 0, sizeof *node);
	decide(escape(in, in[1] == '0') == 2);

	/* One of two places in an object: comparisons, differences, cut ones. */
	char *end = in[2] == 'e' ? node->text + 3 : node->text + 20;
	decide(end > node->text + 10);
	decide((int)(uintptr_t)end - (int)(uintptr_t)node->text > 10);
	decide((uintptr_t)end + ~(uintptr_t)node->text > 10);

	/* Alignment, as far as it is guaranteed. */
	align((uintptr_t)node);
	align((uintptr_t)&other);
	decide(-(uintptr_t)node % 8 == 0);
	decide(((uintptr_t)&pages[1] & 7) == 0);
	decide(((uintptr_t)node & 15) == 0);

	/* Equality, with null and of one of two objects. */
	struct node *one = in[0] == 'o' ? &other : in[0] == 'n' ? 0 : node;
	decide(one == &other);
	decide(one == 0);

	/* Far from the ends of what may be mapped. */
	decide((uintptr_t)node / 4096 > 1000);
	decide(-(uintptr_t)node / 4096 > 1000);
	decide((intptr_t)node < 0);
	free(node);
	return 0;
}
