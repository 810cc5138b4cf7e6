/* The allocator's interface and the names that musl's own functions call, on top of musl's
   allocator, whose malloc, realloc and aligned_alloc are called plain_ here. What was never
   written is zero, also where it was in use before. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096

void *plain_malloc(size_t);
void *plain_aligned_alloc(size_t, size_t);

/* What is as large as a page begins with one, so that a program that asks for that itself
   (grep aligns its buffer) does the same wherever its memory is. */
void *aligned_alloc(size_t align, size_t n)
{
	int is_valid = !(align & (align - 1));
	void *p = plain_aligned_alloc(is_valid && align < PAGE && n >= PAGE ? PAGE : align, n);
	return p ? memset(p, 0, n) : 0;
}

void *malloc(size_t n)
{
	if (n >= PAGE)
		return aligned_alloc(PAGE, n);
	void *p = plain_malloc(n);
	return p ? memset(p, 0, n) : 0;
}

void *realloc(void *p, size_t n)
{
	if (!p)
		return malloc(n);
	if (!n) {
		free(p);
		return 0;
	}
	/* In place it could grow over what others have left. */
	void *q = malloc(n);
	if (q) {
		size_t old = malloc_usable_size(p);
		memcpy(q, p, old < n ? old : n);
		free(p);
	}
	return q;
}

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
	return malloc(m * n);
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
