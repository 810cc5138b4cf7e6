/* Takes the place of musl's src/malloc/mallocng/glue.h: the allocator as native code that
   stands beside a program whose own libc is another module. */
#ifndef MALLOC_GLUE_H
#define MALLOC_GLUE_H
#define _GNU_SOURCE
#include <stdint.h>
#include <stddef.h>
#include <limits.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <bits/syscall.h>
#include "atomic.h"

#define size_classes __malloc_size_classes
#define ctx __malloc_context
#define alloc_meta __malloc_alloc_meta
#define is_allzero __malloc_allzerop
#define dump_heap __dump_heap

#undef assert
#define assert(x) do { if (!(x)) __builtin_trap(); } while (0)

/* Straight to the kernel: the world does not know of the allocator. */
static inline long kernel(long n, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall" : "=a"(result)
		: "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return result;
}

static inline void *pointer(long result)
{
	if ((unsigned long)result <= -4096UL)
		return (void *)result;
	errno = -result;
	return MAP_FAILED;
}

#define brk(p) ((uintptr_t)kernel(SYS_brk, (long)(p), 0, 0, 0, 0, 0))
#define mmap(p, n, r, f, d, o) pointer(kernel(SYS_mmap, (long)(p), (n), (r), (f), (d), (o)))
#define munmap(p, n) ((int)kernel(SYS_munmap, (long)(p), (n), 0, 0, 0, 0))
#define madvise(p, n, a) ((int)kernel(SYS_madvise, (long)(p), (n), (a), 0, 0, 0))
#define mprotect(p, n, r) ((int)kernel(SYS_mprotect, (long)(p), (n), (r), 0, 0, 0))
#define mremap(p, n, m, f) pointer(kernel(SYS_mremap, (long)(p), (n), (m), (f), 0, 0))

#define DISABLE_ALIGNED_ALLOC 0
#define PAGESIZE 4096
#define MT 0
#define RDLOCK_IS_EXCLUSIVE 1
#define LOCK_OBJ_DEF

/* Runs are to be repeatable. */
static inline uint64_t get_random_secret()
{
	return 1103515245;
}

static inline void rdlock() {}
static inline void wrlock() {}
static inline void unlock() {}
static inline void upgradelock() {}
static inline void resetlock() {}
#endif
