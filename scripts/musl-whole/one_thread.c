#include "pthread_impl.h"

/* Takes the place of musl's src/thread/__set_thread_area.c, pthread_cancel.c and __unmapself.c:
   there is one thread, its pointer is a variable (see pthread_arch.h), and system calls are no
   points at which another one could cancel it. */
uintptr_t __thread_pointer;

int __set_thread_area(void *p)
{
	__thread_pointer = (uintptr_t)p;
	return 0;
}

int pthread_cancel(pthread_t t)
{
	return ESRCH;
}

void __unmapself(void *base, size_t size)
{
	a_crash();
}
