#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static char pages(void *p)
{
	return '0' + !((uintptr_t)p % 4096);
}

int main(void)
{
	void *p;
	if (posix_memalign(&p, 32, 5000))
		return 1;
	void *q = realloc(malloc(10), 4096);
	char line[] = { pages(p), pages(aligned_alloc(16, 4096)), pages(q), pages(calloc(64, 64)), '\n' };
	return write(1, line, sizeof line) != sizeof line;
}
