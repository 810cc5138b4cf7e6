/* Those names of the allocator that musl's own functions call, and the rest of its interface. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t n)
{
	return malloc(n);
}

void *calloc(size_t m, size_t n)
{
	if (n && m > SIZE_MAX / n) {
		errno = ENOMEM;
		return 0;
	}
	void *p = malloc(m * n);
	return p ? memset(p, 0, m * n) : 0;
}

void *__libc_calloc(size_t m, size_t n)
{
	return calloc(m, n);
}

void *__libc_realloc(void *p, size_t n)
{
	return realloc(p, n);
}

void __libc_free(void *p)
{
	free(p);
}

void *reallocarray(void *p, size_t m, size_t n)
{
	if (n && m > SIZE_MAX / n) {
		errno = ENOMEM;
		return 0;
	}
	return realloc(p, m * n);
}

void *memalign(size_t align, size_t n)
{
	return aligned_alloc(align, n);
}

int posix_memalign(void **result, size_t align, size_t n)
{
	if (align < sizeof(void *))
		return EINVAL;
	void *p = aligned_alloc(align, n);
	if (!p)
		return errno;
	*result = p;
	return 0;
}
